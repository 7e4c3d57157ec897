// What stands between a store's reader and its writer.
#include "shuffler/release/batch_release.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/encoding.h"
#include "common/crypto/report_digest.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "shuffler/embedded/embedded_store.h"
#include "shuffler/store/store_harness.h"
#include "tests/support/scratch_directory.h"
#include "tests/support/seeded_random.h"

namespace tombola::shuffler {
namespace {

using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

absl::StatusOr<std::string> PlainManifest(const Manifest&) { return "manifest"; }

class BatchReleaseTest : public ::testing::Test {
 protected:
  BatchReleaseTest() { Reopen(); }

  void Reopen() {
    store_.reset();
    store_ = *EmbeddedStore::Open({.directory = scratch_.path() + "/store"});
    ASSERT_TRUE(store_->AddTask(of_.task, kSealedBytes, kMostReports).ok());
  }
  void Send(const std::vector<uint64_t>& numbers) {
    ASSERT_TRUE(Submit(*store_, {.numbers = numbers}).ok());
  }
  absl::StatusOr<Manifest> Run(ReleaseRequest request) {
    request.of = of_;
    if (!request.make_manifest) request.make_manifest = PlainManifest;
    return BatchRelease::Create(options_)->Run(*store_, request, random_);
  }

  const BatchKey of_ = {TaskNumber(1), KeyNumber(1)};
  ScratchDirectory scratch_{ScratchDirectory::Place::kMemory};
  ReleaseOptions options_ = {.scratch_directory = scratch_.path() + "/blocks"};
  SeededRandom random_{42};
  std::unique_ptr<EmbeddedStore> store_;
};

TEST_F(BatchReleaseTest, ABatchHasTheReportsTheirSumAndItsManifest) {
  Send(Range(1, 100));
  Send({5, 6});
  Manifest seen;
  const auto totals = Run({.make_manifest = [&](const Manifest& of) -> absl::StatusOr<std::string> {
    seen = of;
    return "signed";
  }});
  ASSERT_TRUE(totals.ok()) << totals.status();
  crypto::DigestSum sum;
  for (uint64_t number = 1; number <= 100; ++number) {
    sum.Add(crypto::ReportDigest(of_.task, of_.key, AsBytes(ReportOf(number))));
  }
  EXPECT_EQ(totals->digest_sum, sum.Value());
  EXPECT_EQ(totals->of, of_);
  EXPECT_EQ(totals->submissions, 100);
  EXPECT_EQ(totals->duplicates, 2);
  EXPECT_EQ(totals->fakes, 0);
  EXPECT_EQ(seen.batch, totals->batch);
  EXPECT_EQ(seen.digest_sum, totals->digest_sum);
  EXPECT_EQ(*store_->ReadManifest(totals->batch), "signed");
  const auto numbers = NumbersIn(*store_, totals->batch);
  ASSERT_TRUE(numbers.ok());
  EXPECT_THAT(*numbers, UnorderedElementsAreArray(Range(1, 100)));
  // A fixed seed; the chance of the order of arrival is 1 / 100!.
  EXPECT_FALSE(std::is_sorted(numbers->begin(), numbers->end()));
}

TEST_F(BatchReleaseTest, AScatteredReleaseHasTheSameReports) {
  options_.memory_limit_bytes = 20 * kSealedBytes;
  Send(Range(1, 300));
  Send(Range(301, 500));
  const auto totals = Run({});
  ASSERT_TRUE(totals.ok()) << totals.status();
  EXPECT_EQ(totals->reports_out, 500);
  const auto numbers = NumbersIn(*store_, totals->batch);
  ASSERT_TRUE(numbers.ok()) << numbers.status();
  EXPECT_THAT(*numbers, UnorderedElementsAreArray(Range(1, 500)));
  EXPECT_FALSE(std::is_sorted(numbers->begin(), numbers->end()));
}

// A process that is killed while a batch is scattered leaves nothing of it there.
TEST_F(BatchReleaseTest, BlockFilesHaveNoNames) {
  options_.memory_limit_bytes = 20 * kSealedBytes;
  Send(Range(1, 100));
  int drawn = 0;
  const FakeReports fakes{.count = 1, .draw = [&](absl::Span<uint8_t>) {
                            ++drawn;
                            EXPECT_THAT(FilesIn(options_.scratch_directory), IsEmpty());
                            return absl::OkStatus();
                          }};
  ASSERT_TRUE(Run({.fakes = fakes}).ok());
  EXPECT_EQ(drawn, 1);
}

// In memory and scattered over files: all of both are there, and no more after a restart.
TEST_F(BatchReleaseTest, FakesAreAmongTheReports) {
  for (const int64_t limit : {1000 * kSealedBytes, 20 * kSealedBytes}) {
    options_.memory_limit_bytes = limit;
    const uint64_t base = static_cast<uint64_t>(limit) * 10000;
    Send(Range(base + 1, base + 100));
    uint64_t next = base + 1001;
    const FakeReports fakes{.count = 50, .draw = [&](absl::Span<uint8_t> report) {
                              const std::string bytes = ReportOf(next++);
                              std::copy(bytes.begin(), bytes.end(), report.begin());
                              return absl::OkStatus();
                            }};
    const auto totals = Run({.fakes = fakes});
    ASSERT_TRUE(totals.ok()) << totals.status();
    EXPECT_EQ(totals->submissions, 100);
    EXPECT_EQ(totals->reports_in, 100);
    EXPECT_EQ(totals->fakes, 50);
    EXPECT_EQ(totals->reports_out, 150);
    std::vector<uint64_t> all = Range(base + 1, base + 100);
    const std::vector<uint64_t> drawn = Range(base + 1001, base + 1050);
    all.insert(all.end(), drawn.begin(), drawn.end());
    for (const bool restarted : {false, true}) {
      if (restarted) Reopen();
      const auto numbers = NumbersIn(*store_, totals->batch);
      ASSERT_TRUE(numbers.ok()) << numbers.status();
      EXPECT_THAT(*numbers, UnorderedElementsAreArray(all));
      // Neither before nor behind the others.
      const auto fake = [&](uint64_t number) { return number > base + 1000; };
      EXPECT_FALSE(std::is_partitioned(numbers->begin(), numbers->end(), fake));
      EXPECT_FALSE(std::is_partitioned(numbers->rbegin(), numbers->rend(), fake));
    }
  }
}

TEST_F(BatchReleaseTest, AFakeThatFailsLeavesEverythingHeld) {
  Send({1, 2});
  const FakeReports fakes{
      .count = 1, .draw = [](absl::Span<uint8_t>) { return absl::InternalError("cannot seal"); }};
  EXPECT_TRUE(absl::IsInternal(Run({.fakes = fakes}).status()));
  EXPECT_EQ(HeldSubmissions(*store_), 2);
  EXPECT_EQ(Run({})->reports_out, 2);
}

TEST_F(BatchReleaseTest, ARefusedManifestLeavesEverythingHeld) {
  Send({1, 2});
  const auto refuse = [&](const Manifest&) -> absl::StatusOr<std::string> {
    Send({3});  // is held anew meanwhile
    return absl::InternalError("no key to sign with");
  };
  EXPECT_TRUE(absl::IsInternal(Run({.make_manifest = refuse}).status()));
  EXPECT_THAT(store_->Outbox(), IsEmpty());
  EXPECT_EQ(HeldSubmissions(*store_), 3);
  EXPECT_EQ(Run({})->submissions, 3);
}

TEST_F(BatchReleaseTest, ASecondReleaseOfTheSameIsRefusedWhileOneRuns) {
  Send({1, 2});
  const auto again = [&](const Manifest&) -> absl::StatusOr<std::string> {
    Send({3});
    EXPECT_TRUE(absl::IsFailedPrecondition(Run({}).status()));
    return "first";
  };
  ASSERT_TRUE(Run({.make_manifest = again}).ok());
  EXPECT_EQ(Run({})->submissions, 1);
}

// The gate has the last word, with what was found to be distinct.
TEST_F(BatchReleaseTest, WhatIsFoundToBeTooFewIsHeldAgain) {
  Send(Range(1, 10));
  std::vector<int64_t> asked;
  bool signed_one = false;
  const ReleaseRequest request = {
      .check =
          [&](int64_t submissions) {
            asked.push_back(submissions);
            return absl::FailedPreconditionError("too few");
          },
      .make_manifest = [&](const Manifest&) -> absl::StatusOr<std::string> {
        signed_one = true;
        return "signed";
      }};
  EXPECT_EQ(Run(request).status().message(), "too few");
  EXPECT_EQ(asked, std::vector<int64_t>{10});
  EXPECT_FALSE(signed_one);
  EXPECT_THAT(store_->Outbox(), IsEmpty());
  EXPECT_EQ(HeldSubmissions(*store_), 10);
}

// Another engine's reader: it recognises repetitions only now, so that there are fewer reports than
// there was room for.
class LateReader final : public Detached {
 public:
  explicit LateReader(const BatchKey& of) : of_(of) {}
  const BatchKey& of() const override { return of_; }
  int64_t sealed_bytes() const override { return kSealedBytes; }
  int64_t most_reports() const override { return 150; }
  absl::StatusOr<DetachedTotals> Read(const ReportsTo& to) override {
    DetachedTotals totals = {
        .submissions = 100, .reports = 100, .duplicates = 50, .digest_sum = {}};
    for (uint64_t number = 1; number <= 100; ++number) {
      const std::string report = ReportOf(number);
      totals.digest_sum.Add(crypto::ReportDigest(of_.task, of_.key, AsBytes(report)));
      if (to.take) {
        if (const absl::Status taken = to.take(AsBytes(report)); !taken.ok()) return taken;
      } else {
        std::copy(report.begin(), report.end(), to.memory.begin() + (number - 1) * kSealedBytes);
      }
    }
    return totals;
  }

