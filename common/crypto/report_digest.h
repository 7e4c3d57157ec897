// The digest of a sealed report, and the order-independent sum that a manifest carries.
#ifndef TOMBOLA_COMMON_CRYPTO_REPORT_DIGEST_H_
#define TOMBOLA_COMMON_CRYPTO_REPORT_DIGEST_H_

#include <array>
#include <cstdint>

#include "absl/types/span.h"
#include "common/base/ids.h"
#include "common/crypto/sha256.h"

namespace tombola::crypto {

// SHA-256(task || key || sealed report).
Sha256Digest ReportDigest(const TaskId& task, const KeyId& key,
                          absl::Span<const uint8_t> sealed_report);

// The sum modulo 2^256 of digests read as big-endian numbers: the same for every order of what is
// added, and sums of parts add up. It tells a lost, changed or doubled report; it does not bind
// somebody who forges reports on purpose.
class DigestSum {
 public:
  void Add(const Sha256Digest& digest);
  void Add(const DigestSum& other);
  // Takes back what was added.
  void Subtract(const Sha256Digest& digest);
  Sha256Digest Value() const;

 private:
  std::array<uint64_t, 4> words_{};  // the most significant first
};

}  // namespace tombola::crypto

#endif  // TOMBOLA_COMMON_CRYPTO_REPORT_DIGEST_H_
