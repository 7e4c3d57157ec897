#include "common/random/secure_random.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <pthread.h>

#include <atomic>
#include <cstring>

#include "common/base/check.h"

namespace tombola {
namespace {

// Grows in the child of every fork, so that a copied block is noticed and thrown away.
std::atomic<uint64_t> g_fork_generation{1};

uint64_t ForkGeneration() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { ++g_fork_generation; });
  TOMBOLA_CHECK(registered == 0);
  return g_fork_generation.load(std::memory_order_relaxed);
}

}  // namespace

SecureRandom::~SecureRandom() { OPENSSL_cleanse(block_.data(), block_.size()); }

void SecureRandom::Ensure(size_t bytes) {
  const uint64_t generation = ForkGeneration();
  if (generation == fork_generation_ && kBlockBytes - used_ >= bytes) return;
  TOMBOLA_CHECK(RAND_priv_bytes(block_.data(), static_cast<int>(kBlockBytes)) == 1);
  used_ = 0;
  fork_generation_ = generation;
}

uint64_t SecureRandom::Next64() {
  Ensure(sizeof(uint64_t));
  uint64_t value;
  std::memcpy(&value, block_.data() + used_, sizeof(value));
  std::memset(block_.data() + used_, 0, sizeof(value));
  used_ += sizeof(value);
  return value;
}

void SecureRandom::Fill(absl::Span<uint8_t> out) {
  if (out.empty()) return;
  if (out.size() > kBlockBytes / 4) {
    TOMBOLA_CHECK(out.size() <= 1u << 30);
    TOMBOLA_CHECK(RAND_priv_bytes(out.data(), static_cast<int>(out.size())) == 1);
    return;
  }
  Ensure(out.size());
  std::memcpy(out.data(), block_.data() + used_, out.size());
  OPENSSL_cleanse(block_.data() + used_, out.size());
  used_ += out.size();
}

}  // namespace tombola
