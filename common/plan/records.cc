#include "common/plan/records.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/accounting/gaussian.h"
#include "common/base/status_macros.h"
#include "common/ranges/range_variance.h"
#include "common/table/count_model.h"
#include "common/table/domain_size.h"

namespace tombola::mechanism {
namespace {

// Fewer bins of a number are not worth joining.
constexpr int64_t kFewestBins = 4;
// Where fewer leaves are flat without a look.
constexpr int64_t kFewLeaves = 24;
constexpr int64_t kRangeEnds = 12;

// Averaged over ranges between some of the leaves' ends.
struct AverageOfRanges {
  double variance = 0;      // of the count, where that of a node is one
  double square_share = 0;  // of the leaves
};
AverageOfRanges AverageRange(const RangeTree& tree) {
  const std::vector<double> ones(static_cast<size_t>(tree.levels()), 1.0);
  const RangeVariance variance(tree, ones);
  AverageOfRanges sum;
  int64_t ranges = 0;
  for (int64_t i = 0; i < kRangeEnds; ++i) {
    for (int64_t j = i + 1; j <= kRangeEnds; ++j) {
      const int64_t begin = i * tree.leaves() / kRangeEnds;
      const int64_t end = j * tree.leaves() / kRangeEnds;
      if (begin >= end) continue;
      const double share = static_cast<double>(end - begin) / static_cast<double>(tree.leaves());
      sum.variance += variance.OfRange(begin, end);
      sum.square_share += share * share;
      ++ranges;
    }
  }
  const auto all = static_cast<double>(std::max<int64_t>(1, ranges));
  return {.variance = sum.variance / all, .square_share = sum.square_share / all};
}

// A view while it is planned.
struct Draft {
  v1::View* wire;
  std::vector<int64_t> sizes;  // of its attributes, whole
  std::vector<bool> joinable;  // whether bins of it may be joined
  bool joins_free = false;
  bool branching_free = false;
  int64_t levels_of_measure = 1;
  int64_t pads = 1;

