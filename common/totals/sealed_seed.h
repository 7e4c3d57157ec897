// The file that begins a stream: the seed of its noise, the key of its increments and what was
// asked for, sealed.
//
// 16 bytes `tombola stream 1`, then sealed for that place (common/crypto/sealing_key.h): 32 bytes
// seed, 32 bytes key, epsilon and delta as doubles, periods, sensitivity, intervals and the largest
// increment in 8 bytes each, and in one byte each whether increments are adaptive, whether there is
// no end, and the method (its number, 255: the best).
#ifndef TOMBOLA_COMMON_TOTALS_SEALED_SEED_H_
#define TOMBOLA_COMMON_TOTALS_SEALED_SEED_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/crypto/sealing_key.h"
#include "common/crypto/secret_bytes.h"
#include "common/random/random_source.h"
#include "common/stream/running_totals.h"

namespace tombola::stream {

struct SealedSeed {
  crypto::SecretBytes seed;  // 32 bytes
  crypto::SealingKey increments;
  TotalsOptions options;

  static SealedSeed Draw(const TotalsOptions& options, RandomSource& random);
  // The file is new and on disk on return, its name after SyncDirectory. AlreadyExists.
  absl::Status Write(const std::string& path, const crypto::SealingKey& key,
                     RandomSource& random) const;
  // NotFound: there is none. DataLoss: it is damaged, or sealed under another key.
  static absl::StatusOr<SealedSeed> Read(const std::string& path, const crypto::SealingKey& key);
};

}  // namespace tombola::stream

#endif  // TOMBOLA_COMMON_TOTALS_SEALED_SEED_H_
