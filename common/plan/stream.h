// Which structure, with which noise on its nodes, gives the most accurate totals of a stream.
#ifndef TOMBOLA_COMMON_PLAN_STREAM_H_
#define TOMBOLA_COMMON_PLAN_STREAM_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/mechanism/mechanism.h"
#include "common/plan/plan.h"
#include "common/stream/structure.h"

namespace tombola::mechanism {

enum class StreamStructure { kPlain, kFenwick, kBest };
// "plain", "fenwick", "best".
absl::string_view NameOf(StreamStructure structure);
// Nothing for another name.
std::optional<StreamStructure> StructureNamed(absl::string_view name);

// Points of accountants for one candidate: many seconds, for thousands of periods.
inline constexpr int64_t kStreamWork = int64_t{1} << 32;

struct StreamPlanRequest {
  // Of one period: honest submissions and all of them. A device says all cells that it fills. Its
  // frequency is that of the rarest value whose share matters, or 0: the counts of the very devices
  // matter, and not only what they say about others.
  PlanRequest plan;
  int64_t periods = 0;  // 1 to stream::kMostSearchedPeriods
  // Only this one; else all.
  std::optional<StreamStructure> structure;
  // Of another kind than values: grr, which does not say for certain what a device holds, is left
  // out.
  bool certain = false;
  // The most periods that a device takes part in, 1 to `periods`.
  int64_t device_periods = 1;
  // What is chosen has at most so many messages in a submission, if anything has: by default what
  // usual devices take.
  int64_t most_messages = kUsualMostReports;
};

struct StreamCandidate {
  std::string mechanism;
  StreamStructure structure = StreamStructure::kPlain;
  bool feasible = false;
  // Why it is not feasible; else empty.
  std::string reason;
  // Where feasible: the nodes, as many as periods.
  std::optional<stream::Structure> layout;
  std::vector<std::shared_ptr<const Mechanism>> nodes;
  size_t depth = 0;  // the most nodes over a period
  // Of the noise in a total's count of one cell, averaged over all cells: the mean over the totals,
  // the largest, and the mean of single periods. Predicted, for the request's submissions.
  double variance_mean = std::numeric_limits<double>::infinity();
  double variance_max = std::numeric_limits<double>::infinity();
  double variance_single = std::numeric_limits<double>::infinity();
  // Of a submission, averaged over the periods; and the most that any can be.
  double messages = 0;
  int64_t most_messages = 0;
};

// correlated, pure_dump and aue with every structure, and of one cell grr with plain periods; or
// what there is of the mechanism that is named. InvalidArgument names the request's field and its
// bound, and a mechanism that cannot count a stream; what is not feasible is a candidate with its
// reason. Seconds for a thousand periods; counted in plan.all_work, if that is not null.
absl::StatusOr<std::vector<StreamCandidate>> PlanStream(const StreamPlanRequest& request,
                                                        absl::string_view only = "");

// Of the noise in the count of one cell in each total, from the first on, for so many submissions a
// period. Of what is feasible.
std::vector<double> TotalVariances(const StreamCandidate& candidate, int64_t submissions);

// The candidate to take, and why, for people; null if none is feasible.
struct StreamChoice {
  const StreamCandidate* candidate = nullptr;
  std::string why;
};
// Plain periods where a tree does not help: where totals over time would be less accurate, where
// the sampling of devices outweighs the noise at the request's frequency, and where a device takes
// part in so many periods that a tree costs it more; else the least mean variance among what has at
// most request.most_messages.
StreamChoice ChooseStream(const std::vector<StreamCandidate>& candidates,
                          const StreamPlanRequest& request);

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_PLAN_STREAM_H_
