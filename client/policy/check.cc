#include "client/policy/check.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "common/base/decimal.h"
#include "common/base/status_macros.h"
#include "common/task/whole_life.h"

namespace tombola::client {
namespace {

absl::Status Unset(absl::string_view field, absl::string_view bound) {
  return absl::InvalidArgumentError(absl::StrCat("policy.", field, " must be ", bound));
}

absl::Status Weaker(absl::string_view what, double offered, absl::string_view field,
                    double demanded) {
  return absl::FailedPreconditionError(
      absl::StrCat("the task is weaker than the device's policy: ", what, " is ",
                   RoundedUp(offered, 6), ", policy.", field, " is ", RoundedDown(demanded, 6)));
}

// In which a submission may be.
int64_t SmallestBatch(const Task& task) {
  if (task.nodes() == nullptr) return task.batch_policy().smallest_batch;
  int64_t smallest = task.SmallestBatchOf(1);
  for (int64_t node = 2; node <= task.nodes()->count(); ++node) {
    smallest = std::min(smallest, task.SmallestBatchOf(static_cast<uint64_t>(node)));
  }
  return smallest;
}

absl::Status CheckPromise(const absl::StatusOr<double>& delta, const Task& task,
                          absl::string_view where) {
  TOMBOLA_RETURN_IF_ERROR(delta.status());
  if (*delta <= task.target().delta) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "the task's parameters do not give what it promises: at its epsilon ", where, " has delta ",
      RoundedUp(*delta, 6), ", and it promises ", RoundedDown(task.target().delta, 6)));
}

// A stream is read only if its nodes leave with the honest submissions that they are sized for, and
// what it gives is up to the period.
absl::Status CheckSmallestBatch(const Task& task) {
  if (task.nodes() != nullptr) return absl::OkStatus();
  const int64_t honest = task.Honest(task.batch_policy().smallest_batch);
  if (honest < 1) {
    return absl::FailedPreconditionError(
        "the task's dishonest share leaves nobody honest in its smallest batch");
  }
  if (const auto sized = task.scheme()->parameters().honest; sized.value_or(0) > honest) {
    return absl::FailedPreconditionError(
        absl::StrCat("the task's noise is sized for ", *sized,
                     " honest submissions, more than its smallest batch is sure to have"));
  }
  return CheckPromise(task.scheme()->Delta(honest, task.target().epsilon), task,
                      "its smallest batch");
}

}  // namespace

absl::Status CheckPolicy(const Policy& policy) {
  // Written so that NaN is refused too.
  if (!(policy.max_epsilon > 0)) return Unset("max_epsilon", "set, above 0");
  if (!(policy.max_delta > 0 && policy.max_delta < 1)) return Unset("max_delta", "set, in (0, 1)");
  if (!(policy.max_total_epsilon > 0)) {
    return Unset("max_total_epsilon", "set, above 0 (infinity accepts every task)");
  }
  if (!(policy.max_total_delta > 0 && policy.max_total_delta <= 1)) {
    return Unset("max_total_delta", "set, in (0, 1] (1 accepts every task)");
  }
  if (!(policy.max_local_epsilon > 0)) {
    return Unset("max_local_epsilon", "set, above 0 (infinity accepts every mechanism)");
  }
  if (policy.min_batch < 2) return Unset("min_batch", "set, at least 2");
  if (policy.max_submissions < 1) return Unset("max_submissions", "at least 1");
  if (policy.max_reports < 1) return Unset("max_reports", "at least 1");
  if (!policy.collector_key.empty() && policy.collector_key.size() != 32) {
    return Unset("collector_key", "32 bytes, or empty");
  }
  if (!policy.shuffler_key.empty() && policy.shuffler_key.size() != 32) {
    return Unset("shuffler_key", "32 bytes, or empty");
  }
  return absl::OkStatus();
}

