#include "shuffler/permute/page_buffer.h"

#include <sys/mman.h>

#include <new>

#include "common/base/check.h"

namespace tombola::shuffler {
namespace {

constexpr size_t kOwnPages = size_t{2} << 20;
constexpr std::align_val_t kAlignment{64};

}  // namespace

PageBuffer::PageBuffer(size_t bytes) : size_(bytes) {
  if (bytes < kOwnPages) {
    data_ = static_cast<uint8_t*>(::operator new(bytes, kAlignment));
    return;
  }
  void* const pages =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  TOMBOLA_CHECK(pages != MAP_FAILED);
  data_ = static_cast<uint8_t*>(pages);
  ::madvise(pages, bytes, MADV_HUGEPAGE);  // only a wish
}

PageBuffer::~PageBuffer() {
  if (size_ < kOwnPages) {
    ::operator delete(data_, kAlignment);
  } else {
    ::munmap(data_, size_);
  }
}

}  // namespace tombola::shuffler
