#include "cli/simulation/item_trials.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/types/span.h"
#include "cli/simulation/distributions.h"
#include "cli/simulation/draw_counts.h"
#include "collector/postprocess/postprocess.h"
#include "common/base/status_macros.h"
#include "common/table/count_model.h"

namespace tombola::simulation {
namespace {

using mechanism::CountModel;
using mechanism::Tally;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

Tally TallyOf(const ItemCounting& counting, const ItemData& data) {
  return {.submissions = data.users(),
          .fakes = counting.mechanism == nullptr ? 0 : counting.mechanism->fakes()};
}

double CentralScale(const ItemCounting& counting, const ItemData& data) {
  return 2 * static_cast<double>(data.cells().held()) /
         (counting.epsilon * static_cast<double>(data.users()));
}

// How the count of one cell comes about. A trusted party's is the truth with noise of that
// variance.
CountModel CellModel(const ItemCounting& counting, const ItemData& data) {
  if (counting.mechanism != nullptr) return counting.mechanism->count_model();
  const double scale = CentralScale(counting, data);
  return {.support = {.holder = 1, .other = 0, .separation = 1},
          .noise_variance = 2 * scale * scale * static_cast<double>(data.users())};
}

// Of devices that hold more than they can say, a holder supports the item with probability
// other + separation t instead of `holder`, and the estimate is short of it by 1 - t.
double CrowdedError(const CountModel& model, const ItemTruth& truth, double users) {
  const auto& [holder, other, separation] = model.support;
  const double variance = truth.crowded * (other - other * other - holder + holder * holder) +
                          truth.kept * separation * (1 - 2 * other) -
                          truth.kept_squares * separation * separation;
  const double bias = (truth.crowded - truth.kept) / users;
  return variance / (users * users * separation * separation) + bias * bias;
}

// The share of every cell, pads included.
std::vector<double> CellShares(const ItemCounting& counting, const ItemData& data, bool devices,
                               Generator& random) {
  std::vector<double> shares;
  shares.reserve(static_cast<size_t>(data.cells().cells()));
  if (counting.mechanism == nullptr) {
    const double scale = CentralScale(counting, data);
    for (const int64_t filled : data.DrawFilled(random)) {
      shares.push_back(static_cast<double>(filled) / static_cast<double>(data.users()) +
                       Laplace(scale, random));
    }
    return shares;
  }
  const std::vector<int64_t> counts =
      devices ? RunItemDevices(counting.mechanism, data, random)
              : DrawCounts(*counting.mechanism, data.DrawFilled(random), random);
  const CountModel model = counting.mechanism->count_model();
  const Tally tally = TallyOf(counting, data);
  for (const int64_t count : counts) {
    shares.push_back(mechanism::Estimate(model, tally, static_cast<double>(count)));
  }
  return shares;
}

double ShareError(absl::Span<const double> shares, absl::Span<const ItemTruth> truth) {
  double sum = 0;
  for (size_t item = 0; item < shares.size(); ++item) {
    const double off = shares[item] - truth[item].held.frequency;
    sum += off * off;
  }
  return sum / static_cast<double>(shares.size());
}

double MeanError(const ItemAnswer& answer, const ItemData& data, absl::Span<const uint64_t> keys) {
  double sum = 0;
  for (const uint64_t key : keys) {
    const double off = answer.means[key] - data.truth()[key].held.mean;
    sum += std::isnan(off) ? 0 : off * off;  // ten standard deviations off: not in a lifetime
  }
  return keys.empty() ? kUnknown : sum / static_cast<double>(keys.size());
}

}  // namespace

ItemPrediction Predict(const ItemCounting& counting, const ItemData& data) {
  const CountModel cell = CellModel(counting, data);
  const CountModel joined = mechanism::Joined(cell, data.cells().levels);
  const Tally tally = TallyOf(counting, data);
  const double users = static_cast<double>(data.users());
  ItemPrediction prediction;
  double sum = 0, means = 0;
  for (size_t item = 0; item < data.truth().size(); ++item) {
    const ItemTruth& truth = data.truth()[item];
    const double error = mechanism::EstimateVariance(joined, tally, truth.held.frequency) +
                         CrowdedError(joined, truth, users);
    prediction.squared_errors.push_back(error);
    sum += error;
    if (data.cells().levels == 1 || !(truth.held.frequency > 0) ||
        !(truth.held.frequency >= kMeanDeviations * std::sqrt(error))) {
      continue;
    }
    prediction.mean_keys.push_back(item);
    means += MeanVariance(cell, data.levels(), tally, truth.held);
  }
  prediction.squared_error = sum / static_cast<double>(data.truth().size());
  prediction.mean_squared_error = prediction.mean_keys.empty()
                                      ? kUnknown
                                      : means / static_cast<double>(prediction.mean_keys.size());
  return prediction;
}

ItemAnswer RunItemTrial(const ItemCounting& counting, const ItemData& data, bool devices,
                        Generator& random) {
  const std::vector<double> cells = CellShares(counting, data, devices, random);
  const Levels& levels = data.levels();
  ItemAnswer answer;
  for (uint64_t item = 0; item < data.truth().size(); ++item) {
    double share = 0, sum = 0;
    for (int64_t i = 0; i < data.cells().levels; ++i) {
      const double cell = cells[data.cells().CellOf(item, i)];
      share += cell;
      if (data.cells().levels > 1) sum += cell * levels.At(i);
    }
    answer.shares.push_back(share);
    if (data.cells().levels == 1) continue;
    answer.means.push_back(share > 0 ? std::clamp(sum / share, levels.low, levels.high) : kUnknown);
  }
  return answer;
}

absl::StatusOr<ItemErrors> RunItemTrials(const ItemCounting& counting, const ItemData& data,
                                         const ItemPrediction& prediction,
                                         const TrialOptions& options) {
  struct Outcome {
    double raw = 0, clipped = 0, means = 0;
  };
  std::vector<Outcome> outcomes(static_cast<size_t>(std::max<int64_t>(options.trials, 0)));
  TOMBOLA_RETURN_IF_ERROR(ForEachTrial(options, [&](size_t i, Generator& random) -> absl::Status {
    const ItemAnswer answer = RunItemTrial(counting, data, options.devices, random);
    TOMBOLA_ASSIGN_OR_RETURN(
        const std::vector<double> clipped,
        collector::Process(collector::Postprocess::kClip, {.raw = answer.shares}));
    outcomes[i] = {.raw = ShareError(answer.shares, data.truth()),
                   .clipped = ShareError(clipped, data.truth()),
                   .means = MeanError(answer, data, prediction.mean_keys)};
    return absl::OkStatus();
  }));
  const auto mean = [&](double Outcome::*member) {
    std::vector<double> values;
    values.reserve(outcomes.size());
    for (const Outcome& outcome : outcomes) values.push_back(outcome.*member);
    return MeanOf(values);
  };
  return ItemErrors{.shares = {.raw = mean(&Outcome::raw), .pop = mean(&Outcome::clipped)},
                    .means = mean(&Outcome::means)};
}

}  // namespace tombola::simulation
