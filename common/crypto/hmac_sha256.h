// HMAC-SHA256 (RFC 2104) with the key's two blocks hashed once.
#ifndef TOMBOLA_COMMON_CRYPTO_HMAC_SHA256_H_
#define TOMBOLA_COMMON_CRYPTO_HMAC_SHA256_H_

#include <openssl/sha.h>

#include <cstdint>
#include <initializer_list>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tombola::crypto {

// A keyed HMAC, for as many messages as wanted: HKDF-Extract with a constant salt, and the several
// HKDF-Expand calls on one pseudorandom key. OpenSSL's own HKDF takes 8 microseconds an HPKE key
// schedule, this one about 1. Wipes its state on destruction.
//
// Thread-compatible. Internal to this folder: its header includes OpenSSL's.
class HmacSha256 {
 public:
  // key.size() <= 64.
  explicit HmacSha256(absl::Span<const uint8_t> key);
  ~HmacSha256();
  HmacSha256(const HmacSha256&) = delete;
  HmacSha256& operator=(const HmacSha256&) = delete;

  // The first mac.size() (<= 32) bytes of the MAC of the parts one after the other.
  void Mac(std::initializer_list<absl::string_view> parts, absl::Span<uint8_t> mac) const;

 private:
  SHA256_CTX inner_;
  SHA256_CTX outer_;
};

}  // namespace tombola::crypto

#endif  // TOMBOLA_COMMON_CRYPTO_HMAC_SHA256_H_
