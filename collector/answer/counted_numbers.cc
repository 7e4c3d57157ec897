#include "collector/answer/counted_numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "collector/estimate/estimator.h"
#include "common/base/status_macros.h"
#include "common/ranges/least_squares.h"

namespace tombola::collector {
namespace {

using mechanism::CountModel;
using mechanism::Tally;

// The variance of a cell's estimated share: `noise`, and `held` times the true share.
struct CellVariance {
  double noise = 0;
  double held = 0;
};

CellVariance VarianceOfCell(const CountModel& model, const mechanism::Filling& filling,
                            const Tally& tally) {
  const double n = static_cast<double>(tally.submissions);
  const double truth = mechanism::Signal(model);
  // Coins beside randomised responses are a device's further responses.
  const bool responses = model.noise == CountModel::Noise::kCoins && model.support.other > 0;
  CellVariance variance{.noise = model.support.other +
                                 (responses ? model.noise_mean : model.noise_variance) +
                                 static_cast<double>(tally.fakes) / n * model.fake_support,
                        .held = truth * (1 - truth)};
  variance.noise /= n * truth * truth;
  variance.held /= n * truth * truth;
  variance.held += ChoiceVariance(filling, tally);
  return variance;
}

// Of each level on average: what least squares weighs its counts by.
std::vector<double> LevelVariances(const RangeTree& tree,
                                   const std::vector<CellVariance>& variances) {
  std::vector<double> levels;
  for (int64_t level = 0; level < tree.levels(); ++level) {
    const CellVariance& variance = variances[static_cast<size_t>(level)];
    const auto nodes = static_cast<double>(tree.NodesOf(level) + (tree.apart() ? 1 : 0));
    levels.push_back(std::max(variance.noise + variance.held / nodes, 1e-100));
  }
  return levels;
}

// Of every cell, where the leaves have these shares.
std::vector<double> CellVariances(const RangeTree& tree, const std::vector<CellVariance>& variances,
                                  const std::vector<double>& shares,
                                  const std::vector<double>& below) {
  std::vector<double> cells;
  cells.reserve(static_cast<size_t>(tree.cells()));
  for (int64_t level = 0; level < tree.levels(); ++level) {
    const CellVariance& variance = variances[static_cast<size_t>(level)];
    const auto add = [&](double share) {
      cells.push_back(variance.noise + variance.held * std::clamp(share, 0.0, 1.0));
    };
    for (int64_t node = 0; node < tree.NodesOf(level); ++node) {
      const int64_t end = std::min((node + 1) * tree.WidthOf(level), tree.leaves());
      add(below[static_cast<size_t>(end)] - below[static_cast<size_t>(node * tree.WidthOf(level))]);
    }
    if (tree.apart()) add(shares.back());
  }
  return cells;
}

// Of each cell, unbiased.
absl::StatusOr<std::vector<double>> RawShares(const RangeTree& tree,
                                              const std::vector<CountModel>& models,
                                              absl::Span<const int64_t> counts,
                                              const Tally& tally) {
  std::vector<double> raw;
  raw.reserve(counts.size());
  for (int64_t level = 0; level < tree.levels(); ++level) {
    const auto first = static_cast<size_t>(tree.FirstOf(level));
    const size_t end =
        level + 1 < tree.levels() ? static_cast<size_t>(tree.FirstOf(level + 1)) : counts.size();
    const Estimator estimator(models[static_cast<size_t>(level)],
                              static_cast<int64_t>(end - first));
    TOMBOLA_ASSIGN_OR_RETURN(const Estimates estimates,
                             estimator.Estimate(counts.subspan(first, end - first), tally));
    raw.insert(raw.end(), estimates.raw.begin(), estimates.raw.end());
  }
  return raw;
}

// Of the first leaves of a tree, none to all.
std::vector<double> SumsOf(const std::vector<double>& shares, int64_t leaves) {
  std::vector<double> sums = {0};
  sums.reserve(static_cast<size_t>(leaves) + 1);
  for (int64_t i = 0; i < leaves; ++i) sums.push_back(sums.back() + shares[static_cast<size_t>(i)]);
  return sums;
}

}  // namespace

absl::StatusOr<CountedNumbers> CountedNumbers::Read(const NumberKind& kind,
                                                    absl::Span<const int64_t> counts,
                                                    const Tally& tally, double confidence) {
  const NumberCells& cells = kind.cells();
  if (static_cast<int64_t>(counts.size()) != cells.tree.cells()) {
    return absl::InvalidArgumentError(
        absl::StrCat("counts has ", counts.size(), " entries; the tree has ", cells.tree.cells()));
  }
  const std::vector<CountModel> models = LevelModels(cells.tree, *kind.tables()[0]);
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<double> raw,
                           RawShares(cells.tree, models, counts, tally));
  std::vector<CellVariance> variances;
  double least = 1;
  for (const CountModel& model : models) {
    variances.push_back(VarianceOfCell(model, cells.filling, tally));
    const CellVariance& variance = variances.back();
    least = std::min(least, variance.noise / (variance.noise + variance.held));
  }
  const std::vector<double> levels = LevelVariances(cells.tree, variances);
  std::vector<double> shares = LeastSquares(cells.tree, raw, levels, /*total=*/1);
  const std::vector<double> below = SumsOf(shares, cells.tree.leaves());
  SumVariance sums(cells.tree, levels, CellVariances(cells.tree, variances, shares, below));
  return CountedNumbers(cells.missing(), static_cast<double>(tally.submissions), std::move(shares),
                        std::move(sums),
                        {.variance = ChoiceVariance(cells.filling, tally), .least = least},
                        SumInterval(models.front(), tally, 1 - confidence));
}

