// The store's smaller files: records, seen digests, counters, batches, permuted reports.
#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "common/base/encoding.h"
#include "common/disk/directory.h"
#include "common/disk/whole_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "shuffler/digests/seen_files.h"
#include "shuffler/disk/record.h"
#include "shuffler/embedded/counters_file.h"
#include "shuffler/outbox/batch_record.h"
#include "shuffler/outbox/outbox.h"
#include "shuffler/store/store_harness.h"
#include "tests/support/scratch_directory.h"

namespace tombola::shuffler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(RecordTest, AnyChangedOrMissingByteIsNoticed) {
  const std::string record = WrapRecord("TESTKIND", "the body");
  const auto body = UnwrapRecord("TESTKIND", AsBytes(record), "path");
  ASSERT_TRUE(body.ok());
  EXPECT_EQ(AsView(*body), "the body");
  EXPECT_TRUE(absl::IsDataLoss(UnwrapRecord("OTHERKND", AsBytes(record), "path").status()));
  EXPECT_TRUE(absl::IsDataLoss(UnwrapRecord("TESTKIND", AsBytes(record + "x"), "path").status()));
  for (size_t i = 0; i < record.size(); ++i) {
    std::string wrong = record;
    wrong[i] = static_cast<char>(wrong[i] ^ 4);
    EXPECT_TRUE(absl::IsDataLoss(UnwrapRecord("TESTKIND", AsBytes(wrong), "path").status())) << i;
    const std::string cut = record.substr(0, i);
    EXPECT_TRUE(absl::IsDataLoss(UnwrapRecord("TESTKIND", AsBytes(cut), "path").status())) << i;
  }
}

TEST(BatchRecordTest, ComesBackAsItWas) {
  BatchRecord record;
  record.totals = {{TaskNumber(1), KeyNumber(2), 13}, BatchId{3}, 4, 5, 6, 7, 12, {9}};
  record.sealed_bytes = 58;
  record.reports_checksum = 10;
  record.manifest_checksum = 11;
  record.sources = {12, uint64_t{1} << 40};
  const auto decoded = DecodeBatchRecord(EncodeBatchRecord(record), "path");
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->totals.of, record.totals.of);
  EXPECT_EQ(decoded->totals.batch, record.totals.batch);
  EXPECT_EQ(decoded->totals.submissions, 4);
  EXPECT_EQ(decoded->totals.reports_in, 5);
  EXPECT_EQ(decoded->totals.duplicates, 6);
  EXPECT_EQ(decoded->totals.fakes, 7);
  EXPECT_EQ(decoded->totals.reports_out, 12);
  EXPECT_EQ(decoded->totals.digest_sum, record.totals.digest_sum);
  EXPECT_EQ(decoded->sealed_bytes, 58);
  EXPECT_EQ(decoded->reports_checksum, 10u);
  EXPECT_EQ(decoded->manifest_checksum, 11u);
  EXPECT_EQ(decoded->sources, record.sources);
}

TEST(BatchRecordTest, RefusesCountsThatContradictEachOther) {
  const auto refused = [](const Manifest& totals, int64_t sealed_bytes) {
    BatchRecord record;
    record.totals = totals;
    record.sealed_bytes = sealed_bytes;
    return absl::IsDataLoss(DecodeBatchRecord(EncodeBatchRecord(record), "path").status());
  };
  Manifest good;
  good.submissions = 2;
  good.reports_in = 3;
  good.fakes = 1;
  good.reports_out = 4;
  EXPECT_FALSE(refused(good, 58));
  EXPECT_TRUE(refused(good, 0));
  EXPECT_TRUE(refused(good, kMaxSealedBytes + 1));
  Manifest wrong = good;
  wrong.reports_out = 5;
  EXPECT_TRUE(refused(wrong, 58));
  wrong = good;
  wrong.submissions = 4;
  EXPECT_TRUE(refused(wrong, 58));
  wrong = good;
  wrong.duplicates = -1;
  EXPECT_TRUE(refused(wrong, 58));
  wrong = good;
  wrong.reports_in = int64_t{1} << 62;
  wrong.reports_out = wrong.reports_in + 1;
  EXPECT_TRUE(refused(wrong, 58));
}

