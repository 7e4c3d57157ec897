// The shuffler's own reports, for mechanisms that want some in every batch.
#ifndef TOMBOLA_SHUFFLER_RELEASE_FAKES_H_
#define TOMBOLA_SHUFFLER_RELEASE_FAKES_H_

#include <memory>

#include "absl/status/statusor.h"
#include "common/random/random_source.h"
#include "common/task/key_list.h"
#include "common/task/task.h"
#include "shuffler/release/batch_release.h"

namespace tombola::shuffler {

// As many uniform reports of this part as the task's mechanism wants, sealed to the key like a
// device's, so that nobody, the collector included, can tell them from one. `random` must outlive
// what is returned. One X25519 key pair and exchange each. InvalidArgument: the key cannot be
// sealed to.
absl::StatusOr<FakeReports> MakeFakes(std::shared_ptr<const Task> task, const HpkeKey& key,
                                      uint64_t part, RandomSource& random);

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_RELEASE_FAKES_H_
