#include "collector/answer/records.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "collector/answer/independence.h"
#include "collector/answer/record_counts.h"
#include "collector/answer/record_question.h"
#include "common/base/status_macros.h"
#include "common/kind/records.h"

namespace tombola::collector {
namespace {

constexpr int64_t kMostAnswerCells = int64_t{1} << 18;
// Of a cell of an answer: its numbers as a message with its words, and as text.
constexpr int64_t kAnswerCellBytes = 2048;

using Weights = std::vector<std::vector<double>>;

Weights WeightsOf(const RecordSchema& schema, const RecordsView& view,
                  const RecordQuestion& question) {
  Weights weights;
  for (size_t place = 0; place < view.attributes.size(); ++place) {
    weights.push_back(question.Weights(schema, view, place));
  }
  return weights;
}

int64_t AnswerCells(const RecordsView& view, const RecordQuestion& question) {
  int64_t cells = 1;
  for (const size_t attribute : question.by) cells *= view.sizes[*view.PlaceOf(attribute)];
  return cells;
}

// How far off a view's answer is: the fewer cells are added up and the less of them is cut, the
// less. `records` is how many there may be.
double ErrorOf(const RecordsView& view, const Weights& weights, double cell_variance,
               double records) {
  double squares = 1;
  double cut = 0;
  double leaves = 1;
  for (const std::vector<double>& values : weights) {
    double of_values = 0;
    double partial = 0;
    for (const double weight : values) {
      of_values += weight * weight;
      if (weight > 0 && weight < 1) partial += 0.5;
    }
    squares *= of_values;
    cut += partial / static_cast<double>(values.size());
    leaves *= static_cast<double>(values.size());
  }
  // A range over a tree is a few nodes of each of its levels.
  const auto levels = static_cast<double>(view.tree.levels());
  if (levels > 1) {
    const double few = 2 * std::pow(leaves, 1 / levels);
    squares = std::min(squares, few);
  }
  const double bias = cut * records;
  return squares * static_cast<double>(view.levels) * cell_variance + bias * bias;
}

absl::StatusOr<const RecordsView*> ViewFor(const RecordCells& cells, const RecordQuestion& question,
                                           double cell_variance, double records) {
  const RecordsView* best = nullptr;
  std::pair<int64_t, double> best_rank;
  for (const RecordsView& view : cells.views) {
    if (!question.AnsweredBy(view)) continue;
    const std::pair<int64_t, double> rank = {
        -AnswerCells(view, question),
        ErrorOf(view, WeightsOf(cells.schema, view, question), cell_variance, records)};
    if (best == nullptr || rank < best_rank) {
      best = &view;
      best_rank = rank;
    }
  }
  if (best != nullptr) return best;
  return absl::InvalidArgumentError(
      absl::StrCat("the task has no view with all that is asked for together; it has: ",
                   absl::StrJoin(cells.views, "; ", [&](std::string* out, const RecordsView& view) {
                     absl::StrAppend(out, view.Describe(cells.schema));
                   })));
}

// The first value of a number at whose end the sums reach 0, and where in it a straight line does.
double Crossing(const std::vector<RecordSum>& below, double before_all,
                const std::function<double(size_t)>& edge) {
  double before = before_all;
  for (size_t value = 0; value < below.size(); ++value) {
    if (below[value].count >= 0) {
      const double rise = below[value].count - before;
      const double share = rise > 0 ? std::clamp(-before / rise, 0.0, 1.0) : 1;
      return edge(value) + share * (edge(value + 1) - edge(value));
    }
    before = std::max(before, below[value].count);
  }
  return edge(below.size());
}

// By inversion of the distribution function's interval: whole values at its ends.
v1::Estimate RecordQuantile(const RecordCounts& counts, const Weights& weights, size_t by,
                            double fraction, const CellNoise& noise, int64_t levels,
                            const std::function<double(size_t)>& edge) {
  const std::vector<RecordSum> below = counts.Below(weights, by, fraction);
  const auto variance = [&](size_t value) {
    return noise.variance() * static_cast<double>(levels) * below[value].count_factor;
  };
  double all = 0;
  for (const RecordSum& sum : counts.Sums(weights, {by})) all += sum.count;
  const double before = -fraction * std::max(0.0, all);
  v1::Estimate wire;
  wire.set_value(Crossing(below, before, edge));
  size_t low = 0;
  while (low < below.size() && below[low].count + noise.HalfWidth(variance(low), 1) < 0) {
    ++low;
  }
  size_t high = below.size();
  while (high > 0 && below[high - 1].count - noise.HalfWidth(variance(high - 1), 1) > 0) --high;
  wire.set_low(edge(std::min(low, below.size() - 1)));
  wire.set_high(edge(std::min(high + 1, below.size())));
  // Half of how far it moves between a standard error less and more.
  std::vector<RecordSum> less = below;
  std::vector<RecordSum> more = below;
  for (size_t value = 0; value < below.size(); ++value) {
    const double error = std::sqrt(variance(value));
    less[value].count -= error;
    more[value].count += error;
  }
  wire.set_standard_error(
      std::max(0.0, Crossing(less, before, edge) - Crossing(more, before, edge)) / 2);
  wire.set_low(std::min(wire.low(), wire.value()));
  wire.set_high(std::max(wire.high(), wire.value()));
  return wire;
}

void SetEstimates(RecordEstimates estimates, v1::Estimate* count,
                  const std::function<v1::Estimate*()>& sum,
                  const std::function<v1::Estimate*()>& average) {
  *count = std::move(estimates.count);
  if (estimates.sum.has_value()) *sum() = *std::move(estimates.sum);
  if (estimates.average.has_value()) *average() = *std::move(estimates.average);
}

// One view that answers a question.
class RecordsBody {
 public:
  RecordsBody(const RecordCells& cells, const RecordsView& view, const RecordQuestion& question,
              const RecordCounts& counts, const CellNoise& noise)
      : cells_(cells),
        view_(view),
        question_(question),
        counts_(counts),
        noise_(noise),
        weights_(WeightsOf(cells.schema, view, question)),
        measure_(question.measure.has_value() ? &cells.schema.measures[*question.measure].levels
                                              : nullptr) {
    for (const size_t attribute : question.by) by_.push_back(*view.PlaceOf(attribute));
  }

