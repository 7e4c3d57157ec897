// What the submissions of one batch have in common.
#ifndef TOMBOLA_COMMON_BASE_BATCH_KEY_H_
#define TOMBOLA_COMMON_BASE_BATCH_KEY_H_

#include <compare>
#include <cstdint>
#include <utility>

#include "common/base/ids.h"

namespace tombola {

struct BatchKey {
  TaskId task{};
  KeyId key{};        // the HPKE key that they are sealed to
  uint64_t part = 0;  // of the task: 0 where it has no parts

  auto operator<=>(const BatchKey&) const = default;
  template <typename H>
  friend H AbslHashValue(H state, const BatchKey& batch) {
    return H::combine(std::move(state), batch.task, batch.key, batch.part);
  }
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_BASE_BATCH_KEY_H_
