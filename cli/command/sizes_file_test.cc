#include "cli/command/sizes_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/scratch_directory.h"

namespace tombola::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class SizesFileTest : public ::testing::Test {
 protected:
  std::string Refusal(const std::string& text) {
    const auto read = ReadSizesFile(directory_.File("sizes", text));
    EXPECT_TRUE(absl::IsInvalidArgument(read.status())) << text << read.status();
    EXPECT_THAT(std::string(read.status().message()),
                AllOf(HasSubstr("--sizes: "), HasSubstr(directory_.In("sizes"))));
    return std::string(read.status().message());
  }

  ScratchDirectory directory_;
};

TEST_F(SizesFileTest, ALineIsANumberOfRecordsAndDevices) {
  for (const char* const text :
       {"0,50\n1,30\n4,20\n", "4\t0.2\r\n0 0.5\r\n1, 0.3", "1 , 3e2\n4 200\n0 500\n"}) {
    const auto sizes = ReadSizesFile(directory_.File("sizes", text));
    ASSERT_TRUE(sizes.ok()) << text << sizes.status();
    ASSERT_EQ(sizes->shares().size(), 3u);
    EXPECT_EQ(sizes->shares()[2].records, 4);
    EXPECT_DOUBLE_EQ(sizes->shares()[2].share, 0.2);
    EXPECT_EQ(sizes->shares()[2].standard_error, 0);
    EXPECT_DOUBLE_EQ(sizes->mean(), 1.1);
  }
}

TEST_F(SizesFileTest, RefusesWhatIsWrongAndNamesTheLineAndItsBound) {
  EXPECT_THAT(Refusal("0,1\n1\n"), HasSubstr("line 2 must be two numbers"));
  EXPECT_THAT(Refusal("records,devices\n1,2\n"), HasSubstr("line 1 must be two numbers"));
  EXPECT_THAT(Refusal("1,2,3\n"), HasSubstr("line 1 must be two numbers"));
  EXPECT_THAT(Refusal("1,2\n\n3,4\n"), HasSubstr("line 2 must be two numbers"));
  EXPECT_THAT(Refusal("1,2\n-1,2\n"),
              AllOf(HasSubstr("line 2"), HasSubstr("[0, 1000000], not -1")));
  EXPECT_THAT(Refusal("1.5,2\n"), HasSubstr("whole number of records in [0, 1000000], not 1.5"));
  EXPECT_THAT(Refusal("1000001,2\n"), HasSubstr("not 1000001"));
  EXPECT_THAT(Refusal("99999999999999999999,2\n"), HasSubstr("[0, 1000000]"));
  for (const char* const share : {"-1", "nan", "inf"}) {
    EXPECT_THAT(Refusal(std::string("0,1\n1,1\n2,") + share + "\n"),
                AllOf(HasSubstr("line 3"), HasSubstr(std::string("at least 0, not ") + share)));
  }
  EXPECT_THAT(Refusal("1,2\n3,4\n1,5\n"),
              AllOf(HasSubstr("line 3"), HasSubstr("than line 1, which is of 1 too")));
  EXPECT_THAT(Refusal("0,7\n2,0\n"), HasSubstr("must have a record"));
  EXPECT_THAT(Refusal(""), HasSubstr("must have a record"));
  EXPECT_THAT(Refusal("1,1e308\n2,1e308\n"), HasSubstr("finite"));
}

TEST_F(SizesFileTest, NamesTheFlagOfAFileThatIsNone) {
  const auto folder = ReadSizesFile(directory_.path());
  EXPECT_TRUE(absl::IsInvalidArgument(folder.status())) << folder.status();
  EXPECT_THAT(std::string(folder.status().message()),
              AllOf(HasSubstr("--sizes: "), HasSubstr("must be a file")));
  const auto none = ReadSizesFile(directory_.In("none"));
  EXPECT_TRUE(absl::IsNotFound(none.status())) << none.status();
  EXPECT_THAT(std::string(none.status().message()), HasSubstr("--sizes: "));
}

}  // namespace
}  // namespace tombola::cli
