#include "collector/ingest/witness.h"

#include "common/crypto/ed25519_verify.h"
#include "common/task/shuffler_time.h"

namespace tombola::collector {

std::optional<absl::Time> WitnessedTime(const Catalog& catalog, const std::string& time,
                                        const std::string& signature) {
  const absl::StatusOr<ShufflerTime> told = ShufflerTime::Parse(time);
  if (!told.ok() || !catalog.MayBeShuffler(told->shuffler_key)) return std::nullopt;
  if (!crypto::VerifyEd25519(told->shuffler_key, kShufflerTimeContext, time, signature)) {
    return std::nullopt;
  }
  return told->time;
}

}  // namespace tombola::collector
