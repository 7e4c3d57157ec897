// What an answer guarantees to a device whose reports are in it.
#ifndef TOMBOLA_COLLECTOR_QUERY_GUARANTEE_H_
#define TOMBOLA_COLLECTOR_QUERY_GUARANTEE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "common/base/mutex.h"
#include "common/task/task.h"

namespace tombola::collector {

// The fields of the same names in collector.proto: epsilon, delta and local_epsilon are composed
// over a device's submissions, the others are for one submission in a batch.
struct Guarantee {
  double epsilon = 0;
  double delta = 0;
  double local_epsilon = 0;  // infinity where the mechanism has none
  int64_t users = 0;
  std::string method;
  double batch_epsilon = 0;
  double epsilon_foreign_10 = 0;  // infinity where nothing holds then
  double epsilon_foreign_50 = 0;
  int64_t accounted_users = 0;
};

// The guarantee of an answer whose smallest batch has this many users: epsilon is the one of that
// batch, never of the total. Where a device may make k > 1 submissions, all of them might wait
// in one batch, so group privacy is stated: k epsilon and delta (e^{k epsilon} - 1)/(e^epsilon -
// 1), which covers any spread of them over batches too.
absl::StatusOr<Guarantee> GuaranteeFor(const Task& task, int64_t smallest_batch);

// Remembers what was computed: a guarantee takes three searches, an answer should not. Thread-safe.
class Guarantees {
 public:
  absl::StatusOr<Guarantee> For(const Task& task, int64_t smallest_batch);

 private:
  Mutex mutex_;
  absl::flat_hash_map<TaskId, std::pair<int64_t, Guarantee>> known_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_QUERY_GUARANTEE_H_
