// What the submissions of one batch have in common.
#ifndef TOMBOLA_COMMON_BASE_BATCH_KEY_H_
#define TOMBOLA_COMMON_BASE_BATCH_KEY_H_

#include <array>
#include <compare>
#include <cstdint>
#include <utility>

#include "common/base/ids.h"

namespace tombola {

struct BatchKey {
  TaskId task{};
  KeyId key{};        // the HPKE key that they are sealed to
  uint64_t part = 0;  // the period that they name; 0 where the task has none

  auto operator<=>(const BatchKey&) const = default;
  template <typename H>
  friend H AbslHashValue(H state, const BatchKey& batch) {
    return H::combine(std::move(state), batch.task, batch.key, batch.part);
  }
};

// A part as 8 bytes, big-endian: in their order as in its own.
using PartBytes = std::array<uint8_t, 8>;

inline PartBytes ToPartBytes(uint64_t part) {
  PartBytes bytes;
  for (size_t i = bytes.size(); i-- > 0; part >>= 8) bytes[i] = static_cast<uint8_t>(part);
  return bytes;
}

inline uint64_t FromPartBytes(const PartBytes& bytes) {
  uint64_t part = 0;
  for (const uint8_t byte : bytes) part = part << 8 | byte;
  return part;
}

}  // namespace tombola

#endif  // TOMBOLA_COMMON_BASE_BATCH_KEY_H_
