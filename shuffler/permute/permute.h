// The shuffle itself: a permutation drawn uniformly from all n!, in linear time.
#ifndef TOMBOLA_SHUFFLER_PERMUTE_PERMUTE_H_
#define TOMBOLA_SHUFFLER_PERMUTE_PERMUTE_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "common/random/random_source.h"

namespace tombola::shuffler {

// Records are of one size and lie back to back in one flat buffer; records.size() must be a
// multiple of record_bytes.
//
// A permutation is named by the digits of a number in the factorial system, digits[i] in {0..i}:
// for i = 1..n-1, swap records digits[i] and i. Digits and permutations correspond one to one: the
// last step moves record n-1 to place digits[n-1], so the outcome reveals that digit; undo it and
// go on with n-1. Uniform digits are therefore a uniform permutation. Enumerating the digits, as
// the published pseudo-code does, takes n! steps and never yields the identity: see docs/errata.md.

// What a permutation cost.
struct PermuteCost {
  int64_t draws = 0;  // digits drawn: n - 1
  int64_t moves = 0;  // records swapped with another: at most n - 1
};

// Draws the digits from `random` and applies them, O(n). Guarantees an exactly uniform permutation
// if the source's bits are uniform and independent; with a cryptographic source, one that cannot be
// told from uniform. Does not hide the memory it touches from somebody who watches the machine.
PermuteCost Permute(absl::Span<uint8_t> records, size_t record_bytes, RandomSource& random);

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_PERMUTE_PERMUTE_H_
