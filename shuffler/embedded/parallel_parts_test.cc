// The parts that let a start and a release use all cores.
#include <algorithm>
#include <atomic>
#include <set>
#include <string>
#include <vector>

#include "common/base/encoding.h"
#include "common/crypto/report_digest.h"
#include "common/disk/directory.h"
#include "common/disk/whole_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "shuffler/digests/digest.h"
#include "shuffler/digests/digest_index.h"
#include "shuffler/embedded/digest_loader.h"
#include "shuffler/embedded/held_reports.h"
#include "shuffler/embedded/work_line.h"
#include "shuffler/log/frame_reader.h"
#include "shuffler/log/log_reader.h"
#include "shuffler/log/log_writer.h"
#include "shuffler/store/store_harness.h"
#include "tests/support/scratch_directory.h"
#include "tests/support/seeded_random.h"

namespace tombola::shuffler {
namespace {

std::vector<Digest> RandomDigests(size_t n, uint64_t seed) {
  SeededRandom random(seed);
  std::vector<Digest> digests(n);
  for (Digest& digest : digests) random.Fill(absl::MakeSpan(digest.bytes));
  return digests;
}

TEST(WorkLineTest, DoesEveryItemOnceAndHoldsFew) {
  for (const size_t threads : {1, 2, 5}) {
    std::atomic<int64_t> sum = 0;
    std::set<const void*> memory;  // of the items, which come back
    {
      WorkLine<std::vector<int64_t>> line(threads, [&](size_t worker, std::vector<int64_t>& item) {
        EXPECT_LT(worker, threads);
        sum += item.front();
      });
      for (int64_t i = 1; i <= 1000; ++i) {
        std::vector<int64_t> item = line.Spare();
        item.assign(1, i);
        memory.insert(item.data());
        line.Add(std::move(item));
      }
    }
    EXPECT_EQ(sum, 500500);
    EXPECT_LE(memory.size(), 2 * threads + 1);
  }
}

TEST(WorkLineTest, NothingToDo) {
  WorkLine<int> line(2, [](size_t, int&) { FAIL(); });
  line.Finish();
}

TEST(DigestSortTest, SortsAnything) {
  for (const size_t n : {0, 1, 2, 100, 4095, 4096, 50000}) {
    for (const size_t threads : {1, 2, 7}) {
      std::vector<Digest> random = RandomDigests(n, n), expected = random;
      std::sort(expected.begin(), expected.end());
      SortDigests(absl::MakeSpan(random), threads);
      EXPECT_EQ(random, expected) << n;
    }
  }
}

// What no hash yields: all in one part, all equal, in order, in reverse.
TEST(DigestSortTest, SortsWhatIsNotRandom) {
  std::vector<Digest> digests = RandomDigests(10000, 1);
  for (Digest& digest : digests) digest.bytes[0] = 7;
  std::vector<Digest> expected = digests;
  std::sort(expected.begin(), expected.end());
  SortDigests(absl::MakeSpan(digests), 2);
  EXPECT_EQ(digests, expected);
  SortDigests(absl::MakeSpan(digests), 2);
  EXPECT_EQ(digests, expected);
  std::reverse(digests.begin(), digests.end());
  SortDigests(absl::MakeSpan(digests), 2);
  EXPECT_EQ(digests, expected);
  std::vector<Digest> same(10000, digests.front());
  SortDigests(absl::MakeSpan(same), 2);
  EXPECT_EQ(same, std::vector<Digest>(10000, digests.front()));
}

TEST(TaskDigestsTest, ADigestIsKnownInOneWindow) {
  TaskDigests known;
  const std::vector<Digest> digests = RandomDigests(1000, 2);
  for (const Digest& digest : digests) EXPECT_TRUE(known.Insert(7, digest));
  EXPECT_EQ(known.size(), 1000);
  for (const Digest& digest : digests) EXPECT_FALSE(known.Insert(8, digest));
  known.Remove(8, digests[0]);  // not there
  EXPECT_EQ(known.size(), 1000);
  known.Remove(7, digests[0]);
  EXPECT_EQ(known.size(), 999);
  EXPECT_TRUE(known.Insert(8, digests[0]));
  known.ForgetBefore(8);
  EXPECT_EQ(known.size(), 1);
  EXPECT_EQ(known.oldest(), 8u);
  known.ForgetBefore(3);
  EXPECT_EQ(known.oldest(), 8u);
}

TEST(DigestLoaderTest, LoadsWhatInsertingOneByOneWould) {
  const TaskId first{1}, second{2};
  const std::vector<Digest> digests = RandomDigests(30000, 3);
  const absl::Span<const Digest> all = digests;
  for (const size_t threads : {1, 2, 4}) {
    DigestIndex index;
    index[first].ForgetBefore(7);
    {
      DigestLoader loader(threads, index);
      loader.AddSeen(first, 7, all.first(10000));
      loader.AddSeen(first, 8, all.subspan(10000, 10000));
      loader.AddSeen(second, 7, all.subspan(5000, 10000));  // another task's: no duplicates
      loader.AddSeen(first, 7, all.subspan(0, 5000));       // held and seen
      loader.AddSeen(first, 6, all.subspan(20000));         // forgotten
      loader.AddSeen(first, 6, all.first(10));              // and again in a window that is not
    }
    EXPECT_EQ(index[first].size(), 20000);
    EXPECT_EQ(index[second].size(), 10000);
    for (size_t i = 0; i < 20000; ++i) ASSERT_FALSE(index[first].Insert(9, digests[i])) << i;
    for (size_t i = 20000; i < 30000; ++i) ASSERT_TRUE(index[first].Insert(9, digests[i])) << i;
    index[first].ForgetBefore(8);
    EXPECT_EQ(index[first].size(), 20000);
  }
}

// Logs with frames of all sizes, the largest larger than what is read at once.
class HeldReportsTest : public ::testing::Test {
 protected:
  static constexpr int64_t kSealed = 60;
  const LogHeader header_ = {{TaskNumber(1), KeyNumber(2)}, kSealed, 0, 99};

