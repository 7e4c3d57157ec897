// A fresh directory of one test, removed with what is in it.
#ifndef TOMBOLA_TESTS_SUPPORT_SCRATCH_DIRECTORY_H_
#define TOMBOLA_TESTS_SUPPORT_SCRATCH_DIRECTORY_H_

#include <stdlib.h>

#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/base/check.h"
#include "common/disk/whole_file.h"

namespace tombola {

class ScratchDirectory {
 public:
  // In memory, where the system has such a place: for tests that open files thousands of times, of
  // what is written and not of how fast.
  enum class Place { kDisk, kMemory };

  explicit ScratchDirectory(Place place = Place::kDisk) {
    constexpr char kMemory[] = "/dev/shm";
    const bool memory = place == Place::kMemory && std::filesystem::is_directory(kMemory);
    path_ = absl::StrCat(memory ? kMemory : std::filesystem::temp_directory_path().string(),
                         "/tombola-XXXXXX");
    TOMBOLA_CHECK(mkdtemp(path_.data()) != nullptr);
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string In(absl::string_view name) const { return absl::StrCat(path_, "/", name); }
  // Writes a file and says where it is.
  std::string File(absl::string_view name, absl::string_view content) const {
    TOMBOLA_CHECK(ReplaceFile(In(name), content).ok());
    return In(name);
  }

 private:
  std::string path_;
};

}  // namespace tombola

#endif  // TOMBOLA_TESTS_SUPPORT_SCRATCH_DIRECTORY_H_
