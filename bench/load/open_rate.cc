#include "bench/load/open_rate.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "common/base/status_macros.h"
#include "common/crypto/hpke_open.h"
#include "common/crypto/hpke_seal.h"
#include "common/random/secure_random.h"

namespace tombola::bench {
namespace {

constexpr size_t kDistinct = 5000;
constexpr char kInfo[] = "what a task would say";

absl::StatusOr<std::string> SealSome(const crypto::HpkePrivateKey& key, size_t sealed_bytes) {
  SecureRandom random;
  TOMBOLA_ASSIGN_OR_RETURN(crypto::Sealer sealer, crypto::Sealer::Create(key.public_key(), kInfo));
  const std::vector<uint8_t> report(sealed_bytes - crypto::kHpkeOverhead);
  std::string sealed(kDistinct * sealed_bytes, '\0');
  for (size_t i = 0; i < kDistinct; ++i) {
    auto* const out = reinterpret_cast<uint8_t*>(sealed.data() + i * sealed_bytes);
    TOMBOLA_RETURN_IF_ERROR(sealer.Seal(report, random, absl::MakeSpan(out, sealed_bytes)));
  }
  return sealed;
}

}  // namespace

absl::StatusOr<double> OpenRate(size_t sealed_bytes, int64_t count, int threads) {
  if (sealed_bytes <= crypto::kHpkeOverhead) {
    return absl::InvalidArgumentError("sealed_bytes must be more than HPKE adds");
  }
  SecureRandom random;
  TOMBOLA_ASSIGN_OR_RETURN(const auto key, crypto::HpkePrivateKey::Generate(random));
  TOMBOLA_ASSIGN_OR_RETURN(const std::string sealed, SealSome(key, sealed_bytes));
  std::vector<crypto::Opener> openers;
  for (int i = 0; i < threads; ++i) {
    TOMBOLA_ASSIGN_OR_RETURN(crypto::Opener opener, crypto::Opener::Create(key, kInfo));
    openers.push_back(std::move(opener));
  }
  std::atomic<int64_t> next{0}, opened{0};
  const auto open = [&](crypto::Opener& opener) {
    std::vector<uint8_t> report(sealed_bytes - crypto::kHpkeOverhead);
    int64_t good = 0;
    // A chunk at a time, so that both threads end together whatever else the cores do.
    constexpr int64_t kChunk = 500;
    for (int64_t first; (first = next.fetch_add(kChunk)) < count;) {
      for (int64_t i = first; i < std::min(first + kChunk, count); ++i) {
        const auto* const at = reinterpret_cast<const uint8_t*>(
            sealed.data() + static_cast<size_t>(i) % kDistinct * sealed_bytes);
        good += opener.Open(absl::MakeConstSpan(at, sealed_bytes), absl::MakeSpan(report)) ? 1 : 0;
      }
    }
    opened += good;
  };
  const absl::Time start = absl::Now();
  std::vector<std::thread> running;
  for (crypto::Opener& opener : openers) running.emplace_back([&] { open(opener); });
  for (std::thread& thread : running) thread.join();
  const double seconds = absl::ToDoubleSeconds(absl::Now() - start);
  if (opened != count) return absl::InternalError("a report did not open");
  return static_cast<double>(count) / seconds;
}

}  // namespace tombola::bench
