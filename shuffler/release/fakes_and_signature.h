// What a release takes keys for: the shuffler's own reports and its signature.
#ifndef TOMBOLA_SHUFFLER_RELEASE_FAKES_AND_SIGNATURE_H_
#define TOMBOLA_SHUFFLER_RELEASE_FAKES_AND_SIGNATURE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/crypto/ed25519_sign.h"
#include "common/random/random_source.h"
#include "common/task/key_list.h"
#include "common/task/manifest.h"
#include "common/task/task.h"
#include "shuffler/release/batch_release.h"

namespace tombola::shuffler {

// For mechanisms that want some in every batch: as many uniform reports of this part as the task's
// mechanism wants, sealed to the key like a device's, so that nobody, the collector included, can
// tell them from one. `random` must outlive what is returned. One X25519 key pair and exchange
// each. InvalidArgument: the key cannot be sealed to.
absl::StatusOr<FakeReports> MakeFakes(std::shared_ptr<const Task> task, const HpkeKey& key,
                                      uint64_t part, RandomSource& random);

// The bytes of a serialised tombola.v1.BatchHeader: the manifest and its signature.
std::string SignManifest(const Manifest& manifest, const crypto::SigningKey& key);

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_RELEASE_FAKES_AND_SIGNATURE_H_