class CountersFilesTest : public ::testing::Test {
 protected:
  ScratchDirectory scratch_{ScratchDirectory::Place::kMemory};
  CountersFiles files_{scratch_.path()};
};

TEST_F(CountersFilesTest, HoldsWhatWasAdopted) {
  CountersRecord record;
  record.counters = {1, 2, 3, 4, 5};
  record.next_sequence = 6;
  record.ended = {7, 9};
  ASSERT_TRUE(files_.Prepare(TaskNumber(1), record).ok());
  EXPECT_THAT(*files_.Load(), IsEmpty());  // a draft is no file, and is gone
  ASSERT_TRUE(files_.Prepare(TaskNumber(1), record).ok());
  ASSERT_TRUE(files_.Adopt(TaskNumber(1)).ok());
  const auto loaded = files_.Load();
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const CountersRecord& found = loaded->at(TaskNumber(1));
  EXPECT_EQ(found.counters.accepted, 1);
  EXPECT_EQ(found.counters.duplicates, 2);
  EXPECT_EQ(found.counters.forwarded, 3);
  EXPECT_EQ(found.counters.expired, 4);
  EXPECT_EQ(found.counters.released_batches, 5);
  EXPECT_EQ(found.next_sequence, 6u);
  EXPECT_THAT(found.ended, ElementsAre(7, 9));
}

TEST_F(CountersFilesTest, RefusesCountersOfAnotherTaskAndForeignFiles) {
  ASSERT_TRUE(files_.Prepare(TaskNumber(1), {}).ok());
  ASSERT_TRUE(files_.Adopt(TaskNumber(1)).ok());
  const std::string path = scratch_.path() + "/";
  ASSERT_TRUE(Rename(path + ToHex(TaskNumber(1)), path + ToHex(TaskNumber(2))).ok());
  EXPECT_TRUE(absl::IsDataLoss(files_.Load().status()));
  ASSERT_TRUE(Rename(path + ToHex(TaskNumber(2)), path + "README").ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(files_.Load().status()));
}

TEST_F(CountersFilesTest, RefusesCountsThatNothingCanBeAddedTo) {
  for (const int64_t accepted : {int64_t{-1}, std::numeric_limits<int64_t>::max()}) {
    CountersRecord record;
    record.counters.accepted = accepted;
    ASSERT_TRUE(files_.Prepare(TaskNumber(1), record).ok());
    ASSERT_TRUE(files_.Adopt(TaskNumber(1)).ok());
    EXPECT_TRUE(absl::IsDataLoss(files_.Load().status())) << accepted;
  }
}

TEST(OutboxTest, ABatchWithoutARecordIsDamage) {
  ScratchDirectory scratch{ScratchDirectory::Place::kMemory};
  const Outbox outbox(scratch.path());
  ASSERT_TRUE(MakeDirectory(scratch.path() + "/" + ToHex(BatchId{1})).ok());
  EXPECT_TRUE(absl::IsDataLoss(outbox.Recover().status()));
}

Digest DigestNumber(uint32_t number) {
  Digest digest{};
  for (int i = 0; i < 4; ++i) digest.bytes[3 - i] = static_cast<uint8_t>(number >> (8 * i));
  return digest;
}

class SeenFilesTest : public ::testing::Test {
 protected:
  void Merge(uint32_t window, const std::vector<uint32_t>& numbers) {
    DigestsByWindow digests;
    for (const uint32_t number : numbers) digests[window].push_back(DigestNumber(number));
    ASSERT_TRUE(files_.Merge(TaskNumber(1), digests, 0).ok());
  }
  std::vector<Digest> Load(uint32_t only_window) {
    std::vector<Digest> found;
    const absl::Status status =
        files_.Load([&](const TaskId& task, uint32_t window, absl::Span<const Digest> digests) {
          EXPECT_EQ(task, TaskNumber(1));
          if (window == only_window) found.insert(found.end(), digests.begin(), digests.end());
        });
    EXPECT_TRUE(status.ok()) << status;
    return found;
  }