  void Fill(v1::Aggregates* body) const {
    const RecordSum whole = counts_.Sums(weights_, {}).front();
    SetEstimates(
        EstimatesOf(whole, noise_, view_.levels, measure_), body->mutable_count(),
        [&] { return body->mutable_sum(); }, [&] { return body->mutable_average(); });
    body->set_partial(whole.partial);
    body->set_counted(view_.Describe(cells_.schema));
    if (!question_.fractions.empty()) FillQuantiles(body);
    if (!by_.empty()) FillCells(body);
    if (question_.independence) FillIndependence(body);
  }

 private:
  void FillCells(v1::Aggregates* body) const {
    const std::vector<RecordSum> sums = counts_.Sums(weights_, by_);
    for (size_t group = 0; group < sums.size(); ++group) {
      v1::AggregateCell cell;
      auto rest = static_cast<int64_t>(group);
      std::vector<int64_t> values(by_.size());
      for (size_t i = by_.size(); i-- > 0;) {
        values[i] = rest % view_.sizes[by_[i]];
        rest /= view_.sizes[by_[i]];
      }
      bool within = true;
      for (size_t i = 0; i < by_.size(); ++i) {
        within = within && weights_[by_[i]][static_cast<size_t>(values[i])] > 0;
        *cell.add_values() = ValueOf(cells_.schema, view_, by_[i], values[i]);
      }
      if (!within) continue;
      SetEstimates(
          EstimatesOf(sums[group], noise_, view_.levels, measure_), cell.mutable_count(),
          [&] { return cell.mutable_sum(); }, [&] { return cell.mutable_average(); });
      *body->add_cells() = std::move(cell);
    }
  }

  // The noise of every cell is alike: other attributes weigh the same in all. That the counts were
  // made to agree with a known total moves all of them by the same, and makes them less noisy.
  void FillIndependence(v1::Aggregates* body) const {
    std::vector<double> cells;
    double variance = 0;
    for (const RecordSum& sum : counts_.Sums(weights_, by_)) {
      cells.push_back(sum.count);
      variance = noise_.variance() * static_cast<double>(view_.levels) * sum.moved_factor;
    }
    const auto test = TestIndependence(cells, view_.sizes[by_[0]], view_.sizes[by_[1]], variance);
    if (!test.has_value()) return;
    body->mutable_independence()->set_statistic(test->statistic);
    body->mutable_independence()->set_degrees_of_freedom(test->degrees_of_freedom);
    body->mutable_independence()->set_p_value(test->p_value);
  }

