// A directory for one run after the other.
#ifndef TOMBOLA_TESTS_FUZZ_SCRATCH_H_
#define TOMBOLA_TESTS_FUZZ_SCRATCH_H_

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/string_view.h"
#include "common/base/check.h"
#include "tests/support/scratch_directory.h"

namespace tombola::fuzz {

// In memory where the system has such a place, because a fuzzer writes thousands of times a second.
// Removed at the end of the process.
class Scratch {
 public:
  std::string In(absl::string_view name) const { return directory_.In(name); }
  // With the directories above it.
  void Write(absl::string_view name, absl::string_view bytes) const {
    const std::filesystem::path file = In(name);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.flush();
    TOMBOLA_CHECK(out.good());
  }
  std::string Read(absl::string_view name) const {
    std::ifstream in(In(name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
  void Clear() const {
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path())) {
      std::filesystem::remove_all(entry.path());
    }
  }

 private:
  const ScratchDirectory directory_{ScratchDirectory::Place::kMemory};
};

// The process's own.
inline const Scratch& TheScratch() {
  static const Scratch scratch;
  return scratch;
}

}  // namespace tombola::fuzz

#endif  // TOMBOLA_TESTS_FUZZ_SCRATCH_H_
