// The digests by which the shuffler recognises what it has taken before.
#ifndef TOMBOLA_SHUFFLER_DIGESTS_DIGEST_H_
#define TOMBOLA_SHUFFLER_DIGESTS_DIGEST_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/types/span.h"
#include "common/base/ids.h"
#include "common/crypto/sha256.h"

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

// SHA-256("tombola/v1/submission" || task || id), cut.
Digest SubmissionDigest(const TaskId& task, absl::Span<const uint8_t> submission_id);

// The first half of a report's digest.
Digest Cut(const crypto::Sha256Digest& digest);

// In place, on `threads` threads, the caller's among them: first apart by the first byte, then each
// part, which for digests is a 256th of all, on its own. Right for any values.
void SortDigests(absl::Span<Digest> digests, size_t threads);

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_DIGESTS_DIGEST_H_