absl::Status CheckTask(const Task& task, const Policy& policy) {
  TOMBOLA_RETURN_IF_ERROR(CheckPolicy(policy));
  const Target& target = task.target();
  if (target.epsilon > policy.max_epsilon) {
    return Weaker("its epsilon for a batch", target.epsilon, "max_epsilon", policy.max_epsilon);
  }
  if (target.delta > policy.max_delta) {
    return Weaker("its delta for a batch", target.delta, "max_delta", policy.max_delta);
  }
  const double local_epsilon = task.scheme()->local_epsilon();
  if (!(local_epsilon <= policy.max_local_epsilon)) {
    return Weaker("its local epsilon", local_epsilon, "max_local_epsilon",
                  policy.max_local_epsilon);
  }
  if (const int64_t smallest = SmallestBatch(task); smallest < policy.min_batch) {
    return Weaker("its smallest batch", static_cast<double>(smallest), "min_batch",
                  static_cast<double>(policy.min_batch));
  }
  if (task.submissions_per_device() > policy.max_submissions) {
    return Weaker("the number of submissions a device may make",
                  static_cast<double>(task.submissions_per_device()), "max_submissions",
                  static_cast<double>(policy.max_submissions));
  }
  const int64_t reports = task.scheme()->max_reports_per_submission();
  if (reports > policy.max_reports) {
    return Weaker("the most messages of a submission", static_cast<double>(reports), "max_reports",
                  static_cast<double>(policy.max_reports));
  }
  if (!policy.collector_key.empty() && policy.collector_key != AsView(task.collector_key())) {
    return absl::UnauthenticatedError("the task names another collector than policy.collector_key");
  }
  if (!policy.shuffler_key.empty() && policy.shuffler_key != AsView(task.shuffler_key())) {
    return absl::UnauthenticatedError("the task names another shuffler than policy.shuffler_key");
  }
  TOMBOLA_RETURN_IF_ERROR(CheckSmallestBatch(task));
  // Last: what the product of several losses is takes the longest, if anybody asks for it.
  if (std::isinf(policy.max_total_epsilon) && policy.max_total_delta >= 1) return absl::OkStatus();
  const accounting::EpsilonDelta total = WholeLife(task);
  const std::string over = OverSubmissions(MostSubmissions(task));
  if (!(total.epsilon <= policy.max_total_epsilon)) {
    return Weaker(absl::StrCat("epsilon ", over), total.epsilon, "max_total_epsilon",
                  policy.max_total_epsilon);
  }
  if (!(total.delta <= policy.max_total_delta)) {
    return Weaker(absl::StrCat("delta ", over), total.delta, "max_total_delta",
                  policy.max_total_delta);
  }
  return absl::OkStatus();
}

absl::Status CheckPeriod(const Task& task, uint64_t period) {
  if (task.nodes() == nullptr) return absl::OkStatus();
  return CheckPromise(task.nodes()->PeriodDelta(period, task.target().epsilon), task,
                      absl::StrCat("a submission of period ", period));
}

absl::StatusOr<std::vector<HpkeKey>> KeysFor(const Task& task, const KeyList& keys, uint64_t part,
                                             absl::Time now) {
  std::vector<HpkeKey> used;
  if (task.nodes() != nullptr) {
    for (const uint64_t node : task.PartsOf(part)) {
      TOMBOLA_ASSIGN_OR_RETURN(HpkeKey key,
                               keys.NodeKeyAt(task.id(), node, task.periods()->Begins(part)));
      used.push_back(key);
    }
    return used;
  }
  if (task.periods().has_value()) {
    const auto first = keys.ActiveAt(task.periods()->Begins(part));
    if (first.ok() && first->closes >= task.periods()->Closes(part) &&
        first->not_after - first->not_before >= task.batch_policy().interval) {
      return std::vector<HpkeKey>{*first};
    }
  }
  TOMBOLA_ASSIGN_OR_RETURN(HpkeKey active, keys.ActiveAt(now));
  return std::vector<HpkeKey>{active};
}

absl::Status CheckKeys(const KeyList& keys, absl::Span<const HpkeKey> used,
                       const KeyListVersion& seen, const Task& task) {
  TOMBOLA_RETURN_IF_ERROR(CheckSuccessor(seen, keys.version()));
  for (const HpkeKey& key : used) {
    if (task.nodes() != nullptr) {
      const uint64_t first = task.nodes()->FirstPeriod(key.part);
      if (key.not_before > task.periods()->Begins(first) ||
          key.not_after < task.periods()->Ends(key.part)) {
        return absl::FailedPreconditionError(
            absl::StrCat("the collector's key for node ", key.part,
                         " is not for all of it; the stream may be closed"));
      }
    } else if (key.not_after - key.not_before < task.batch_policy().interval) {
      return absl::FailedPreconditionError(
          "the collector's key lives shorter than the task's interval");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckAge(const KeyList& keys, const Task& task, absl::Time now) {
  if (now - keys.issued() > task.key_list_age()) {
    return absl::UnavailableError(
        absl::StrCat("the collector's key list is ",
                     absl::FormatDuration(absl::Trunc(now - keys.issued(), absl::Seconds(1))),
                     " old, and the task allows ", absl::FormatDuration(task.key_list_age()),
                     ": the shuffler has no newer one, or this device's clock is wrong"));
  }
  if (keys.issued() - now > kMostAhead) {
    return absl::UnavailableError(
        "the collector's key list is from the future: is this device's clock right?");
  }
  return absl::OkStatus();
}

}  // namespace tombola::client