 private:
  const BatchKey of_;
};

class StringWriter final : public BatchWriter {
 public:
  explicit StringWriter(std::string& to) : to_(to) {}
  absl::Status Append(absl::Span<const uint8_t> reports) override {
    to_ += std::string(AsView(reports));
    return absl::OkStatus();
  }

 private:
  std::string& to_;
};

class LateStore final : public Store {
 public:
  absl::Status AddTask(const TaskId&, int64_t, int64_t) override { return absl::OkStatus(); }
  void Accept(const SubmitBatch&, AcceptDone) override {}
  void AfterEachCommit(std::function<void(absl::Duration)>) override {}
  absl::StatusOr<int64_t> QueuedBytes(const SubmitBatch&) const override { return 0; }
  Load Kept() const override { return {}; }
  int64_t Digests() const override { return 0; }
  std::vector<HeldInfo> Held() const override { return {}; }
  absl::StatusOr<int64_t> Scatter(const BatchKey&) override { return 0; }
  absl::StatusOr<std::unique_ptr<Detached>> Detach(const BatchKey& of) override {
    return std::make_unique<LateReader>(of);
  }
  absl::StatusOr<std::unique_ptr<BatchWriter>> NewBatch(const BatchId&) override {
    return std::make_unique<StringWriter>(reports);
  }
  absl::Status Publish(std::unique_ptr<Detached>, std::unique_ptr<BatchWriter>, const Manifest& of,
                       absl::string_view) override {
    totals = of;
    return absl::OkStatus();
  }
  absl::StatusOr<int64_t> Destroy(const BatchKey&) override { return 0; }
  std::vector<Manifest> Outbox() const override { return {}; }
  absl::StatusOr<std::string> ReadManifest(const BatchId&) const override { return ""; }
  absl::StatusOr<std::unique_ptr<BatchReader>> Read(const BatchId&) const override {
    return absl::NotFoundError("");
  }
  absl::Status Erase(const BatchId&, BatchEnd) override { return absl::OkStatus(); }
  absl::Status ForgetWindowsBefore(const TaskId&, uint32_t) override { return absl::OkStatus(); }
  TaskCounters Counters(const TaskId&) const override { return {}; }

