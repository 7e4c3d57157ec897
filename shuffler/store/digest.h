// The digests by which the shuffler recognises what it has taken before, and the manifest's sum.
#ifndef TOMBOLA_SHUFFLER_STORE_DIGEST_H_
#define TOMBOLA_SHUFFLER_STORE_DIGEST_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/types/span.h"
#include "common/base/ids.h"

namespace tombola::shuffler {

inline constexpr size_t kSubmissionIdBytes = 16;
inline constexpr size_t kDigestBytes = 16;

// The first half of a SHA-256. 2^64 submissions are needed to find two that collide, and then one
// of them is taken for a duplicate.
struct Digest {
  std::array<uint8_t, kDigestBytes> bytes;

  auto operator<=>(const Digest&) const = default;
  template <typename H>
  friend H AbslHashValue(H state, const Digest& digest) {
    // Senders choose what is hashed, but not the seed that Abseil mixes in.
    uint64_t words[2];
    std::memcpy(words, digest.bytes.data(), sizeof(words));
    return H::combine(std::move(state), words[0], words[1]);
  }
};

using ReportDigest = std::array<uint8_t, 32>;

// SHA-256("tombola/v1/submission" || task || id), cut.
Digest SubmissionDigest(const TaskId& task, absl::Span<const uint8_t> submission_id);

// SHA-256(task || key || sealed report): what the manifest sums.
ReportDigest DigestOfReport(const TaskId& task, const KeyId& key,
                            absl::Span<const uint8_t> sealed_report);
Digest Cut(const ReportDigest& digest);

// The sum modulo 2^256 of big-endian numbers: the same for every order of what is added.
class DigestSum {
 public:
  void Add(const ReportDigest& digest);
  ReportDigest Value() const;

 private:
  std::array<uint64_t, 4> words_{};  // the most significant first
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_STORE_DIGEST_H_
