#include "cli/simulation/record_trials.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "absl/types/span.h"
#include "cli/simulation/distributions.h"
#include "cli/simulation/draw_counts.h"
#include "cli/simulation/item_trials.h"
#include "cli/simulation/number_experiment.h"
#include "collector/answer/record_counts.h"
#include "common/base/status_macros.h"
#include "common/ranges/range_variance.h"
#include "common/table/count_model.h"

namespace tombola::simulation {
namespace {

using collector::RecordCounts;
using collector::RecordSum;
using mechanism::CountModel;
using Of = RecordError::Of;
using What = RecordError::What;

double CentralScale(const RecordCounting& counting, const RecordData& data) {
  return 2 * static_cast<double>(data.cells().filling.held) / counting.epsilon;
}

CountModel RecordModel(const RecordCounting& counting, const RecordData& data) {
  if (counting.mechanism != nullptr) return counting.mechanism->count_model();
  const double scale = CentralScale(counting, data);
  return {.support = {.holder = 1, .separation = 1},
          .noise_variance = 2 * scale * scale / static_cast<double>(data.users())};
}

std::vector<int64_t> CountCells(const RecordCounting& counting, const RecordData& data,
                                bool devices, Generator& random) {
  if (counting.mechanism == nullptr) {
    std::vector<int64_t> counts = data.DrawFilled(random);
    const double scale = CentralScale(counting, data);
    for (int64_t& count : counts) count += std::llround(Laplace(scale, random));
    return counts;
  }
  return devices ? RunRecordDevices(counting.mechanism, data, random)
                 : DrawCounts(*counting.mechanism, data.DrawFilled(random), random);
}

// The sums of a view: of every leaf, and of all of them.
struct ViewSums {
  std::vector<RecordSum> leaves;
  RecordSum whole;
};

ViewSums SumsOf(const RecordData& data, const RecordsView& view, absl::Span<const int64_t> counts,
                const CountModel& model) {
  const RecordCounts of_view(data.cells(), view, counts, model, {.submissions = data.users()});
  std::vector<std::vector<double>> ones;
  for (const int64_t size : view.sizes) ones.emplace_back(static_cast<size_t>(size), 1.0);
  std::vector<size_t> every(view.sizes.size());
  std::iota(every.begin(), every.end(), size_t{0});
  return {.leaves = of_view.Sums(ones, every), .whole = of_view.Sums(ones, {}).front()};
}

// A view's measure, of which sums are told from the middle of its range.
struct MeasureScale {
  const Levels* levels = nullptr;  // null where it has none
  double middle = 0;
  double squares = 0;  // of the levels, about the middle

  MeasureScale(const RecordCells& cells, const RecordsView& view) {
    if (!view.measure.has_value()) return;
    levels = &cells.schema.measures[*view.measure].levels;
    middle = levels->low + (levels->high - levels->low) / 2;
    for (int64_t level = 0; level < levels->count; ++level) {
      squares += std::pow(levels->At(level) - middle, 2);
    }
  }