  int64_t Size(size_t place) const {
    const auto joined = static_cast<int64_t>(wire->joined(static_cast<int>(place)));
    return (sizes[place] + joined - 1) / joined;
  }
  double Cells() const {
    double leaves = 1;
    for (size_t i = 0; i < sizes.size(); ++i) leaves *= static_cast<double>(Size(i));
    return (leaves + static_cast<double>(pads)) * static_cast<double>(levels_of_measure);
  }
  int64_t TreeLevels() const {
    return sizes.size() == 1 ? RangeTree(Size(0), wire->branching(), /*apart=*/true).levels() : 1;
  }
  // Joins the bins of its largest number; false if none is left to be joined.
  bool Coarsen() {
    size_t largest = sizes.size();
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (!joinable[i] || Size(i) <= kFewestBins) continue;
      if (largest == sizes.size() || Size(i) > Size(largest)) largest = i;
    }
    if (!joins_free || largest == sizes.size()) return false;
    const auto place = static_cast<int>(largest);
    wire->set_joined(place, 2 * wire->joined(place));
    return true;
  }
};

// A refusal by fields in the words of a schema, as people write it.
absl::Status InWordsOfSchemas(const absl::Status& status) {
  if (!absl::IsInvalidArgument(status)) return status;
  return absl::InvalidArgumentError(absl::StrCat(
      "schema: ", absl::StrReplaceAll(status.message(), {{"task.records.views", "questions"},
                                                         {"task.records.", ""},
                                                         {"task.levels.count", "levels"},
                                                         {"task.levels.low", "low"}})));
}

// What would take long to plan before it is refused.
absl::Status CheckViews(const v1::Records& asked) {
  if (asked.views().empty() || asked.views_size() > kMostViews) {
    return absl::InvalidArgumentError(absl::StrCat("task.records.views has ", asked.views_size(),
                                                   " of them; it must have 1 to ", kMostViews,
                                                   ": what can be asked"));
  }
  for (const v1::View& view : asked.views()) {
    if (view.attributes_size() <= kMostTogether) continue;
    return absl::InvalidArgumentError(absl::StrCat("task.records.views.attributes has ",
                                                   view.attributes_size(), " of them; at most ",
                                                   kMostTogether, " can be asked for together"));
  }
  return absl::OkStatus();
}

absl::StatusOr<Draft> DraftOf(const RecordSchema& schema, v1::View* wire) {
  Draft draft{.wire = wire};
  draft.joins_free = wire->joined().empty();
  draft.branching_free = !wire->has_branching() && schema.max_alike == schema.max_records;
  draft.pads = schema.pads();
  if (wire->branching() == 1) {
    return absl::InvalidArgumentError("task.records.views.branching must be 0 or at least 2");
  }
  for (const uint32_t attribute : wire->attributes()) {
    if (attribute >= schema.attributes.size()) {
      return absl::InvalidArgumentError(
          "task.records.views.attributes must be places of attributes");
    }
    draft.sizes.push_back(schema.attributes[attribute].size());
    draft.joinable.push_back(schema.attributes[attribute].bins.has_value());
    if (draft.joins_free) wire->add_joined(1);
  }
  if (wire->has_measure() && wire->measure() < schema.measures.size()) {
    draft.levels_of_measure = schema.measures[wire->measure()].levels.count;
  }
  if (!wire->has_branching()) wire->set_branching(0);
  return draft;
}

// Joins bins until the messages are as few as they should be with so many levels of all trees.
void JoinBins(const RecordSchema& schema, const PlanRequest& request, double theta, double levels,
              std::vector<Draft>* drafts) {
  const double cap =
      std::isfinite(request.max_messages) ? request.max_messages : kUsualRecordMessages;
  const double most = static_cast<double>(schema.max_records);
  const double noise = 2 * levels * most * static_cast<double>(schema.max_alike) / (theta * theta);
  while (true) {
    double cells = 0;
    Draft* largest = nullptr;
    for (Draft& draft : *drafts) {
      cells += draft.Cells();
      if (largest == nullptr || draft.Cells() > largest->Cells()) largest = &draft;
    }
    const double messages = most * levels + cells * noise / static_cast<double>(request.honest);
    if (messages <= cap && cells <= static_cast<double>(kLargestDomain)) return;
    std::vector<Draft*> by_size;
    for (Draft& draft : *drafts) by_size.push_back(&draft);
    std::stable_sort(by_size.begin(), by_size.end(),
                     [](const Draft* a, const Draft* b) { return a->Cells() > b->Cells(); });
    if (std::none_of(by_size.begin(), by_size.end(),
                     [](Draft* draft) { return draft->Coarsen(); })) {
      return;
    }
  }
}

// The tree with the least product of all views' variances: a level is noise for the others too.
void ChooseBranching(size_t views, Draft* draft) {
  if (!draft->branching_free || draft->sizes.size() != 1 || !draft->joinable[0]) return;
  const int64_t leaves = draft->Size(0);
  draft->wire->set_branching(0);
  if (leaves < kFewLeaves) return;
  const auto root = static_cast<int64_t>(std::ceil(std::sqrt(static_cast<double>(leaves))));
  double least = 0;
  for (const int64_t branching : {int64_t{0}, root, int64_t{16}, int64_t{8}, int64_t{4}}) {
    const RangeTree tree(leaves, branching, /*apart=*/true);
    const double levels = static_cast<double>(views - 1) + static_cast<double>(tree.levels());
    const double error = std::pow(levels, static_cast<double>(views)) * AverageRange(tree).variance;
    if (least == 0 || error < least) {
      least = error;
      draft->wire->set_branching(static_cast<uint32_t>(branching));
    }
  }
}

void Refuse(std::string reason, Candidate* candidate) {
  candidate->feasible = false;
  candidate->mechanism = nullptr;
  candidate->mse = std::numeric_limits<double>::infinity();
  candidate->reason = std::move(reason);
}

// What most devices would refuse, where there is something else.
void RefuseUnusual(std::vector<Candidate>* candidates) {
  const auto counts = [](const Candidate& of) { return of.feasible && !of.central; };
  if (std::none_of(candidates->begin(), candidates->end(), [&](const Candidate& of) {
        return counts(of) && RefusedByUsualDevices(*of.mechanism).empty();
      })) {
    return;
  }
  for (Candidate& candidate : *candidates) {
    if (!counts(candidate)) continue;
    std::string reason = RefusedByUsualDevices(*candidate.mechanism);
    if (!reason.empty()) Refuse(std::move(reason), &candidate);
  }
}

absl::StatusOr<v1::Records> PlanAsked(const v1::Records& asked, const PlanRequest& request,
                                      double theta) {
  v1::Records planned = asked;
  TOMBOLA_RETURN_IF_ERROR(CheckViews(planned));
  if (planned.max_alike() == 0) planned.set_max_alike(planned.max_records());
  TOMBOLA_ASSIGN_OR_RETURN(const RecordSchema schema, RecordSchema::Read(planned));
  std::vector<Draft> drafts;
  for (v1::View& view : *planned.mutable_views()) {
    TOMBOLA_ASSIGN_OR_RETURN(Draft draft, DraftOf(schema, &view));
    drafts.push_back(std::move(draft));
  }
  // What is the planner's may be too fine yet.
  for (const Draft& draft : drafts) {
    if (draft.joins_free) continue;
    TOMBOLA_RETURN_IF_ERROR(RecordsView::Read(schema, *draft.wire).status());
  }
  // More levels need more noise, and that fewer cells, of which trees have no more levels.
  double levels = 0;
  double chosen = static_cast<double>(drafts.size());
  while (chosen > levels) {
    levels = chosen;
    JoinBins(schema, request, theta, levels, &drafts);
    chosen = 0;
    for (Draft& draft : drafts) {
      ChooseBranching(drafts.size(), &draft);
      chosen += static_cast<double>(draft.TreeLevels());
    }
  }
  TOMBOLA_RETURN_IF_ERROR(RecordCells::Read(planned).status());
  return planned;
}

}  // namespace

