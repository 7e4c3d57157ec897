// A fresh directory of one test, removed with what is in it.
#ifndef TOMBOLA_CLI_TEST_DIRECTORY_H_
#define TOMBOLA_CLI_TEST_DIRECTORY_H_

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/disk/whole_file.h"

namespace tombola::cli {

class TestDirectory {
 public:
  TestDirectory() : path_(::testing::TempDir() + "/tombola_cli_XXXXXX") {
    TOMBOLA_CHECK(mkdtemp(path_.data()) != nullptr);
  }
  ~TestDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TestDirectory(const TestDirectory&) = delete;
  TestDirectory& operator=(const TestDirectory&) = delete;

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

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_TEST_DIRECTORY_H_
