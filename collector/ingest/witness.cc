#include "collector/ingest/witness.h"

#include "common/crypto/ed25519_verify.h"
#include "common/task/shuffler_time.h"

namespace tombola::collector {
namespace {

constexpr absl::Duration kMemory = absl::Minutes(2);
// While there is no task anybody's key is taken: then there is nothing to lose with them either.
constexpr size_t kMaxKeys = 1024;

}  // namespace

std::optional<absl::Time> Witnesses::Told(const std::string& time, const std::string& signature) {
  const absl::StatusOr<ShufflerTime> told = ShufflerTime::Parse(time);
  if (!told.ok() || !catalog_->MayBeShuffler(told->shuffler_key)) return std::nullopt;
  if (!crypto::VerifyEd25519(told->shuffler_key, kShufflerTimeContext, time, signature)) {
    return std::nullopt;
  }
  const absl::Duration now = steady_->Now();
  MutexLock lock(mutex_);
  const auto last = last_.find(told->shuffler_key);
  if (last == last_.end()) {
    if (last_.size() >= kMaxKeys) last_.clear();
  } else if (told->time <= last->second.time && now - last->second.at < kMemory) {
    return std::nullopt;
  }
  last_[told->shuffler_key] = {.time = told->time, .at = now};
  return told->time;
}

}  // namespace tombola::collector