  ScratchDirectory scratch_{ScratchDirectory::Place::kMemory};
  SeenFiles files_{scratch_.path()};
};

TEST_F(SeenFilesTest, MergesSortedAndOnce) {
  Merge(7, {5, 1, 9, 5});
  Merge(7, {4, 9, 10, 0});
  Merge(8, {2});
  EXPECT_THAT(Load(7), ElementsAre(DigestNumber(0), DigestNumber(1), DigestNumber(4),
                                   DigestNumber(5), DigestNumber(9), DigestNumber(10)));
  EXPECT_THAT(Load(8), ElementsAre(DigestNumber(2)));
}

TEST_F(SeenFilesTest, MergesMoreThanAChunk) {
  std::vector<uint32_t> odd, even;
  std::vector<Digest> all;
  for (uint32_t i = 0; i < 150000; ++i) {
    (i % 2 == 0 ? even : odd).push_back(i);
    all.push_back(DigestNumber(i));
  }
  std::reverse(odd.begin(), odd.end());
  Merge(7, odd);
  Merge(7, even);
  Merge(7, odd);
  EXPECT_EQ(Load(7), all);
}

TEST_F(SeenFilesTest, ForgetsOlderWindowsAndLeavesThemOut) {
  Merge(6, {1});
  Merge(7, {2});
  Merge(8, {3});
  ASSERT_TRUE(files_.Forget(TaskNumber(1), 8).ok());
  EXPECT_THAT(Load(6), IsEmpty());
  EXPECT_THAT(Load(7), IsEmpty());
  EXPECT_THAT(Load(8), ElementsAre(DigestNumber(3)));
  DigestsByWindow old = {{7, {DigestNumber(4)}}};
  ASSERT_TRUE(files_.Merge(TaskNumber(1), old, 8).ok());
  EXPECT_THAT(Load(7), IsEmpty());
}

TEST_F(SeenFilesTest, RefusesANumberOfDigestsWhoseBytesOverflow) {
  std::string body;
  PutBytes(TaskNumber(1), body);
  PutNumber(uint32_t{7}, body);
  PutNumber(int64_t{1} << 60, body);  // times 16 bytes is 2^64
  PutNumber(uint32_t{0}, body);
  const std::string directory = scratch_.path() + "/" + ToHex(TaskNumber(1));
  ASSERT_TRUE(MakeDirectory(directory).ok());
  ASSERT_TRUE(WriteNewFile(directory + "/7.digests", WrapRecord("TMBLSEEN", body)).ok());
  EXPECT_TRUE(
      absl::IsDataLoss(files_.Load([](const TaskId&, uint32_t, absl::Span<const Digest>) {})));
}

TEST_F(SeenFilesTest, ReportsDamageAtEveryByte) {
  Merge(7, {1, 2});
  const std::string path = scratch_.path() + "/" + ToHex(TaskNumber(1)) + "/7.digests";
  const std::string bytes = *ReadSmallFile(path);
  const auto load = [&] {
    return files_.Load([](const TaskId&, uint32_t, absl::Span<const Digest>) {});
  };
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string wrong = bytes;
    wrong[i] = static_cast<char>(wrong[i] ^ 0x20);
    for (const std::string& content : {wrong, bytes.substr(0, i)}) {
      ASSERT_TRUE(RemoveFile(path).ok());
      ASSERT_TRUE(WriteNewFile(path, content).ok());
      EXPECT_TRUE(absl::IsDataLoss(load())) << i;
    }
  }
}

}  // namespace
}  // namespace tombola::shuffler