absl::StatusOr<v1::Records> PlanViews(const v1::Records& asked, const PlanRequest& request) {
  TOMBOLA_ASSIGN_OR_RETURN(const double theta,
                           accounting::GaussianTheta(request.epsilon, request.delta));
  absl::StatusOr<v1::Records> planned = PlanAsked(asked, request, theta);
  if (planned.ok()) return planned;
  return InWordsOfSchemas(planned.status());
}

absl::StatusOr<std::vector<Candidate>> PlanRecords(const RecordCells& cells,
                                                   const PlanRequest& request,
                                                   absl::string_view only) {
  PlanRequest with = request;
  with.domain_size = cells.cells;
  with.filling = cells.filling;
  TOMBOLA_ASSIGN_OR_RETURN(std::vector<Candidate> candidates, PlanAll(with, only));
  for (Candidate& candidate : candidates) {
    if (!candidate.feasible || candidate.central || CountsRecords(*candidate.mechanism)) continue;
    Refuse(absl::StrCat(candidate.name, " does not count records"), &candidate);
  }
  if (only.empty() && !std::isfinite(request.max_messages)) RefuseUnusual(&candidates);
  return candidates;
}

absl::StatusOr<const Candidate*> BestForRecords(const std::vector<Candidate>& candidates) {
  const Candidate* const best = Recommended(candidates, Left::kAnything);
  if (best != nullptr) return best;
  std::string reasons;
  for (const Candidate& candidate : candidates) {
    if (!candidate.feasible) {
      absl::StrAppend(&reasons, "; ", candidate.name, ": ", candidate.reason);
    }
  }
  return absl::FailedPreconditionError(absl::StrCat("no mechanism meets the target", reasons));
}

std::vector<ViewCost> CostsOf(const RecordCells& cells, const Mechanism& mechanism,
                              int64_t submissions) {
  const double n = static_cast<double>(submissions);
  const double variance =
      EstimateVariance(mechanism.count_model(), {.submissions = submissions}, /*frequency=*/0) * n *
      n;
  const double noise =
      mechanism.expected_reports_per_submission() - static_cast<double>(mechanism.filling().sent);
  const double levels =
      static_cast<double>(mechanism.filling().held) / static_cast<double>(cells.schema.max_records);
  std::vector<ViewCost> costs;
  for (const RecordsView& view : cells.views) {
    const double share = static_cast<double>(view.tree.levels()) / levels;
    const double of_node = variance * static_cast<double>(view.levels);
    const std::vector<double> ones(static_cast<size_t>(view.tree.levels()), 1.0);
    const RangeVariance tree(view.tree, ones);
    const int64_t half = (view.leaves + 1) / 2;
    AverageOfRanges range = {
        .variance = tree.OfRange(0, half),
        .square_share = std::pow(static_cast<double>(half) / static_cast<double>(view.leaves), 2)};
    if (view.tree.levels() > 1) range = AverageRange(view.tree);
    costs.push_back(
        {.view = view.Describe(cells.schema),
         .cells = view.cells(),
         .levels = view.tree.levels(),
         .share = share,
         .messages = static_cast<double>(mechanism.filling().sent) * share +
                     noise * static_cast<double>(view.cells()) / static_cast<double>(cells.cells),
         .cell_deviation = std::sqrt(of_node * tree.OfRange(0, 1)),
         .range_deviation = std::sqrt(of_node * range.variance),
         .range_share = std::sqrt(range.square_share)});
  }
  return costs;
}

}  // namespace tombola::mechanism
