// File descriptors: one that is open, and how many there may be.
#ifndef TOMBOLA_COMMON_DISK_DESCRIPTOR_H_
#define TOMBOLA_COMMON_DISK_DESCRIPTOR_H_

#include <unistd.h>

#include <utility>

namespace tombola {

// Closes what it holds. Below 0: holds nothing, as after an open that failed.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  int get() const { return number_; }
  bool open() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

// Descriptors that connections may have: so many of the process's limit (RLIMIT_NOFILE) that 512,
// or half of it, are left for its files.
int MostConnectionDescriptors();

}  // namespace tombola

#endif  // TOMBOLA_COMMON_DISK_DESCRIPTOR_H_
