// Sorts many digests.
#ifndef TOMBOLA_SHUFFLER_DIGESTS_DIGEST_SORT_H_
#define TOMBOLA_SHUFFLER_DIGESTS_DIGEST_SORT_H_

#include <cstddef>

#include "absl/types/span.h"
#include "shuffler/digests/digest.h"

namespace tombola::shuffler {

// In place, on `threads` threads, the caller's among them: first apart by the first byte, then each
// part, which for digests is a 256th of all, on its own. Right for any values.
void SortDigests(absl::Span<Digest> digests, size_t threads);

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_DIGESTS_DIGEST_SORT_H_
