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
#include "collector/answer/quantiles.h"
#include "collector/answer/record_counts.h"
#include "collector/answer/record_question.h"
#include "common/base/status_macros.h"
#include "common/kind/records.h"

namespace tombola::collector {
namespace {

constexpr int64_t kMostAnswerCells = int64_t{1} << 18;
// Of an attribute in a test of independence, which takes the third power of them.
constexpr int64_t kMostIndependent = 256;
constexpr int64_t kIndependenceBytes = int64_t{1} << 24;  // of the matrices
constexpr size_t kMostNamedViews = 8;                     // in a refusal
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
  const size_t named = std::min(cells.views.size(), kMostNamedViews);
  const std::string names = absl::StrJoin(absl::MakeConstSpan(cells.views).first(named), "; ",
                                          [&](std::string* out, const RecordsView& view) {
                                            absl::StrAppend(out, view.Describe(cells.schema));
                                          });
  return absl::InvalidArgumentError(absl::StrCat(
      "the task has no view with all that is asked for together; it has: ", names,
      named < cells.views.size()
          ? absl::StrCat("; and ", cells.views.size() - named, " others, which the task shows")
          : ""));
}

// InvalidArgument where a test of independence would take too long.
absl::Status CheckIndependent(const RecordSchema& schema, const RecordsView& view,
                              const RecordQuestion& question) {
  if (!question.independence) return absl::OkStatus();
  for (const size_t attribute : question.by) {
    const int64_t size = view.sizes[*view.PlaceOf(attribute)];
    if (size <= kMostIndependent) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "independence: ", schema.attributes[attribute].name, " has ", size,
        " values where they are counted together; at most ", kMostIndependent, " can be tested"));
  }
  return absl::OkStatus();
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
    if (!question_.fractions.empty() && StandsOut(body->count())) FillQuantiles(whole.count, body);
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

  void FillQuantiles(double all, v1::Aggregates* body) const {
    const std::vector<RecordSum> below = counts_.Below(weights_, by_[0]);
    const Bins& bins = *cells_.schema.attributes[question_.by[0]].bins;
    double low = bins.low(), high = bins.high();
    for (const RecordCondition& condition : question_.where) {
      if (condition.attribute != question_.by[0]) continue;
      low = condition.low;
      high = condition.high;
    }
    const Quantiles quantiles(
        view_.sizes[by_[0]],
        [&](int64_t edge) {
          const RecordSum& sum = below[static_cast<size_t>(edge) - 1];
          const double variance =
              noise_.variance() * static_cast<double>(view_.levels) * sum.count_factor;
          return ShareBelow{.share = sum.count / all,
                            .error = std::sqrt(std::max(0.0, variance)) / all,
                            .half_width = noise_.HalfWidth(variance, 1) / all};
        },
        // Of values that the conditions cut what they leave.
        [&](int64_t edge) {
          const double at = edge == view_.sizes[by_[0]]
                                ? bins.high()
                                : bins.Edge(view_.BinsOf(cells_.schema, by_[0], edge).begin);
          return std::clamp(at, low, high);
        });
    for (const double fraction : question_.fractions) {
      *body->add_quantiles() = quantiles.At(fraction);
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
  return 200 * cells.cells + (question.independence ? kIndependenceBytes : 0) +
         kAnswerCellBytes * (most + request.records().fractions_size());
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
  TOMBOLA_RETURN_IF_ERROR(CheckIndependent(cells.schema, *view, question));
  const auto counts = absl::MakeConstSpan(evidence.counts.tables.front().counts);
  v1::Aggregates* const body = answer->mutable_records();
  *body->mutable_where() = request.records().where();
  body->set_measure(request.records().measure());
  *body->mutable_by() = request.records().by();
  *body->mutable_fractions() = request.records().fractions();
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