  std::string Report(uint64_t number) {
    std::string report(kSealed, 'r');
    std::memcpy(report.data(), &number, sizeof(number));
    return report;
  }
  Digest Id(uint64_t number) {
    Digest digest{};
    std::memcpy(digest.bytes.data(), &number, sizeof(number));
    return digest;
  }

  LogInfo Write(uint64_t sequence, const std::vector<int>& frames) {
    LogHeader header = header_;
    header.sequence = sequence;
    auto writer = LogWriter::Create(scratch_.path(), header, {});
    EXPECT_TRUE(writer.ok()) << writer.status();
    for (const int submissions : frames) {
      FrameBuilder frame;
      for (int i = 0; i < submissions; ++i) {
        const uint16_t count = i % 3 == 0 ? 2 : 1;
        std::string reports;
        for (int r = 0; r < count; ++r) {
          const std::string report = Report(next_report_++);
          sum_.Add(crypto::ReportDigest(header.of.task, header.of.key, AsBytes(report)));
          reports += report;
        }
        written_ += reports;
        frame.Add(Id(next_id_++), i % 2 == 0 ? 7 : 8, count, AsBytes(reports));
      }
      EXPECT_TRUE((*writer)->Append(frame, 1).ok());
    }
    return (*writer)->info();
  }

