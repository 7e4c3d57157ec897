// Looks for a private key in the memory that OpenSSL holds once Seal has returned.
#include <gtest/gtest.h>
#include <openssl/crypto.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/crypto/hpke_open.h"
#include "common/crypto/hpke_seal.h"
#include "common/random/secure_random.h"

namespace tombola::crypto {
namespace {

// What OpenSSL has allocated and not given back.
class Memory {
 public:
  void* Reallocate(void* block, size_t size) {
    const std::lock_guard lock(mutex_);
    blocks_.erase(block);
    if (size == 0) {
      std::free(block);
      return nullptr;
    }
    void* const moved = std::realloc(block, size);
    blocks_[moved] = size;
    return moved;
  }

  bool Holds(absl::string_view pattern) {
    const std::lock_guard lock(mutex_);
    for (const auto& [block, size] : blocks_) {
      const absl::string_view bytes(static_cast<const char*>(block), size);
      if (bytes.find(pattern) != absl::string_view::npos) return true;
    }
    return false;
  }

 private:
  std::mutex mutex_;
  std::map<void*, size_t> blocks_;
};

Memory& OpenSslMemory() {
  static Memory& memory = *new Memory;
  return memory;
}

// OpenSSL takes these only before its first allocation.
const bool kWatched =
    CRYPTO_set_mem_functions(
        [](size_t size, const char*, int) { return OpenSslMemory().Reallocate(nullptr, size); },
        [](void* block, size_t size, const char*, int) {
          return OpenSslMemory().Reallocate(block, size);
        },
        [](void* block, const char*, int) { OpenSslMemory().Reallocate(block, 0); }) == 1;

// All but the bytes that X25519 clamps.
absl::string_view Unclamped(absl::Span<const uint8_t> key) {
  return absl::string_view(reinterpret_cast<const char*>(key.data()) + 1, key.size() - 2);
}

TEST(HpkeForget, OpenSslHoldsNoEphemeralKeyOnceSealHasReturned) {
  ASSERT_TRUE(kWatched);
  SecureRandom random;
  const auto key = HpkePrivateKey::Generate(random);
  ASSERT_TRUE(key.ok());
  auto sealer = Sealer::Create(key->public_key(), "info");
  // The search finds a key that is there: the opener's own stays in OpenSSL's memory.
  const auto opener = Opener::Create(*key, "info");
  ASSERT_TRUE(sealer.ok() && opener.ok());
  EXPECT_TRUE(OpenSslMemory().Holds(Unclamped(key->private_key().ExposeSecret())));

  const std::array<uint8_t, 5> plaintext = {1, 2, 3, 4, 5};
  std::vector<uint8_t> sealed(plaintext.size() + kHpkeOverhead);
  for (int i = 0; i < 3; ++i) {
    std::array<uint8_t, kHpkePrivateKeyBytes> ephemeral;
    random.Fill(absl::MakeSpan(ephemeral));
    ASSERT_TRUE(
        SealerForTest::SealWithEphemeral(*sealer, ephemeral, "", plaintext, absl::MakeSpan(sealed))
            .ok());
    EXPECT_FALSE(OpenSslMemory().Holds(Unclamped(ephemeral))) << i;
  }
}

}  // namespace
}  // namespace tombola::crypto
