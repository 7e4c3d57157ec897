#include "cli/demo/slept_clock.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "common/base/status_macros.h"
#include "common/disk/whole_file.h"

namespace tombola::cli {
namespace {

constexpr char kDescriptor[] = "TOMBOLA_DEMO_CLOCK";

// Beside the folder of this program, where both an installation and the build tree have it.
std::string LibraryPath() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (self.parent_path().parent_path() / "lib/tombola/slept_clock.so").string();
}

absl::Status BecomeTheSame() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return absl::UnimplementedError("a build with a sanitizer cannot let time pass");
#else
  const std::string library = LibraryPath();
  if (access(library.c_str(), R_OK) != 0) {
    return absl::NotFoundError(absl::StrCat(library, " is missing: time cannot pass without it"));
  }
  // Left open for the process that follows and its children.
  const int descriptor = memfd_create("tombola-demo-clock", 0);
  if (descriptor < 0 || ftruncate(descriptor, sizeof(int64_t)) != 0) {
    return absl::ErrnoToStatus(errno, "memfd_create");
  }
  TOMBOLA_ASSIGN_OR_RETURN(const std::string line, ReadSmallFile("/proc/self/cmdline"));
  std::vector<std::string> words = absl::StrSplit(line, '\0');
  words.pop_back();  // after the last word's end
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  // No other thread exists yet.
  const char* const others = getenv("LD_PRELOAD");  // NOLINT(concurrency-mt-unsafe)
  const std::string preload = others == nullptr ? library : absl::StrCat(others, ":", library);
  setenv("LD_PRELOAD", preload.c_str(), 1);                  // NOLINT(concurrency-mt-unsafe)
  setenv(kDescriptor, absl::StrCat(descriptor).c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
  execv("/proc/self/exe", argv.data());
  return absl::ErrnoToStatus(errno, "execv");
#endif
}

}  // namespace

absl::StatusOr<SleptClock> SleptClock::Enter() {
  const char* const told = getenv(kDescriptor);  // NOLINT(concurrency-mt-unsafe)
  if (told == nullptr) return BecomeTheSame();
  int descriptor = -1;
  if (!absl::SimpleAtoi(told, &descriptor)) {
    return absl::InvalidArgumentError(absl::StrCat(kDescriptor, " must be a file descriptor"));
  }
  void* const memory =
      mmap(nullptr, sizeof(int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) return absl::ErrnoToStatus(errno, kDescriptor);
  return SleptClock(static_cast<volatile int64_t*>(memory));
}

SleptClock::SleptClock(SleptClock&& other) noexcept
    : seconds_(std::exchange(other.seconds_, nullptr)) {}

SleptClock::~SleptClock() {
  if (seconds_ != nullptr) munmap(const_cast<int64_t*>(seconds_), sizeof(int64_t));
}

void SleptClock::SleepUntil(absl::Time moment) {
  const int64_t missing = absl::ToInt64Seconds(absl::Ceil(moment - absl::Now(), absl::Seconds(1)));
  if (missing > 0) *seconds_ = *seconds_ + missing;
}

}  // namespace tombola::cli