  std::string reports;
  Manifest totals;
};

TEST_F(BatchReleaseTest, TheManifestCountsWhatTheReleaseFound) {
  for (const int64_t limit : {1000 * kSealedBytes, 20 * kSealedBytes}) {
    options_.memory_limit_bytes = limit;
    LateStore store;
    const FakeReports fakes{.count = 5, .draw = [](absl::Span<uint8_t> report) {
                              const std::string bytes = ReportOf(1000);
                              std::copy(bytes.begin(), bytes.end(), report.begin());
                              return absl::OkStatus();
                            }};
    const auto totals = BatchRelease::Create(options_)->Run(
        store, {.of = of_, .fakes = fakes, .check = {}, .make_manifest = PlainManifest}, random_);
    ASSERT_TRUE(totals.ok()) << totals.status();
    EXPECT_EQ(store.totals.submissions, 100);
    EXPECT_EQ(store.totals.duplicates, 50);
    EXPECT_EQ(store.totals.reports_out, 105);
    ASSERT_EQ(store.reports.size(), 105u * kSealedBytes);
    std::vector<uint64_t> found, expected = Range(1, 100);
    for (size_t at = 0; at < store.reports.size(); at += kSealedBytes) {
      found.push_back(NumberOf(store.reports.substr(at, kSealedBytes)));
    }
    expected.insert(expected.end(), 5, 1000);
    EXPECT_THAT(found, UnorderedElementsAreArray(expected));
  }
}

TEST_F(BatchReleaseTest, RefusesOptionsOutOfTheirBounds) {
  options_.memory_limit_bytes = 0;
  EXPECT_TRUE(absl::IsInvalidArgument(BatchRelease::Create(options_).status()));
  options_.memory_limit_bytes = 1;
  options_.threads = -1;
  EXPECT_TRUE(absl::IsInvalidArgument(BatchRelease::Create(options_).status()));
}

}  // namespace
}  // namespace tombola::shuffler