  double SumOf(const RecordSum& sum) const { return middle * sum.count + sum.moved; }
  double AverageOf(const RecordSum& sum) const {
    return sum.count > 0 ? std::clamp(middle + sum.moved / sum.count, levels->low, levels->high)
                         : middle;
  }
};

// The mean squared errors of the answers about some records.
struct AnswerErrors {
  double count = 0, sum = 0, average = 0;
  bool averages = false;  // whether the average is worth a look
};

AnswerErrors PredictAnswer(const RecordMoments& truth, const RecordSum& factors,
                           const RecordsView& view, const MeasureScale& measure,
                           double cell_variance) {
  const double count_noise =
      cell_variance * static_cast<double>(view.levels) * factors.count_factor;
  const double moved_noise = cell_variance * measure.squares * factors.moved_factor;
  const double unsaid = truth.said_count - truth.count;
  const double unsaid_sum = truth.said_sum - truth.sum;
  AnswerErrors errors;
  errors.count = count_noise + truth.count_variance + unsaid * unsaid;
  errors.sum = measure.middle * measure.middle * count_noise + moved_noise + truth.rounded +
               truth.sum_variance + unsaid_sum * unsaid_sum;
  errors.averages = measure.levels != nullptr && truth.said_count > 0 &&
                    truth.said_count >= kMeanDeviations * std::sqrt(count_noise);
  if (!errors.averages) return errors;
  const double average = truth.said_sum / truth.said_count;
  const double off = average - measure.middle;
  const double biased = average - truth.sum / truth.count;
  errors.average = (moved_noise + off * off * count_noise + truth.rounded + truth.sum_variance -
                    2 * average * truth.covariance + average * average * truth.count_variance) /
                       (truth.said_count * truth.said_count) +
                   biased * biased;
  return errors;
}

// The same of what one batch says.
AnswerErrors MeasureAnswer(const RecordMoments& truth, const RecordSum& said,
                           const MeasureScale& measure) {
  AnswerErrors errors;
  errors.count = std::pow(said.count - truth.count, 2);
  if (measure.levels == nullptr) return errors;
  errors.sum = std::pow(measure.SumOf(said) - truth.sum, 2);
  errors.average = std::pow(measure.AverageOf(said) - truth.sum / truth.count, 2);
  return errors;
}

bool HasRanges(const RecordData& data, const RecordsView& view) {
  const RecordSchema& schema = data.cells().schema;
  return schema.max_alike == schema.max_records && view.attributes.size() == 1 &&
         schema.attributes[view.attributes[0]].bins.has_value();
}

// Records in leaves, for each device.
std::vector<double> PerDevice(absl::Span<const RecordMoments> leaves, double RecordMoments::*count,
                              double users) {
  std::vector<double> shares;
  for (const RecordMoments& leaf : leaves) shares.push_back(leaf.*count / users);
  return shares;
}

double PredictRanges(const RecordData& data, size_t place, double node_variance) {
  const RecordsView& view = data.cells().views[place];
  const ViewMoments& moments = data.views()[place];
  const double users = static_cast<double>(data.users());
  const std::vector<double> ones(static_cast<size_t>(view.tree.levels()), 1.0);
  const double noise = node_variance * RangeVariance(view.tree, ones).OverAllRanges();
  return (noise + moments.range_variance) / (users * users) +
         RangeError(PerDevice(moments.leaves, &RecordMoments::said_count, users),
                    PerDevice(moments.leaves, &RecordMoments::count, users));
}

double MeanOver(double sum, int64_t answers) {
  return answers > 0 ? sum / static_cast<double>(answers) : 0;
}

// Adds what there is of one view.
void PredictView(const RecordData& data, size_t place, absl::Span<const int64_t> nothing,
                 const CountModel& model, RecordPrediction* prediction) {
  const RecordsView& view = data.cells().views[place];
  const ViewMoments& moments = data.views()[place];
  const MeasureScale measure(data.cells(), view);
  const ViewSums factors = SumsOf(data, view, nothing, model);
  const double users = static_cast<double>(data.users());
  const double variance =
      mechanism::EstimateVariance(model, {.submissions = data.users()}, /*frequency=*/0) * users *
      users;
  const auto add = [&](Of of, What what, int64_t answers, double predicted) {
    prediction->errors.push_back(
        {.view = place, .of = of, .what = what, .answers = answers, .predicted = predicted});
  };
  std::vector<size_t>& averaged = prediction->averaged.emplace_back();
  double counts = 0, sums = 0, averages = 0;
  for (size_t leaf = 0; leaf < moments.leaves.size(); ++leaf) {
    const AnswerErrors errors =
        PredictAnswer(moments.leaves[leaf], factors.leaves[leaf], view, measure, variance);
    counts += errors.count / (users * users);
    sums += errors.sum / (users * users);
    averages += errors.average;
    if (errors.averages) averaged.push_back(leaf);
  }
  prediction->cell_count += counts;
  const auto cells = static_cast<int64_t>(averaged.size());
  if (!view.attributes.empty()) {
    add(Of::kCells, What::kCount, view.leaves, MeanOver(counts, view.leaves));
    if (measure.levels != nullptr) {
      add(Of::kCells, What::kSum, view.leaves, MeanOver(sums, view.leaves));
    }
    if (cells > 0) add(Of::kCells, What::kAverage, cells, MeanOver(averages, cells));
  }
  if (HasRanges(data, view)) {
    add(Of::kRanges, What::kCount, view.leaves * (view.leaves + 1) / 2,
        PredictRanges(data, place, variance * static_cast<double>(view.levels)));
  }
  if (!moments.whole.has_value()) return;
  const AnswerErrors all = PredictAnswer(*moments.whole, factors.whole, view, measure, variance);
  add(Of::kAll, What::kCount, 1, all.count / (users * users));
  if (measure.levels != nullptr) add(Of::kAll, What::kSum, 1, all.sum / (users * users));
  if (all.averages) add(Of::kAll, What::kAverage, 1, all.average);
}

// What one batch says of a view.
class MeasuredView {
 public:
  MeasuredView(const RecordData& data, size_t place, absl::Span<const int64_t> counts,
               const CountModel& model)
      : moments_(data.views()[place]),
        measure_(data.cells(), data.cells().views[place]),
        users_(static_cast<double>(data.users())),
        sums_(SumsOf(data, data.cells().views[place], counts, model)) {}

