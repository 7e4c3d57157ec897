// Large flat memory for records.
#ifndef TOMBOLA_SHUFFLER_PERMUTE_PAGE_BUFFER_H_
#define TOMBOLA_SHUFFLER_PERMUTE_PAGE_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/types/span.h"

namespace tombola::shuffler {

// Memory whose content is not set. Above 2 MiB it has pages of its own: they take room only where
// they are touched, go back to the system with the object, and are huge ones if the system has any,
// since records that are scattered over a gigabyte otherwise cost a miss of the page tables each.
// Aborts where the system has no memory to give.
class PageBuffer {
 public:
  PageBuffer() = default;
  explicit PageBuffer(size_t bytes);
  PageBuffer(PageBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  PageBuffer& operator=(PageBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~PageBuffer();

  // Begins at a multiple of 64.
  absl::Span<uint8_t> bytes() const { return absl::MakeSpan(data_, size_); }

 private:
  uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_PERMUTE_PAGE_BUFFER_H_
