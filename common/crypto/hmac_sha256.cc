// SHA256_ functions: see sha256.cc.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "common/crypto/hmac_sha256.h"

#include <openssl/crypto.h>

#include <cstring>

#include "common/base/check.h"

namespace tombola::crypto {
namespace {

constexpr uint8_t kInnerPad = 0x36, kOuterPad = 0x5c;

void StartWithPaddedKey(absl::Span<const uint8_t> key, uint8_t pad, SHA256_CTX& state) {
  uint8_t block[SHA256_CBLOCK];
  std::memset(block, pad, sizeof(block));
  for (size_t i = 0; i < key.size(); ++i) block[i] ^= key[i];
  TOMBOLA_CHECK(SHA256_Init(&state) == 1);
  TOMBOLA_CHECK(SHA256_Update(&state, block, sizeof(block)) == 1);
  OPENSSL_cleanse(block, sizeof(block));
}

}  // namespace

HmacSha256::HmacSha256(absl::Span<const uint8_t> key) {
  TOMBOLA_CHECK(key.size() <= SHA256_CBLOCK);
  StartWithPaddedKey(key, kInnerPad, inner_);
  StartWithPaddedKey(key, kOuterPad, outer_);
}

HmacSha256::~HmacSha256() {
  OPENSSL_cleanse(&inner_, sizeof(inner_));
  OPENSSL_cleanse(&outer_, sizeof(outer_));
}

void HmacSha256::Mac(std::initializer_list<absl::string_view> parts,
                     absl::Span<uint8_t> mac) const {
  TOMBOLA_CHECK(mac.size() <= SHA256_DIGEST_LENGTH);
  uint8_t digest[SHA256_DIGEST_LENGTH];
  SHA256_CTX state = inner_;
  for (const absl::string_view part : parts) {
    TOMBOLA_CHECK(SHA256_Update(&state, part.data(), part.size()) == 1);
  }
  TOMBOLA_CHECK(SHA256_Final(digest, &state) == 1);
  state = outer_;
  TOMBOLA_CHECK(SHA256_Update(&state, digest, sizeof(digest)) == 1);
  TOMBOLA_CHECK(SHA256_Final(digest, &state) == 1);
  std::memcpy(mac.data(), digest, mac.size());
  OPENSSL_cleanse(&state, sizeof(state));
  OPENSSL_cleanse(digest, sizeof(digest));
}

}  // namespace tombola::crypto
