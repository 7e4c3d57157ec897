// The device's own policy against what it is offered.
#ifndef TOMBOLA_CLIENT_POLICY_CHECK_H_
#define TOMBOLA_CLIENT_POLICY_CHECK_H_

#include "absl/status/status.h"
#include "common/task/key_list.h"
#include "common/task/task.h"
#include "tombola/policy.h"

namespace tombola::client {

// InvalidArgument: a field of the policy is unset or out of its bounds.
absl::Status CheckPolicy(const Policy& policy);

// FailedPrecondition names the field in which the task is weaker than the policy, and both numbers.
// The task's target is not taken at its word: the accountant computes what its parameters give for
// its smallest batch.
absl::Status CheckTask(const Task& task, const Policy& policy);

// FailedPrecondition: the list is older than one seen before, or the key to be used lives shorter
// than the task's interval and could single devices out.
absl::Status CheckKeys(const KeyList& keys, const HpkeKey& active, uint64_t last_serial,
                       const Task& task);

}  // namespace tombola::client

#endif  // TOMBOLA_CLIENT_POLICY_CHECK_H_