CountedNumbers::CountedNumbers(bool missing, double devices, std::vector<double> shares,
                               SumVariance variance, const Choice& choice,
                               const SumInterval& interval)
    : missing_(missing),
      devices_(devices),
      shares_(std::move(shares)),
      below_(SumsOf(shares_, static_cast<int64_t>(shares_.size()) - (missing ? 1 : 0))),
      variance_(std::move(variance)),
      choice_(choice),
      interval_(interval) {}

double CountedNumbers::VarianceOf(double separate, double mean, double square) const {
  const double chosen = choice_.variance * std::max(0.0, square - mean * mean);
  return std::max(separate * choice_.least, separate - chosen);
}

CountedNumbers::Error CountedNumbers::ErrorOf(absl::Span<const WeightedRun> runs,
                                              double apart) const {
  double least = missing_ ? apart : std::numeric_limits<double>::infinity();
  double most = missing_ ? apart : -least;
  double mean = missing_ ? apart * shares_.back() : 0;
  double square = apart * mean;
  int64_t begin = 0;
  for (const WeightedRun& run : runs) {
    if (run.end == begin) continue;  // of no bin
    const double share = run.weight * (Below(run.end) - Below(begin));
    mean += share;
    square += run.weight * share;
    begin = run.end;
    least = std::min(least, run.weight);
    most = std::max(most, run.weight);
  }
  // Weights that are all the same say what is known.
  if (least == most) return {};
  const double error = std::sqrt(VarianceOf(variance_.Of(runs, apart), mean, square));
  return {.standard = error, .half_width = interval_.HalfWidth(error, most - least)};
}

CountedNumbers::Error CountedNumbers::ErrorOfEach(absl::Span<const double> weights,
                                                  double added) const {
  auto [least, most] = std::minmax_element(weights.begin(), weights.end());
  double reach = *most - *least;
  if (missing_) reach = std::max(*most, 0.0) - std::min(*least, 0.0);
  double mean = 0, square = 0;
  for (size_t bin = 0; bin < weights.size(); ++bin) {
    mean += weights[bin] * shares_[bin];
    square += weights[bin] * weights[bin] * shares_[bin];
  }
  const double error = std::sqrt(VarianceOf(variance_.OfEach(weights), mean, square) + added);
  return {.standard = error, .half_width = interval_.HalfWidth(error, reach)};
}

}  // namespace tombola::collector
