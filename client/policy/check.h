// The device's own policy against what it is offered.
#ifndef TOMBOLA_CLIENT_POLICY_CHECK_H_
#define TOMBOLA_CLIENT_POLICY_CHECK_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "common/task/key_list.h"
#include "common/task/task.h"
#include "tombola/policy.h"

namespace tombola::client {

// InvalidArgument: a field of the policy is unset or out of its bounds.
absl::Status CheckPolicy(const Policy& policy);

// FailedPrecondition names what of the task is weaker than which field of the policy, and both
// numbers.
// The task's target is not taken at its word: the accountant computes what its parameters give for
// its smallest batch, and what all submissions of a device amount to. Of a stream what one
// submission amounts to is for CheckPeriod.
absl::Status CheckTask(const Task& task, const Policy& policy);

// FailedPrecondition: a stream does not give a submission of this period what it promises, over all
// nodes that it says something in. It composes their losses, which takes some milliseconds for each
// of them. OK for every other task: CheckTask has looked at it.
absl::Status CheckPeriod(const Task& task, uint64_t period);

// The keys for a submission of this part that is made now, one for each of Task::PartsOf.
//
// A period keeps the key that was active when it began, if that is to be had until the period
// closes: where keys are rotated in between its submissions would else be two batches, each perhaps
// too small to leave. A stream's nodes have keys of their own. FailedPrecondition: no key is valid
// now, or none of a node in the period.
absl::StatusOr<std::vector<HpkeKey>> KeysFor(const Task& task, const KeyList& keys, uint64_t part,
                                             absl::Time now);

// FailedPrecondition: the list is older than the one seen before or has its serial and other keys,
// or a key to be used (KeysFor) lives shorter than the task's interval or, of a node, than the
// node, and could single devices out.
absl::Status CheckKeys(const KeyList& keys, absl::Span<const HpkeKey> used,
                       const KeyListVersion& seen, const Task& task);

// How far a list may be ahead of the device's clock.
inline constexpr absl::Duration kMostAhead = absl::Hours(1);

// Unavailable: the list was signed longer ago than the task allows, or in the future. Newer ones
// are being held back, the shuffler is cut off from the collector, or the device's own clock is
// wrong: it cannot tell, and says nothing until that is over.
absl::Status CheckAge(const KeyList& keys, const Task& task, absl::Time now);

}  // namespace tombola::client

#endif  // TOMBOLA_CLIENT_POLICY_CHECK_H_