  ScratchDirectory scratch_{ScratchDirectory::Place::kMemory};
  uint64_t next_report_ = 0, next_id_ = 0;
  std::string written_;
  crypto::DigestSum sum_;
};

TEST_F(HeldReportsTest, FindsEverythingInItsOrder) {
  std::vector<int> many_small(3000, 1);
  many_small.push_back(0);
  const std::vector<LogInfo> logs = {Write(1, {1, 40000, 3, 0, 20000}), Write(2, many_small),
                                     Write(3, {})};
  for (const size_t threads : {1, 2, 4}) {
    std::string taken;
    const auto take = [&](absl::Span<const uint8_t> reports) {
      taken += std::string(AsView(reports));
      return absl::OkStatus();
    };
    std::vector<uint8_t> memory(written_.size());
    for (const bool in_memory : {false, true}) {
      const auto held = ReadHeld(
          logs, threads,
          in_memory ? ReportsTo{.memory = absl::MakeSpan(memory)} : ReportsTo{.take = take});
      ASSERT_TRUE(held.ok()) << held.status();
      EXPECT_EQ(held->submissions, static_cast<int64_t>(next_id_));
      EXPECT_EQ(held->reports, static_cast<int64_t>(next_report_));
      EXPECT_EQ(held->sum.Value(), sum_.Value());
      ASSERT_EQ(held->digests.size(), 2u);
      EXPECT_EQ(held->digests.at(7).size() + held->digests.at(8).size(), next_id_ + next_report_);
      std::set<Digest> sevens(held->digests.at(7).begin(), held->digests.at(7).end());
      EXPECT_TRUE(sevens.contains(Id(0)));
      EXPECT_TRUE(sevens.contains(
          Cut(crypto::ReportDigest(header_.of.task, header_.of.key, AsBytes(Report(0))))));
    }
    EXPECT_TRUE(taken == written_);
    EXPECT_TRUE(AsView(memory) == written_);
  }
}

TEST_F(HeldReportsTest, MoreThanTheMemoryIsDamage) {
  const std::vector<LogInfo> logs = {Write(1, {10, 10})};
  std::vector<uint8_t> memory(written_.size() - kSealed);
  EXPECT_TRUE(
      absl::IsDataLoss(ReadHeld(logs, 2, ReportsTo{.memory = absl::MakeSpan(memory)}).status()));
}

TEST_F(HeldReportsTest, PassesFailuresOn) {
  const std::vector<LogInfo> logs = {Write(1, {10, 10})};
  const auto full = [](absl::Span<const uint8_t>) { return absl::ResourceExhaustedError("full"); };
  EXPECT_EQ(ReadHeld(logs, 2, {.take = full}).status().message(), "full");
}

// Every byte of every frame, small and large: recovery finds what reading one by one finds.
TEST_F(HeldReportsTest, DamageInTheMiddleIsFoundWhereverItIs) {
  const LogInfo log = Write(1, {5, 30000, 5, 5});
  const std::string whole = *ReadSmallFile(log.path);
  SeededRandom random(8);
  for (int run = 0; run < 20; ++run) {
    std::string wrong = whole.substr(0, static_cast<size_t>(log.end));
    // Not in the last frame, which might be torn: it has 5 submissions of at most 2 reports.
    const size_t end =
        wrong.size() - kFrameHeaderBytes - 5 * (kSubmissionHeaderBytes + 2 * kSealed);
    const size_t place = kLogHeaderBytes + UniformBelow(end - kLogHeaderBytes, random);
    wrong[place] = static_cast<char>(wrong[place] ^ 1);
    const std::string path = scratch_.path() + "/wrong";
    ASSERT_TRUE(RemoveFile(path).ok());
    ASSERT_TRUE(WriteNewFile(path, wrong).ok());
    const auto drop = [](FrameChunk&) { return absl::OkStatus(); };
    EXPECT_TRUE(absl::IsDataLoss(RecoverLogChunks(path, drop).status())) << place;
    EXPECT_EQ(*ReadSmallFile(path), wrong);
    LogInfo info = log;
    info.path = path;
    EXPECT_TRUE(absl::IsDataLoss(ReadLogChunks(info, drop))) << place;
  }
}

}  // namespace
}  // namespace tombola::shuffler
