#include <algorithm>

#include "common/crypto/hpke_suite.h"
#include "common/crypto/sha256.h"

namespace tombola::crypto {

std::array<uint8_t, kHpkeKeyIdBytes> HpkeKeyId(absl::Span<const uint8_t> public_key) {
  const Sha256Digest digest = Sha256(public_key);
  std::array<uint8_t, kHpkeKeyIdBytes> id;
  std::copy_n(digest.begin(), id.size(), id.begin());
  return id;
}

}  // namespace tombola::crypto
