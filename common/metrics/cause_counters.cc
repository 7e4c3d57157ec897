#include "common/metrics/cause_counters.h"

#include "common/base/retry_after.h"

namespace tombola {
namespace {

constexpr char kOther[] = "other";

absl::string_view CauseOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kInvalidArgument:
      return "malformed";
    case absl::StatusCode::kNotFound:
      return "unknown_task";
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnauthenticated:
      return "role";
    case absl::StatusCode::kFailedPrecondition:
      return "nothing_counted";
    default:
      return kOther;
  }
}

}  // namespace

CauseCounters::CauseCounters(Metrics& metrics, const std::string& name, const std::string& help,
                             const std::vector<std::string>& causes) {
  const auto add = [&](const std::string& cause) {
    counters_[cause] = &metrics.Counter(name, help, {{"cause", cause}});
  };
  for (const std::string& cause : causes) add(cause);
  add(kOther);
}

void CauseCounters::AddRefusal(const absl::Status& status) {
  const std::string cause = RefusalCause(status);
  Add(cause.empty() ? CauseOf(status.code()) : absl::string_view(cause));
}

prometheus::Counter& CauseCounters::Find(absl::string_view cause) const {
  const auto found = counters_.find(cause);
  return found == counters_.end() ? *counters_.at(kOther) : *found->second;
}

}  // namespace tombola
