// Which views of records are counted, and what each costs.
#ifndef TOMBOLA_COMMON_PLAN_RECORDS_H_
#define TOMBOLA_COMMON_PLAN_RECORDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/kind/records.h"
#include "common/mechanism/mechanism.h"
#include "common/plan/plan.h"
#include "tombola/v1/task.pb.h"

namespace tombola::mechanism {

// Expected messages of a submission that views are made coarser for, where a request has no cap.
inline constexpr double kUsualRecordMessages = 300;

// The views of a task for which some are asked: where a view says no `joined`, bins are joined to
// fewer, two by two and those of the largest view first, until a device's messages are expected to
// be within the request's cap; where it says no branching, a number by itself gets the tree with
// the least error over its ranges, counted with what its levels cost all views; where records say
// no max_alike, nothing is capped. Of the request domain_size and filling are not looked at.
// InvalidArgument naming the field of the request, or the member of a schema (common/json), and its
// bound. Pure.
absl::StatusOr<v1::Records> PlanViews(const v1::Records& asked, const PlanRequest& request);

// The mechanisms that count the cells of these views, as PlanAll says of all; those by which
// records cannot be counted are not feasible, nor, where neither one of them nor a cap on messages
// is asked for and another is left, those that usual devices would refuse.
absl::StatusOr<std::vector<Candidate>> PlanRecords(const RecordCells& cells,
                                                   const PlanRequest& request,
                                                   absl::string_view only = "");

// The best of them, which is one of `candidates`. FailedPrecondition: there is none, and why.
absl::StatusOr<const Candidate*> BestForRecords(const std::vector<Candidate>& candidates);

// What answers from one view are off by, in records, and what it takes.
struct ViewCost {
  std::string view;  // for people
  int64_t cells = 0;
  int64_t levels = 0;         // of its tree
  double share = 0;           // of the variance of every count that it is the cause of
  double messages = 0;        // of a device, its own and noise
  double cell_deviation = 0;  // of one cell's count, of a flat view
  // Of a tree: on average over ranges of its attribute; else of half of the cells.
  double range_deviation = 0;
  // Which share of the records such a range has where they are spread evenly: the root of the mean
  // square.
  double range_share = 0;
};
std::vector<ViewCost> CostsOf(const RecordCells& cells, const Mechanism& mechanism,
                              int64_t submissions);

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_PLAN_RECORDS_H_
