// The held log: what is written is read, torn tails are cut, damage is reported.
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "common/base/encoding.h"
#include "common/disk/directory.h"
#include "common/disk/file.h"
#include "common/disk/whole_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "shuffler/log/log_format.h"
#include "shuffler/log/log_writer.h"
#include "shuffler/log/test_log.h"
#include "shuffler/store/store_harness.h"
#include "tests/support/scratch_directory.h"

namespace tombola::shuffler {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

Digest LoggedDigest(uint64_t number) {
  return SubmissionDigest(TaskNumber(1), AsBytes(IdOf(number)));
}

class LogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto writer = LogWriter::Create(scratch_.path() + "/task", header_, {});
    ASSERT_TRUE(writer.ok()) << writer.status();
    writer_ = *std::move(writer);
    path_ = writer_->info().path;
  }

  // One commit with one submission a number; where its frame begins.
  int64_t Commit(const std::vector<uint64_t>& numbers, int64_t duplicates = 0) {
    const int64_t begin = writer_->info().end;
    FrameBuilder frame;
    for (const uint64_t number : numbers) {
      frame.Add(LoggedDigest(number), 7, 1, AsBytes(ReportOf(number)));
    }
    EXPECT_TRUE(writer_->Append(frame, duplicates).ok());
    return begin;
  }

  // The log's bytes up to the end of its last frame.
  std::string Bytes() const {
    return ReadSmallFile(path_)->substr(0, static_cast<size_t>(writer_->info().end));
  }

  // What recovery finds in a log of these bytes.
  absl::StatusOr<LogInfo> Recover(const std::string& bytes) {
    found_.clear();
    const std::string copy = scratch_.path() + "/copy.log";
    EXPECT_TRUE(RemoveFile(copy).ok());
    EXPECT_TRUE(WriteNewFile(copy, bytes).ok());
    const auto info = RecoverLog(copy, [&](const SubmissionView& submission) {
      found_.push_back(NumberOf(AsView(submission.reports)));
      EXPECT_EQ(submission.id, LoggedDigest(found_.back()));
    });
    recovered_ = *ReadSmallFile(copy);
    return info;
  }

  ScratchDirectory scratch_{ScratchDirectory::Place::kMemory};
  const LogHeader header_ = {{TaskNumber(1), KeyNumber(1)}, kSealedBytes, 3, 0x123456789ABCDEF0};
  std::unique_ptr<LogWriter> writer_;
  std::string path_;
  std::vector<uint64_t> found_;
  std::string recovered_;  // the copy after recovery
};