  double Cells(What what, absl::Span<const size_t> averaged) const {
    double sum = 0;
    if (what == What::kAverage) {
      for (const size_t leaf : averaged) sum += Cell(leaf).average;
      return sum / static_cast<double>(averaged.size());
    }
    for (size_t leaf = 0; leaf < moments_.leaves.size(); ++leaf) {
      sum += what == What::kCount ? Cell(leaf).count : Cell(leaf).sum;
    }
    return sum / static_cast<double>(moments_.leaves.size()) / (users_ * users_);
  }

  double Ranges() const {
    std::vector<double> said;
    for (const RecordSum& sum : sums_.leaves) said.push_back(sum.count / users_);
    return RangeError(said, PerDevice(moments_.leaves, &RecordMoments::count, users_));
  }

  double All(What what) const {
    const AnswerErrors errors = MeasureAnswer(*moments_.whole, sums_.whole, measure_);
    if (what == What::kAverage) return errors.average;
    return (what == What::kCount ? errors.count : errors.sum) / (users_ * users_);
  }

 private:
  AnswerErrors Cell(size_t leaf) const {
    return MeasureAnswer(moments_.leaves[leaf], sums_.leaves[leaf], measure_);
  }

  const ViewMoments& moments_;
  MeasureScale measure_;
  double users_;
  ViewSums sums_;
};

double MeasureError(const MeasuredView& view, const RecordError& error,
                    absl::Span<const size_t> averaged) {
  switch (error.of) {
    case Of::kCells:
      return view.Cells(error.what, averaged);
    case Of::kRanges:
      return view.Ranges();
    case Of::kAll:
      break;
  }
  return view.All(error.what);
}

int64_t AllLeaves(const RecordData& data) {
  int64_t leaves = 0;
  for (const RecordsView& view : data.cells().views) leaves += view.leaves;
  return leaves;
}

}  // namespace

RecordPrediction PredictRecords(const RecordCounting& counting, const RecordData& data) {
  const CountModel model = RecordModel(counting, data);
  const std::vector<int64_t> nothing(static_cast<size_t>(data.cells().cells));
  RecordPrediction prediction;
  for (size_t view = 0; view < data.cells().views.size(); ++view) {
    PredictView(data, view, nothing, model, &prediction);
  }
  prediction.cell_count = MeanOver(prediction.cell_count, AllLeaves(data));
  return prediction;
}

absl::StatusOr<Mean> RunRecordTrials(const RecordCounting& counting, const RecordData& data,
                                     const TrialOptions& options, RecordPrediction* prediction) {
  const CountModel model = RecordModel(counting, data);
  const auto trials = static_cast<size_t>(std::max<int64_t>(options.trials, 0));
  std::vector<double> cell_counts(trials);
  std::vector<std::vector<double>> measured(prediction->errors.size(), std::vector<double>(trials));
  TOMBOLA_RETURN_IF_ERROR(ForEachTrial(options, [&](size_t trial, Generator& random) {
    const std::vector<int64_t> counts = CountCells(counting, data, options.devices, random);
    std::vector<MeasuredView> views;
    for (size_t place = 0; place < data.cells().views.size(); ++place) {
      views.emplace_back(data, place, counts, model);
      const auto leaves = static_cast<double>(data.cells().views[place].leaves);
      cell_counts[trial] += leaves * views.back().Cells(What::kCount, {});
    }
    cell_counts[trial] /= static_cast<double>(AllLeaves(data));
    for (size_t i = 0; i < measured.size(); ++i) {
      const RecordError& error = prediction->errors[i];
      measured[i][trial] = MeasureError(views[error.view], error, prediction->averaged[error.view]);
    }
    return absl::OkStatus();
  }));
  for (size_t i = 0; i < measured.size(); ++i) prediction->errors[i].measured = MeanOf(measured[i]);
  return MeanOf(cell_counts);
}

}  // namespace tombola::simulation
