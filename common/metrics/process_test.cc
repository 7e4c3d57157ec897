#include "common/metrics/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/scratch_directory.h"

namespace tombola {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

TEST(Process, TellsItsBuildItsClockItsDiskAndItself) {
  Metrics metrics;
  AddProcess(metrics, "tombola-test", "/");
  EXPECT_THAT(
      metrics.Text(),
      AllOf(HasSubstr("tombola_build_info{program=\"tombola-test\",version=\"" + Version()),
            ContainsRegex("\ntombola_time_seconds [0-9.e+]+\n"),
            ContainsRegex("\ntombola_disk_size_bytes [1-9]"),
            ContainsRegex("\ntombola_disk_available_bytes [0-9]"),
            ContainsRegex("\nprocess_start_time_seconds [1-9]"),
            ContainsRegex("\nprocess_cpu_seconds_total [0-9]"),
            ContainsRegex("\nprocess_resident_memory_bytes [1-9]"),
            ContainsRegex("\nprocess_open_fds [1-9]"), ContainsRegex("\nprocess_max_fds [1-9]")));
}

TEST(Process, AddsUpTheFilesOfADirectory) {
  const ScratchDirectory scratch;
  const std::string& root = scratch.path();
  std::filesystem::create_directories(root + "/a/b");
  std::ofstream(root + "/one") << "12345";
  std::ofstream(root + "/a/b/two") << "123";
  EXPECT_EQ(BytesBelow(root), 8);
  EXPECT_EQ(BytesOf(root + "/one"), 5);
  EXPECT_EQ(BytesOf(root + "/none"), 0);
  EXPECT_EQ(BytesBelow(root + "/none"), 0);
}

}  // namespace
}  // namespace tombola
