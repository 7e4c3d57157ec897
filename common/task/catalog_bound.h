// What all tasks of a collector may take together.
#ifndef TOMBOLA_COMMON_TASK_CATALOG_BOUND_H_
#define TOMBOLA_COMMON_TASK_CATALOG_BOUND_H_

#include <cstddef>
#include <cstdint>

namespace tombola {

// More than what stands beside a task's bytes in any list of tasks, be it a message or JSON.
inline constexpr int64_t kTaskOverheadBytes = 4096;

// A task counts with its bytes and the overhead. The collector makes none that would lead beyond,
// closed ones included: whoever lists tasks gets all of them in one message, which must stay below
// what gRPC and protobuf can carry (2 GiB).
inline constexpr int64_t kMaxAllTasksBytes = int64_t{256} << 20;

// What a peer that fetches all tasks must be able to receive: with the list of HPKE keys and the
// times of restores there is room to spare.
inline constexpr int kMaxCatalogMessageBytes = 512 << 20;

constexpr int64_t CatalogBytesOf(size_t task_bytes) {
  return static_cast<int64_t>(task_bytes) + kTaskOverheadBytes;
}

}  // namespace tombola

#endif  // TOMBOLA_COMMON_TASK_CATALOG_BOUND_H_
