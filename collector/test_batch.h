// What the collector's tests share: sealed reports and signed batches.
#ifndef TOMBOLA_COLLECTOR_TEST_BATCH_H_
#define TOMBOLA_COLLECTOR_TEST_BATCH_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/strings/string_view.h"
#include "common/base/ids.h"
#include "common/crypto/ed25519_sign.h"
#include "common/crypto/hpke_open.h"
#include "common/random/random_source.h"
#include "common/task/task.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::collector {

// Runs SQL on a file as a stranger does, who keeps no account of it.
void ExecuteBehindItsBack(const std::string& path, const std::string& sql);

// The plaintext of a report of a plane task, whatever its fields.
std::string PlainReport(uint32_t function, uint32_t bucket);

// The plaintext that an honest device with this value draws: shuffled randomised response. The task
// is of the plane.
std::string DrawReport(const Task& task, uint64_t value, RandomSource& random);

// Seals as a device does. `key_id` is bound in; it need not be the key's own.
std::string Seal(const Task& task, const KeyId& key_id, absl::Span<const uint8_t> public_key,
                 absl::string_view plaintext, RandomSource& random, uint64_t part = 0);

// A delivery as the shuffler sends it.
struct SignedBatch {
  std::string manifest;
  std::string signature;
  std::string sealed_reports;
};

// A batch whose manifest, after `change`, is signed by `signer`: one submission a report, and the
// right sum of digests.
SignedBatch MakeBatch(const Task& task, const BatchId& batch, const KeyId& key,
                      std::string sealed_reports,
                      const std::function<void(v1::Manifest*)>& change = nullptr);
SignedBatch MakeBatchSignedBy(const crypto::SigningKey& signer, const Task& task,
                              const BatchId& batch, const KeyId& key, std::string sealed_reports,
                              const std::function<void(v1::Manifest*)>& change = nullptr);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_TEST_BATCH_H_
