// Exchanges two records.
#ifndef TOMBOLA_SHUFFLER_PERMUTE_SWAP_RECORDS_H_
#define TOMBOLA_SHUFFLER_PERMUTE_SWAP_RECORDS_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tombola::shuffler {

// Two records of `bytes` that do not overlap, or the same one.
inline void SwapRecords(uint8_t* a, uint8_t* b, size_t bytes) {
  using Piece = std::array<uint8_t, 16>;
  constexpr size_t kPiece = sizeof(Piece);
  if (bytes < kPiece) {
    std::swap_ranges(a, a + bytes, b);
    return;
  }
  // The last piece may overlap the one before: it is read first and written last.
  Piece last_a, last_b;
  const size_t last = bytes - kPiece;
  std::memcpy(last_a.data(), a + last, kPiece);
  std::memcpy(last_b.data(), b + last, kPiece);
  for (size_t at = 0; at < last; at += kPiece) {
    Piece held_a, held_b;
    std::memcpy(held_a.data(), a + at, kPiece);
    std::memcpy(held_b.data(), b + at, kPiece);
    std::memcpy(a + at, held_b.data(), kPiece);
    std::memcpy(b + at, held_a.data(), kPiece);
  }
  std::memcpy(a + last, last_b.data(), kPiece);
  std::memcpy(b + last, last_a.data(), kPiece);
}

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_PERMUTE_SWAP_RECORDS_H_