TEST_F(LogTest, ReadsWhatWasWritten) {
  Commit({1, 2, 3}, 4);
  Commit({4}, 1);
  std::vector<uint64_t> found;
  ASSERT_TRUE(ReadLog(writer_->info(), [&](const SubmissionView& submission) {
                found.push_back(NumberOf(AsView(submission.reports)));
                EXPECT_EQ(submission.window, 7u);
              }).ok());
  EXPECT_THAT(found, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(writer_->info().amounts.submissions, 4);
  EXPECT_EQ(writer_->info().amounts.duplicates, 5);
}

TEST_F(LogTest, RecoversEverythingAndDropsTheSpaceTakenInAdvance) {
  Commit({1, 2}, 3);
  Commit({5});
  const std::string whole = *ReadSmallFile(path_);
  ASSERT_GT(whole.size(), Bytes().size());  // zeros follow
  const auto info = Recover(whole);
  ASSERT_TRUE(info.ok()) << info.status();
  EXPECT_THAT(found_, ElementsAre(1, 2, 5));
  EXPECT_EQ(info->end, writer_->info().end);
  EXPECT_EQ(info->frames, 2u);
  EXPECT_EQ(info->amounts.submissions, 3);
  EXPECT_EQ(info->amounts.reports, 3);
  EXPECT_EQ(info->amounts.duplicates, 3);
  EXPECT_EQ(info->header.sequence, 3u);
  EXPECT_EQ(recovered_, Bytes());
}

// However much of the last frame reached the disk, and whether or not space was taken behind it:
// the frames before it count, it does not, and it is gone afterwards.
TEST_F(LogTest, CutsATornTailAtEveryByte) {
  Commit({1, 2});
  const auto last = static_cast<size_t>(Commit({3, 4}));
  const std::string bytes = Bytes();
  for (size_t kept = last; kept < bytes.size(); ++kept) {
    for (const size_t zeros : {size_t{0}, bytes.size() - kept, size_t{4096}}) {
      const std::string torn = bytes.substr(0, kept) + std::string(zeros, '\0');
      if (torn == bytes) continue;  // the frame happens to end in zeros
      const auto info = Recover(torn);
      ASSERT_TRUE(info.ok()) << info.status() << " kept " << kept << " zeros " << zeros;
      ASSERT_THAT(found_, ElementsAre(1, 2)) << kept;
      ASSERT_EQ(recovered_, bytes.substr(0, last)) << kept;
    }
  }
}

// Sectors reach the disk in any order, so any byte of the last frame may be missing or wrong.
TEST_F(LogTest, CutsALastFrameWithAnyByteWrong) {
  Commit({1, 2});
  const auto last = static_cast<size_t>(Commit({3, 4}));
  const std::string bytes = Bytes();
  for (size_t place = last; place < bytes.size(); ++place) {
    for (const char change : {'\x01', '\x80'}) {
      std::string wrong = bytes;
      wrong[place] = static_cast<char>(wrong[place] ^ change);
      const auto info = Recover(wrong + std::string(1000, '\0'));
      ASSERT_TRUE(info.ok()) << info.status() << " at " << place;
      ASSERT_THAT(found_, ElementsAre(1, 2)) << place;
    }
  }
}

TEST_F(LogTest, CutsGarbageAfterTheLastFrame) {
  Commit({1});
  ASSERT_TRUE(Recover(Bytes() + std::string(500, 'x')).ok());
  EXPECT_THAT(found_, ElementsAre(1));
  EXPECT_EQ(recovered_, Bytes());
}

// A frame follows, so the damaged one was synced and acknowledged: nothing is dropped in silence.
TEST_F(LogTest, ReportsDamageBeforeTheLastFrameAtEveryByte) {
  Commit({1});
  const auto middle = static_cast<size_t>(Commit({2, 3}));
  const auto last = static_cast<size_t>(Commit({4}));
  const std::string bytes = Bytes();
  for (size_t place = middle; place < last; ++place) {
    std::string wrong = bytes;
    wrong[place] = static_cast<char>(wrong[place] ^ 0x10);
    const auto info = Recover(wrong + std::string(100, '\0'));
    ASSERT_TRUE(absl::IsDataLoss(info.status())) << place << " " << info.status();
    ASSERT_THAT(std::string(info.status().message()),
                HasSubstr("offset " + std::to_string(middle)));
    ASSERT_THAT(std::string(info.status().message()), HasSubstr("copy.log"));
    ASSERT_EQ(recovered_, wrong + std::string(100, '\0'));  // left as it is
  }
}

TEST_F(LogTest, ReportsDamageFollowedByALargeGap) {
  Commit({1});
  const auto middle = static_cast<size_t>(Commit(Range(2, 30000)));  // above one chunk of reading
  Commit({30001});
  std::string wrong = Bytes();
  wrong[middle] = 'x';
  EXPECT_TRUE(absl::IsDataLoss(Recover(wrong).status()));
}

TEST_F(LogTest, ReportsAPayloadDamagedBeforeAnythingElse) {
  Commit({1});
  Commit({2});
  std::string wrong = Bytes();
  wrong[wrong.size() - 1] = static_cast<char>(wrong.back() ^ 1);
  EXPECT_TRUE(Recover(wrong).ok());
  EXPECT_TRUE(absl::IsDataLoss(Recover(wrong + std::string(50, '\0') + "x").status()));
}

TEST_F(LogTest, ReportsAMissingFrame) {
  const auto first = static_cast<size_t>(Commit({1}));
  const auto second = static_cast<size_t>(Commit({2}));
  Commit({3});
  std::string bytes = Bytes();
  bytes.erase(first, second - first);
  const auto info = Recover(bytes);
  EXPECT_TRUE(absl::IsDataLoss(info.status())) << info.status();
  EXPECT_THAT(std::string(info.status().message()), HasSubstr("frame 1 where 0 belongs"));
}

TEST_F(LogTest, ReportsADamagedHeaderAtEveryByte) {
  Commit({1});
  const std::string bytes = Bytes();
  for (size_t place = 0; place < kLogHeaderBytes; ++place) {
    std::string wrong = bytes;
    wrong[place] = static_cast<char>(wrong[place] ^ 0x10);
    ASSERT_TRUE(absl::IsDataLoss(Recover(wrong).status())) << place;
    ASSERT_TRUE(absl::IsDataLoss(Recover(bytes.substr(0, place)).status())) << place;
  }
}

// A sender who knows the format but not the salt cannot make a torn frame look like damage.
TEST_F(LogTest, ReportsThatLookLikeFramesAreOnlyReports) {
  FrameBuilder imitation;
  const absl::Span<const uint8_t> fake = imitation.Finish(2, 0, /*salt=*/0);
  std::string report(AsView(fake));
  report.resize(kSealedBytes, 'x');
  Commit({1});
  const auto last = static_cast<size_t>(writer_->info().end);
  FrameBuilder frame;
  frame.Add(LoggedDigest(2), 7, 1, AsBytes(report));
  ASSERT_TRUE(writer_->Append(frame, 0).ok());
  std::string torn = Bytes();
  torn[last] = '\0';
  ASSERT_TRUE(Recover(torn).ok());
  EXPECT_THAT(found_, ElementsAre(1));
}

TEST_F(LogTest, StrictReadingReportsATornTail) {
  Commit({1});
  const int64_t last = Commit({2});
  {
    const auto file = File::OpenToWrite(path_);
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->WriteAt(last + 40, AsBytes("damage")).ok());
  }
  const absl::Status status = ReadLog(writer_->info(), [](const SubmissionView&) {});
  EXPECT_TRUE(absl::IsDataLoss(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("offset " + std::to_string(last)));
}

TEST_F(LogTest, ALogOfManyStepsIsReadWhole) {
  int64_t submissions = 0;
  while (writer_->info().end < (int64_t{3} << 20)) {
    Commit(Range(submissions + 1, submissions + 2000));
    submissions += 2000;
  }
  const auto info = Recover(*ReadSmallFile(path_));
  ASSERT_TRUE(info.ok());
  EXPECT_THAT(found_, ElementsAreArray(Range(1, submissions)));
}

TEST_F(LogTest, SaysWhereAWholeFrameHoldsNoWholeSubmissions) {
  Commit({1});
  const std::string start = Bytes();
  for (const uint16_t reports : {0, 2}) {  // there is one
    FrameBuilder frame;
    frame.Add(LoggedDigest(2), 7, reports, AsBytes(ReportOf(2)));
    const auto info = Recover(start + std::string(AsView(frame.Finish(1, 0, header_.salt))));
    EXPECT_TRUE(absl::IsDataLoss(info.status())) << info.status();
    EXPECT_THAT(std::string(info.status().message()),
                HasSubstr(absl::StrCat("copy.log, offset ", start.size())));
  }
}

// The dump in docs/store-format.md, made by another program.
TEST(LogFormatTest, IsTheOneInTheDocumentation) {
  const LogHeader header = {{TaskNumber(0x11), {0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7, 0xA8}, 9},
                            8,
                            5,
                            0x0102030405060708};
  const auto repeated = [](uint8_t byte) {
    Digest digest;
    digest.bytes.fill(byte);
    return digest;
  };
  FrameBuilder frame;
  frame.Add(repeated(0xD1), 7, 1, AsBytes("REPORT-1"));
  frame.Add(repeated(0xD2), 7, 2, AsBytes("REPORT-2REPORT-3"));
  const std::string log =
      EncodeLogHeader(header) + std::string(AsView(frame.Finish(0, 3, header.salt)));
  EXPECT_EQ(
      absl::BytesToHexString(log),
      "544d424c48454c4402000000440000001111111111111111111111111111111111111111111111111111111111"
      "111111a1a2a3a4a5a6a7a80900000000000000080000000500000000000000080706050403020120b5f86e5446"
      "524d0000000044000000020000000300000059721ab375a35a50d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1070000"
      "0001005245504f52542d31d2d2d2d2d2d2d2d2d2d2d2d2d2d2d2d20700000002005245504f52542d325245504f"
      "52542d33");
}

TEST(FrameTest, APayloadMustBeWholeSubmissions) {
  FrameBuilder frame;
  frame.Add(LoggedDigest(1), 7, 1, AsBytes(ReportOf(1)));
  const absl::Span<const uint8_t> payload = frame.Finish(0, 0, 0).subspan(kFrameHeaderBytes);
  FrameLayout layout = {.sealed_bytes = kSealedBytes};
  EXPECT_TRUE(CountReports(payload, 1, layout).ok());
  EXPECT_TRUE(absl::IsDataLoss(CountReports(payload, 2, layout).status()));
  EXPECT_TRUE(absl::IsDataLoss(CountReports(payload, 0, layout).status()));
  layout.sealed_bytes = kSealedBytes + 1;
  EXPECT_TRUE(absl::IsDataLoss(CountReports(payload, 1, layout).status()));
}

}  // namespace
}  // namespace tombola::shuffler
