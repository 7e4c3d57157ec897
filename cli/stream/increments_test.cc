#include "cli/stream/increments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/disk/descriptor.h"

namespace tombola::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Pipe {
  Pipe() {
    int ends[2];
    TOMBOLA_CHECK(pipe(ends) == 0);
    out = Descriptor(ends[0]);
    in = Descriptor(ends[1]);
  }
  void Write(absl::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = write(in.get(), text.data(), text.size());
      TOMBOLA_CHECK(written > 0);
      text.remove_prefix(static_cast<size_t>(written));
    }
  }

  Descriptor out, in;
};

// All increments of a text, with the status with which reading ended.
std::vector<int64_t> ReadAll(absl::string_view text, absl::Status* status, int64_t most = 10,
                             int64_t left = 1000) {
  Pipe pipe;
  std::thread writer([&] {
    pipe.Write(text);
    pipe.in = Descriptor();
  });
  IncrementReader reader(pipe.out.get(), most);
  std::vector<int64_t> all;
  size_t had = 0;
  do {
    had = all.size();
    const auto done = static_cast<int64_t>(had);
    *status = reader.Next(done + 1, left - done, all);
  } while (status->ok() && all.size() > had);
  char rest[4096];  // which the writer waits for
  while (read(pipe.out.get(), rest, sizeof(rest)) > 0) continue;
  writer.join();
  return all;
}

std::vector<int64_t> MustRead(absl::string_view text) {
  absl::Status status;
  std::vector<int64_t> read = ReadAll(text, &status);
  EXPECT_TRUE(status.ok()) << status;
  return read;
}

std::string Refusal(absl::string_view text, std::vector<int64_t>* before = nullptr) {
  absl::Status status;
  const std::vector<int64_t> read = ReadAll(text, &status);
  if (before != nullptr) *before = read;
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
  return std::string(status.message());
}

TEST(IncrementReaderTest, TakesAnIncrementALine) {
  EXPECT_THAT(MustRead("1\n0\n10\n"), ElementsAre(1, 0, 10));
  EXPECT_THAT(MustRead("1\r\n\n  \t\r\n 2 \n3"), ElementsAre(1, 2, 3));
  EXPECT_THAT(MustRead("\xEF\xBB\xBF"
                       "7\n8\n"),
              ElementsAre(7, 8));
  EXPECT_THAT(MustRead(""), IsEmpty());
  EXPECT_THAT(MustRead("\n\n"), IsEmpty());
}

TEST(IncrementReaderTest, TakesThePeriodBeforeIt) {
  EXPECT_THAT(MustRead("1 5\n2,6\n3\t7\n8\n5 , 9\n"), ElementsAre(5, 6, 7, 8, 9));
}

TEST(IncrementReaderTest, RefusesPeriodsThatAreNotTheNext) {
  std::vector<int64_t> before;
  EXPECT_EQ(Refusal("1 5\n\n3 6\n", &before), "line 3: the period must be 2, the next one, is 3");
  EXPECT_THAT(before, ElementsAre(5));
  EXPECT_THAT(Refusal("1 5\n1 5\n"), HasSubstr("must be 2, the next one, is 1"));
  EXPECT_THAT(Refusal("0 5\n"), HasSubstr("must be 1, the next one, is 0"));
}

TEST(IncrementReaderTest, RefusesWhatIsOutOfBounds) {
  for (const std::string wrong : {"-1", "11", "99999999999999999999", "-99999999999999999999"}) {
    std::vector<int64_t> before;
    const std::string why = Refusal(absl::StrCat("3\n", wrong, "\n4\n"), &before);
    EXPECT_EQ(why, "line 2: the increment must be in [0, 10]");
    EXPECT_THAT(before, ElementsAre(3));
  }
}

TEST(IncrementReaderTest, RefusesWhatIsNoWholeNumberAndDoesNotRepeatIt) {
  for (const std::string wrong :
       {"2.5", "1e3", "x7", "7x", "+7", "1 2 3", "1,", ",1", "1 x", "nan", "0x7", "- 7", "7;"}) {
    const std::string why = Refusal(absl::StrCat(wrong, "\n"));
    EXPECT_THAT(why, HasSubstr("line 1: must be an increment, a whole number in [0, 10]")) << wrong;
    EXPECT_THAT(why, Not(HasSubstr("7"))) << wrong;
  }
  EXPECT_THAT(Refusal(std::string(5000, '1')), HasSubstr("at most 4096 bytes"));
  EXPECT_THAT(Refusal(std::string(500'000, ' ')), HasSubstr("at most 4096 bytes"));
}

TEST(IncrementReaderTest, RefusesMoreThanAreLeft) {
  absl::Status status;
  EXPECT_THAT(ReadAll("1\n2\n3\n4\n", &status, 10, 3), ElementsAre(1, 2, 3));
  EXPECT_TRUE(absl::IsOutOfRange(status));
  EXPECT_EQ(status.message(), "line 4: there are no more than 3 periods");
  EXPECT_THAT(ReadAll("1\n2\n3\n\n", &status, 10, 3), ElementsAre(1, 2, 3));
  EXPECT_TRUE(status.ok());
}

TEST(IncrementReaderTest, DoesNotWaitForMoreThanALine) {
  const Pipe pipe;
  IncrementReader reader(pipe.out.get(), 10);
  std::vector<int64_t> increments;
  pipe.Write("1\n2\n3");
  ASSERT_TRUE(reader.Next(1, 100, increments).ok());
  EXPECT_THAT(increments, ElementsAre(1, 2));
  pipe.Write("4\n");
  const absl::Status status = reader.Next(3, 100, increments);
  EXPECT_THAT(status.message(), HasSubstr("line 3: the increment must be in"));
}

TEST(IncrementReaderTest, TakesMoreThanItsBufferHolds) {
  std::string text;
  for (int i = 0; i < 300'000; ++i) absl::StrAppend(&text, i % 11, "\n");
  absl::Status status;
  const std::vector<int64_t> read = ReadAll(text, &status, 10, 300'000);
  ASSERT_TRUE(status.ok()) << status;
  ASSERT_EQ(read.size(), 300'000);
  for (size_t i = 0; i < read.size(); ++i) ASSERT_EQ(read[i], static_cast<int64_t>(i % 11));
}

}  // namespace
}  // namespace tombola::cli
