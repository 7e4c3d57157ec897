#include "common/totals/increment_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "common/base/encoding.h"
#include "common/random/secure_random.h"
#include "tests/support/scratch_directory.h"

namespace tombola::stream {
namespace {

using ::testing::ElementsAre;

class IncrementLogTest : public ::testing::Test {
 protected:
  absl::StatusOr<IncrementLog> Open(const std::string& path) {
    read_.clear();
    return IncrementLog::Open(path, key_, [&](const IncrementGroup& group) {
      read_.push_back(group);
      return absl::OkStatus();
    });
  }
  // Two groups.
  void Write() {
    ASSERT_TRUE(IncrementLog::Make(path_).ok());
    IncrementLog log = *Open(path_);
    ASSERT_TRUE(log.Append(first_, key_, random_).ok());
    ASSERT_TRUE(log.Append(second_, key_, random_).ok());
  }

  SecureRandom random_;
  const ScratchDirectory directory_;
  const crypto::SealingKey key_ = crypto::SealingKey::Draw(random_);
  const std::string path_ = directory_.In("increments");
  std::vector<IncrementGroup> read_;
  const IncrementGroup first_ = {
      .before = 0, .fingerprint = 5, .total = -7, .increments = {0, 1, 127, 128}};
  const IncrementGroup second_ = {
      .before = 4,
      .fingerprint = ~uint64_t{0},
      .total = 1,
      .increments = {int64_t{1} << 32, std::numeric_limits<int64_t>::max()}};
};

TEST_F(IncrementLogTest, IsReadAsItWasWritten) {
  Write();
  ASSERT_TRUE(Open(path_).ok());
  ASSERT_EQ(read_.size(), 2);
  for (const auto& [read, written] : {std::pair(read_[0], first_), std::pair(read_[1], second_)}) {
    EXPECT_EQ(read.before, written.before);
    EXPECT_EQ(read.fingerprint, written.fingerprint);
    EXPECT_EQ(read.total, written.total);
    EXPECT_EQ(read.increments, written.increments);
  }
}

TEST_F(IncrementLogTest, IsWrittenOnAfterItWasRead) {
  Write();
  IncrementLog log = *Open(path_);
  ASSERT_TRUE(log.Append({.before = 6, .increments = {9}}, key_, random_).ok());
  ASSERT_TRUE(Open(path_).ok());
  ASSERT_EQ(read_.size(), 3);
  EXPECT_THAT(read_[2].increments, ElementsAre(9));
}

// What a crash can leave: a part of the last record, or zeros in its place.
TEST_F(IncrementLogTest, ALastRecordThatWasCutShortIsCutOff) {
  Write();
  const std::string whole = *ReadSmallFile(path_);
  const size_t first = 8 + LoadNumber<uint32_t>(AsBytes(whole).data());
  for (size_t size = first; size < whole.size(); ++size) {
    const std::string cut = directory_.File("cut", whole.substr(0, size));
    IncrementLog log = *Open(cut);
    ASSERT_EQ(read_.size(), 1) << size;
    ASSERT_TRUE(log.Append(second_, key_, random_).ok());
    ASSERT_TRUE(Open(cut).ok());
    EXPECT_EQ(read_.size(), 2) << size;
  }
  ASSERT_TRUE(Open(directory_.File("grown", whole + std::string(10'000, '\0'))).ok());
  EXPECT_EQ(read_.size(), 2);
  EXPECT_EQ(ReadSmallFile(directory_.In("grown"))->size(), whole.size());
}

TEST_F(IncrementLogTest, RefusesDamage) {
  Write();
  const std::string whole = *ReadSmallFile(path_);
  const size_t first = 8 + LoadNumber<uint32_t>(AsBytes(whole).data());
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] ^= 1;
    EXPECT_EQ(Open(directory_.File("changed", changed)).status().code(),
              absl::StatusCode::kDataLoss)
        << at;
  }
  // Records in another order, or twice.
  EXPECT_FALSE(Open(directory_.File("turned", whole.substr(first) + whole.substr(0, first))).ok());
  EXPECT_FALSE(Open(directory_.File("twice", whole + whole.substr(first))).ok());
  EXPECT_FALSE(
      IncrementLog::Open(path_, crypto::SealingKey::Draw(random_), [](const IncrementGroup&) {
        return absl::OkStatus();
      }).ok());
}

TEST_F(IncrementLogTest, EndsWithTheReadersStatus) {
  Write();
  const auto opened = IncrementLog::Open(
      path_, key_, [](const IncrementGroup&) { return absl::AbortedError("enough"); });
  EXPECT_TRUE(absl::IsAborted(opened.status()));
}

TEST_F(IncrementLogTest, HoldsTheLargestGroup) {
  ASSERT_TRUE(IncrementLog::Make(path_).ok());
  IncrementLog log = *Open(path_);
  const IncrementGroup group = {
      .increments =
          std::vector<int64_t>(IncrementLog::kMostTogether, std::numeric_limits<int64_t>::max())};
  ASSERT_TRUE(log.Append(group, key_, random_).ok());
  ASSERT_TRUE(Open(path_).ok());
  EXPECT_EQ(read_.at(0).increments, group.increments);
}

}  // namespace
}  // namespace tombola::stream