  void FillQuantiles(v1::Aggregates* body) const {
    const Bins& bins = *cells_.schema.attributes[question_.by[0]].bins;
    const auto edge = [&](size_t value) {
      const int64_t last = view_.sizes[by_[0]];
      const auto at = static_cast<int64_t>(value);
      return at == last ? bins.high() : bins.Edge(view_.BinsOf(cells_.schema, by_[0], at).begin);
    };
    for (const double fraction : question_.fractions) {
      body->add_fractions(fraction);
      *body->add_quantiles() =
          RecordQuantile(counts_, weights_, by_[0], fraction, noise_, view_.levels, edge);
    }
  }

  const RecordCells& cells_;
  const RecordsView& view_;
  const RecordQuestion& question_;
  const RecordCounts& counts_;
  const CellNoise& noise_;
  Weights weights_;
  const Levels* measure_;
  std::vector<size_t> by_;
};

// Any view tells how many records there are; this one best.
const RecordsView& ViewOfAll(const RecordCells& cells) {
  const auto cost = [](const RecordsView& view) {
    return std::tuple(view.levels, view.tree.levels() == 1, view.tree.leaves());
  };
  const RecordsView* best = &cells.views.front();
  for (const RecordsView& view : cells.views) {
    if (view.attributes.empty() && view.levels <= best->levels) return view;
    if (cost(view) < cost(*best)) best = &view;
  }
  return *best;
}

}  // namespace

absl::StatusOr<int64_t> RecordsAnswerer::Bytes(const Task& task,
                                               const v1::GetAnswerRequest& request,
                                               AnswerForm) const {
  const RecordCells& cells = static_cast<const RecordsKind&>(task.kind()).cells();
  TOMBOLA_ASSIGN_OR_RETURN(const RecordQuestion question,
                           RecordQuestion::Read(cells.schema, request.records()));
  int64_t most = 0;
  for (const RecordsView& view : cells.views) {
    if (question.AnsweredBy(view)) most = std::max(most, AnswerCells(view, question));
  }
  if (most > kMostAnswerCells) {
    return absl::InvalidArgumentError(
        absl::StrCat("the answer would have ", most, " cells; it may have ", kMostAnswerCells));
  }
  return 200 * cells.cells + kAnswerCellBytes * (most + request.records().fractions_size());
}

absl::Status RecordsAnswerer::Fill(const Evidence& evidence, const v1::GetAnswerRequest& request,
                                   Postprocess postprocess, v1::Answer* answer) const {
  if (postprocess != Postprocess::kNone) {
    return absl::InvalidArgumentError(
        "postprocess must be none: counts of records are shown as they were estimated");
  }
  const auto& kind = static_cast<const RecordsKind&>(evidence.task.kind());
  const RecordCells& cells = kind.cells();
  TOMBOLA_ASSIGN_OR_RETURN(const RecordQuestion question,
                           RecordQuestion::Read(cells.schema, request.records()));
  const mechanism::CountModel model = kind.tables()[0]->count_model();
  const CellNoise noise(model, evidence.tally, 1 - request.confidence());
  const double records = static_cast<double>(evidence.tally.submissions) *
                         static_cast<double>(cells.schema.max_records);
  TOMBOLA_ASSIGN_OR_RETURN(const RecordsView* const view,
                           ViewFor(cells, question, noise.variance(), records));
  const auto counts = absl::MakeConstSpan(evidence.counts.tables.front().counts);
  v1::Aggregates* const body = answer->mutable_records();
  *body->mutable_where() = request.records().where();
  body->set_measure(request.records().measure());
  *body->mutable_by() = request.records().by();
  const RecordCounts of_view(cells, *view, counts, model, evidence.tally);
  RecordsBody(cells, *view, question, of_view, noise).Fill(body);
  const RecordsView& whole = ViewOfAll(cells);
  *body->mutable_records() =
      EstimatesOf(RecordCounts(cells, whole, counts, model, evidence.tally).All(), noise,
                  whole.levels, nullptr)
          .count;
  return absl::OkStatus();
}

}  // namespace tombola::collector
