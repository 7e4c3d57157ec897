// What the embedded store does beyond the contract: it is exact at the door, keeps to its options,
// and leaves nothing in its files.
#include "shuffler/embedded/embedded_store.h"

#include <algorithm>
#include <string>
#include <vector>

#include "common/base/encoding.h"
#include "common/disk/directory.h"
#include "common/disk/whole_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "shuffler/digests/digest.h"
#include "shuffler/disk/crc32c.h"
#include "shuffler/embedded/embedded_harness.h"

namespace tombola::shuffler {
namespace {

using ::testing::HasSubstr;

TEST_F(StoreTest, CountersAreExactAtEveryStepAndAfterRestarts) {
  Reopen();
  const auto expect = [&](int64_t accepted, int64_t duplicates, int64_t forwarded, int64_t expired,
                          int64_t released) {
    for (int restart = 0; restart < 2; ++restart) {
      const TaskCounters counters = store_->Counters(task_);
      EXPECT_EQ(counters.accepted, accepted);
      EXPECT_EQ(counters.duplicates, duplicates);
      EXPECT_EQ(counters.forwarded, forwarded);
      EXPECT_EQ(counters.expired, expired);
      EXPECT_EQ(counters.released_batches, released);
      Reopen();
    }
  };
  Submit({.numbers = Range(1, 10)});
  Submit({.numbers = {1, 2, 3}});
  expect(10, 3, 0, 0, 0);
  const Manifest first = Release();
  expect(10, 3, 0, 0, 1);
  Submit({.numbers = Range(10, 14)});
  Submit({.numbers = {11}});
  expect(14, 5, 0, 0, 1);
  EXPECT_TRUE(Erase(first.batch).ok());
  expect(14, 5, 10, 0, 1);
  EXPECT_TRUE(store_->Destroy(of_).ok());
  expect(14, 5, 10, 4, 1);
  Submit({.numbers = {1, 14}});  // nothing is held: these belong to no batch
  expect(14, 7, 10, 4, 1);
  Submit({.numbers = {20}});
  const Manifest second = Release();
  EXPECT_TRUE(Erase(second.batch).ok());
  expect(15, 7, 11, 4, 2);
}

TEST_F(StoreTest, ATaskHasTheSizeOfReportsThatItsLogsHave) {
  Reopen();
  Submit({.numbers = {1}});
  store_.reset();
  auto reopened = EmbeddedStore::Open(options_);
  ASSERT_TRUE(reopened.ok());
  EXPECT_TRUE(
      absl::IsFailedPrecondition((*reopened)->AddTask(task_, kSealedBytes + 1, kMostReports)));
}

TEST_F(StoreTest, OneProcessAtATime) {
  Reopen();
  EXPECT_TRUE(absl::IsFailedPrecondition(EmbeddedStore::Open(options_).status()));
}

TEST_F(StoreTest, RefusesOptionsOutOfTheirBounds) {
  options_.queue_limit_bytes = (int64_t{1} << 30) + 1;
  EXPECT_TRUE(absl::IsInvalidArgument(EmbeddedStore::Open(options_).status()));
}

TEST_F(StoreTest, RefusesTheFilesOfAnotherVersion) {
  Reopen();
  Submit({.numbers = {1}});
  ASSERT_TRUE(Erase(Release().batch).ok());
  store_.reset();
  const std::string path = options_.directory + "/counters/" + ToHex(task_);
  std::string record = *ReadSmallFile(path);
  ASSERT_EQ(record[8], 2);
  record[8] = 1;
  record.resize(record.size() - sizeof(uint32_t));
  PutNumber(Crc32c(AsBytes(record)), record);
  ASSERT_TRUE(RemoveFile(path).ok());
  ASSERT_TRUE(WriteNewFile(path, record).ok());
  const absl::Status status = EmbeddedStore::Open(options_).status();
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("format version 1, this program reads 2"));
}

// Once a batch is forwarded nothing of it is left but sorted digests.
TEST_F(StoreTest, NoFileKeepsAReportOrTheOrderOfArrival) {
  release_options_.memory_limit_bytes = 20 * kSealedBytes;
  Reopen();
  Submit({.numbers = Range(1, 50)});
  Submit({.numbers = Range(51, 100), .window = 8});
  ASSERT_TRUE(Erase(Release().batch).ok());
  Submit({.numbers = Range(101, 110)});
  ASSERT_TRUE(store_->Destroy(of_).ok());
  const std::map<std::string, std::string> files = FilesIn(scratch_.path());
  for (const auto& [path, bytes] : files) {
    for (uint64_t number = 1; number <= 110; ++number) {
      EXPECT_EQ(bytes.find(ReportOf(number).substr(8)), std::string::npos) << path;
      EXPECT_EQ(bytes.find(IdOf(number)), std::string::npos) << path;
    }
  }
  const std::string seen = files.at("store/seen/" + ToHex(task_) + "/7.digests").substr(68);
  ASSERT_EQ(seen.size(), 2 * 60 * kDigestBytes);
  std::vector<std::string> digests;
  for (size_t i = 0; i < seen.size(); i += kDigestBytes) {
    digests.push_back(seen.substr(i, kDigestBytes));
  }
  EXPECT_TRUE(std::is_sorted(digests.begin(), digests.end()));
}

}  // namespace
}  // namespace tombola::shuffler
