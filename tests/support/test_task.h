// A small valid task, with a way to change it, and the keys that it names.
#ifndef TOMBOLA_TESTS_SUPPORT_TEST_TASK_H_
#define TOMBOLA_TESTS_SUPPORT_TEST_TASK_H_

#include <functional>
#include <memory>
#include <vector>

#include "absl/time/time.h"
#include "common/crypto/ed25519_sign.h"
#include "common/task/task.h"
#include "tombola/v1/task.pb.h"

namespace tombola {

// The long-term keys of every test's collector and shuffler.
const crypto::SigningKey& TestCollectorKey();
const crypto::SigningKey& TestShufflerKey();

// When the test task begins; it lasts 30 days.
absl::Time TestTaskStart();

// local_hash over 20 values named v0 to v19, on a plane of 23 buckets with local epsilon 2 and
// target epsilon 3, so that the target holds for a batch of any size: 10 submissions are planned, 5
// are the smallest batch, the retry window is one hour, one submission a device.
v1::Task TestTaskProto();

// The same after `change`; aborts if the result is not valid.
std::shared_ptr<const Task> MakeTestTask(const std::function<void(v1::Task*)>& change = nullptr);

// Turns it into a stream: as many periods of a day as `start` has nodes (task.proto), counted by
// pure_dump with so much noise that 5 submissions of a period suffice, and 5 times a node's periods
// for the node.
void MakeStream(const std::vector<uint32_t>& start, v1::Task* task);

}  // namespace tombola

#endif  // TOMBOLA_TESTS_SUPPORT_TEST_TASK_H_
