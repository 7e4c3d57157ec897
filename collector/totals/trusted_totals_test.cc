#include "collector/totals/trusted_totals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "collector/store/sqlite_ledger.h"
#include "collector/totals/totals_question.h"
#include "common/disk/whole_file.h"
#include "common/random/secure_random.h"
#include "tests/support/scratch_directory.h"
#include "tests/support/test_task.h"

namespace tombola::collector {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kPeriods = 30;
constexpr absl::Duration kDay = absl::Hours(24);

// A task of 30 days with a period a day, of which each has had 100 + p submissions, 3 of them bad.
class TrustedTotalsTest : public ::testing::Test {
 protected:
  TrustedTotalsTest() {
    request_.set_epsilon(1);
    request_.add_of(v1::TOTALS_QUANTITY_PARTICIPANTS);
    request_.add_of(v1::TOTALS_QUANTITY_REJECTED);
    asked_.set_task_id(std::string(AsView(task_->id())));
    asked_.set_of(v1::TOTALS_QUANTITY_PARTICIPANTS);
    asked_.set_confidence(0.95);
  }
  static std::shared_ptr<const Task> Daily(uint32_t submissions = 4) {
    return MakeTestTask([submissions](v1::Task* task) {
      task->mutable_batch_policy()->set_interval(24 * 3600);
      task->set_submissions_per_device(submissions);
    });
  }
  TrustedTotals::Parts Parts() {
    return {.directory = directory_.In("totals"),
            .key_file = directory_.In("totals.key"),
            .catalog = catalog_.get(),
            .ledger = ledger_.get(),
            .random = &random_};
  }
  void Open() {
    totals_.reset();
    auto opened = TrustedTotals::Open(Parts());
    ASSERT_TRUE(opened.ok()) << opened.status();
    totals_ = *std::move(opened);
  }
  // As the administrators' service does.
  void MakeTask() {
    Open();
    const absl::Status begun = totals_->Begin(request_, task_);
    ASSERT_TRUE(begun.ok()) << begun;
    ASSERT_TRUE(catalog_->Add(task_).ok());
  }
  void Count(uint64_t period) {
    BatchRecord record;
    record.batch.fill(static_cast<uint8_t>(period));
    record.of = {.task = task_->id(), .key = {}, .part = period};
    record.good = record.users = record.tally.submissions = 97 + static_cast<int64_t>(period);
    record.rejected.malformed = 3;
    record.counts = {.tables = {{.counts = std::vector<int64_t>(20, 0)}}};
    ASSERT_TRUE(ledger_->Add(record).ok());
  }
  static int64_t Exact(uint64_t period) {
    const auto p = static_cast<int64_t>(period);
    return 100 * p + p * (p + 1) / 2;
  }
  // When so many periods are due.
  absl::Time After(uint64_t periods) const {
    return task_->periods()->Closes(periods) + TotalsWait(*task_) + absl::Seconds(1);
  }
  std::vector<int64_t> Published(v1::TotalsQuantity of = v1::TOTALS_QUANTITY_PARTICIPANTS) {
    asked_.set_of(of);
    const auto totals = totals_->Get(asked_);
    if (!totals.ok()) return {};
    return {totals->totals().begin(), totals->totals().end()};
  }

  SecureRandom random_;
  const ScratchDirectory directory_{ScratchDirectory::Place::kMemory};
  const std::shared_ptr<const Task> task_ = Daily();
  const std::unique_ptr<Catalog> catalog_ = *Catalog::Open(":memory:");
  const std::unique_ptr<BatchLedger> ledger_ = *SqliteLedger::Open(":memory:");
  std::unique_ptr<TrustedTotals> totals_;
  v1::TrustedTotalsRequest request_;
  v1::GetTotalsRequest asked_;
};

// After each period the object goes, as if the daemon were killed.
TEST_F(TrustedTotalsTest, APublishedTotalNeverChanges) {
  MakeTask();
  std::vector<int64_t> participants, rejected;
  for (uint64_t period = 1; period <= kPeriods; ++period) {
    Count(period);
    totals_->Step(After(period) - absl::Seconds(2));
    EXPECT_EQ(Published().size(), period - 1) << "not before its time";
    totals_->Step(After(period));
    totals_->Step(After(period));
    const std::vector<int64_t> now = Published();
    ASSERT_EQ(now.size(), period);
    participants.push_back(now.back());
    rejected.push_back(Published(v1::TOTALS_QUANTITY_REJECTED).back());
    Open();
    EXPECT_EQ(Published(), participants);
    EXPECT_EQ(Published(v1::TOTALS_QUANTITY_REJECTED), rejected);
  }
  const std::vector<v1::TotalsInfo> infos = totals_->Describe(task_->id());
  ASSERT_EQ(infos.size(), 2);
  EXPECT_TRUE(infos[0].ended());
  EXPECT_FALSE(std::filesystem::exists(
      directory_.In(absl::StrCat("totals/", ToHex(task_->id()), "/participants/stream"))))
      << "the seed is erased";
}

// 60 totals with noise that is at most a sum of Laplace noises: one is further than 12 of its
// standard errors with a probability below 60 e^{-12} = 4e-4 (a sum is nearer to a normal law).
TEST_F(TrustedTotalsTest, ATotalIsTheNumberOfParticipantsButForItsNoise) {
  MakeTask();
  for (uint64_t period = 1; period <= kPeriods; ++period) Count(period);
  totals_->Step(After(kPeriods));
  const auto totals = totals_->Get(asked_);
  ASSERT_TRUE(totals.ok()) << totals.status();
  ASSERT_EQ(totals->totals_size(), static_cast<int>(kPeriods));
  for (uint64_t period = 1; period <= kPeriods; ++period) {
    const auto row = static_cast<int>(period - 1);
    EXPECT_NEAR(static_cast<double>(totals->totals(row)), static_cast<double>(Exact(period)),
                12 * totals->standard_errors(row));
    EXPECT_LT(totals->low(row), totals->totals(row));
    EXPECT_GT(totals->high(row), totals->totals(row));
  }
  asked_.set_first_period(7);
  asked_.set_last_period(9);
  const auto some = totals_->Get(asked_);
  ASSERT_TRUE(some.ok());
  EXPECT_EQ(some->first(), 7u);
  ASSERT_EQ(some->totals_size(), 3);
  EXPECT_EQ(some->totals(0), totals->totals(6));
}

TEST_F(TrustedTotalsTest, ABatchThatComesLateIsInLaterTotals) {
  request_.set_epsilon(600);  // hardly any noise
  MakeTask();
  Count(1);
  totals_->Step(After(2));
  Count(2);
  Count(3);
  totals_->Step(After(3));
  const std::vector<int64_t> totals = Published();
  ASSERT_EQ(totals.size(), 3);
  EXPECT_NEAR(static_cast<double>(totals[1]), static_cast<double>(Exact(1) + 4), 1)
      << "the second was taken to have 4 at most";
  EXPECT_NEAR(static_cast<double>(totals[2]), static_cast<double>(Exact(3)), 1);
}

TEST_F(TrustedTotalsTest, SaysWhatIsGuaranteed) {
  MakeTask();
  const std::vector<v1::TotalsInfo> infos = totals_->Describe(task_->id());
  ASSERT_EQ(infos.size(), 2);
  for (const v1::TotalsInfo& info : infos) {
    EXPECT_EQ(info.epsilon(), 0.5) << "half of it each";
    EXPECT_EQ(info.submission_epsilon(), 0.125);
    EXPECT_EQ(info.submissions_per_device(), 4u);
    EXPECT_EQ(info.delta(), 0);
    EXPECT_EQ(info.periods(), kPeriods);
  }
  TotalsQuestion question = *ReadTotalsQuestion(request_, *task_);
  EXPECT_EQ(question.OptionsOf(Quantity::kParticipants).question.intervals, 4);
}

TEST_F(TrustedTotalsTest, EveryStructureGoesOn) {
  for (const char* structure : {"plain", "fenwick", "best", "k_ary", "square_root", "blt"}) {
    const auto catalog = *Catalog::Open(":memory:");
    TrustedTotals::Parts parts = Parts();
    parts.catalog = catalog.get();
    parts.directory = directory_.In(structure);
    v1::TrustedTotalsRequest request;
    request.set_epsilon(1);
    request.set_delta(1e-6);
    request.set_structure(structure);
    std::vector<int64_t> first;
    {
      const auto totals = *TrustedTotals::Open(parts);
      ASSERT_TRUE(totals->Begin(request, task_).ok()) << structure;
      ASSERT_TRUE(catalog->Add(task_).ok());
      totals->Step(After(5));
      const v1::Totals before = *totals->Get(asked_);
      first.assign(before.totals().begin(), before.totals().end());
      EXPECT_EQ(totals->Describe(task_->id())[0].structure(), structure);
    }
    const auto totals = *TrustedTotals::Open(parts);
    totals->Step(After(9));
    const v1::Totals now = *totals->Get(asked_);
    ASSERT_EQ(now.totals_size(), 9);
    EXPECT_TRUE(std::equal(first.begin(), first.end(), now.totals().begin())) << structure;
    EXPECT_LT(now.info().submission_epsilon(), now.info().epsilon());
  }
}

TEST_F(TrustedTotalsTest, ATaskThatNeverGotThereLeavesNothing) {
  Open();
  ASSERT_TRUE(totals_->Begin(request_, task_).ok());
  const std::string directory = directory_.In(absl::StrCat("totals/", ToHex(task_->id())));
  EXPECT_TRUE(std::filesystem::exists(directory));
  Open();  // killed before the task was in the catalogue
  EXPECT_FALSE(std::filesystem::exists(directory));
  ASSERT_TRUE(totals_->Begin(request_, task_).ok());
  totals_->Discard(task_->id());
  EXPECT_FALSE(std::filesystem::exists(directory));
}

TEST_F(TrustedTotalsTest, AnEndThatIsCutShortIsMadeGood) {
  MakeTask();
  totals_->Step(After(kPeriods - 1));
  const std::string directory =
      directory_.In(absl::StrCat("totals/", ToHex(task_->id()), "/participants"));
  const std::string copy = directory_.In("copy");
  totals_.reset();
  std::filesystem::copy(directory, copy, std::filesystem::copy_options::recursive);
  Open();
  totals_->Step(After(kPeriods));
  const std::vector<int64_t> published = Published();
  ASSERT_EQ(published.size(), kPeriods);
  totals_.reset();
  // `ended` was there, and so was still the seed.
  std::filesystem::copy(copy + "/stream", directory + "/stream");
  Open();
  EXPECT_EQ(Published(), published);
  EXPECT_FALSE(std::filesystem::exists(directory + "/stream"));
}

TEST_F(TrustedTotalsTest, AClosedTaskHasNoFurtherTotals) {
  MakeTask();
  ASSERT_TRUE(catalog_->Close(task_->id()).ok());
  totals_->Step(task_->periods()->Begins(3) + absl::Hours(1));
  totals_->Step(After(5));
  EXPECT_EQ(Published().size(), 3);
  EXPECT_TRUE(totals_->Describe(task_->id())[0].ended());
  asked_.set_first_period(4);
  EXPECT_THAT(std::string(totals_->Get(asked_).status().message()),
              HasSubstr("ended with period 3"));
}

TEST_F(TrustedTotalsTest, WhatIsDamagedHarmsNothingElse) {
  MakeTask();
  totals_->Step(After(3));
  totals_.reset();
  const std::string directory = directory_.In(absl::StrCat("totals/", ToHex(task_->id())));
  std::filesystem::resize_file(directory + "/participants/stream", 40);
  Open();
  totals_->Step(After(4));
  asked_.set_of(v1::TOTALS_QUANTITY_PARTICIPANTS);
  EXPECT_TRUE(absl::IsDataLoss(totals_->Get(asked_).status()));
  EXPECT_EQ(Published(v1::TOTALS_QUANTITY_REJECTED).size(), 4);
  EXPECT_THAT(totals_->Describe(task_->id())[0].trouble(), HasSubstr("cannot go on"));
}

TEST_F(TrustedTotalsTest, AMissingKeyIsNotMadeAnew) {
  MakeTask();
  totals_->Step(After(2));
  const std::vector<int64_t> published = Published();
  std::filesystem::rename(directory_.In("totals.key"), directory_.In("elsewhere"));
  Open();
  totals_->Step(After(3));
  EXPECT_TRUE(absl::IsDataLoss(totals_->Get(asked_).status()));
  const auto other = Daily(2);
  EXPECT_FALSE(totals_->Begin(request_, other).ok());
  EXPECT_FALSE(std::filesystem::exists(directory_.In("totals.key")));
  std::filesystem::rename(directory_.In("elsewhere"), directory_.In("totals.key"));
  totals_->Step(After(2));
  EXPECT_EQ(Published(), published) << "and it goes on where it was";
}

// A collector that was brought back from a copy has no directory: there is no second noise.
TEST_F(TrustedTotalsTest, WithoutItsDirectoryATaskHasNone) {
  MakeTask();
  totals_->Step(After(2));
  totals_.reset();
  std::filesystem::remove_all(directory_.In("totals"));
  ASSERT_TRUE(catalog_->NoteRestore(After(1), After(2)).ok());
  Open();
  totals_->Step(After(3));
  const absl::Status status = totals_->Get(asked_).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("is in no copy"));
  EXPECT_TRUE(totals_->Describe(task_->id()).empty());
}

TEST_F(TrustedTotalsTest, RefusesWhatCannotBe) {
  Open();
  const auto refusal = [this](const std::function<void(v1::TrustedTotalsRequest*)>& change,
                              std::shared_ptr<const Task> task) {
    v1::TrustedTotalsRequest request;
    request.set_epsilon(1);
    change(&request);
    const absl::Status status = totals_->Begin(request, std::move(task));
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    return std::string(status.message());
  };
  const auto nothing = [](auto*) {};
  EXPECT_THAT(refusal(nothing, MakeTestTask()), HasSubstr("a task with an interval"));
  EXPECT_THAT(refusal(nothing, MakeTestTask([](v1::Task* task) {
                        task->mutable_batch_policy()->set_interval(30);
                        task->mutable_batch_policy()->set_retry_window(3600);
                      })),
              HasSubstr("more than 65536 periods; the task has 86400"));
  EXPECT_THAT(refusal([](auto* r) { r->set_epsilon(0); }, task_), HasSubstr("epsilon"));
  EXPECT_THAT(refusal([](auto* r) { r->set_delta(1); }, task_), HasSubstr("delta"));
  EXPECT_THAT(refusal([](auto* r) { r->set_structure("tree"); }, task_), HasSubstr("one of auto"));
  EXPECT_THAT(refusal([](auto* r) { r->set_structure("blt"); }, task_), HasSubstr("delta"));
  EXPECT_THAT(refusal(
                  [](auto* r) {
                    r->add_of(v1::TOTALS_QUANTITY_REJECTED);
                    r->add_of(v1::TOTALS_QUANTITY_REJECTED);
                  },
                  task_),
              HasSubstr("once"));
  EXPECT_FALSE(std::filesystem::exists(directory_.In(absl::StrCat("totals/", ToHex(task_->id())))));
  asked_.set_confidence(1);
  EXPECT_TRUE(absl::IsInvalidArgument(totals_->Get(asked_).status()));
}

// A process is killed at any moment while it publishes. What it had told stays.
TEST_F(TrustedTotalsTest, NoKillChangesWhatWasTold) {
  MakeTask();
  for (uint64_t period = 1; period <= kPeriods; ++period) Count(period);
  totals_.reset();
  std::vector<int64_t> told;
  for (int attempt = 0; told.size() < kPeriods; ++attempt) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      auto opened = TrustedTotals::Open(Parts());
      if (!opened.ok()) _exit(1);
      totals_ = *std::move(opened);
      for (uint64_t period = told.size() + 1; period <= kPeriods; ++period) {
        totals_->Step(After(period));
        const std::vector<int64_t> now = Published();
        if (now.size() < period) _exit(2);
        const int64_t row[2] = {static_cast<int64_t>(period), now[period - 1]};
        if (write(ends[1], row, sizeof(row)) != sizeof(row)) _exit(3);
      }
      _exit(0);
    }
    close(ends[1]);
    // After it has told some, in the middle of whatever it does next.
    const auto patience = static_cast<size_t>(attempt % 4);
    std::vector<int64_t> heard;
    int64_t row[2];
    while (heard.size() <= patience && read(ends[0], row, sizeof(row)) == sizeof(row)) {
      ASSERT_EQ(row[0], static_cast<int64_t>(told.size() + heard.size()) + 1);
      heard.push_back(row[1]);
    }
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0) << WEXITSTATUS(status);
    while (read(ends[0], row, sizeof(row)) == sizeof(row)) heard.push_back(row[1]);
    close(ends[0]);
    told.insert(told.end(), heard.begin(), heard.end());
    Open();
    const std::vector<int64_t> now = Published();
    ASSERT_GE(now.size(), told.size());
    ASSERT_TRUE(std::equal(told.begin(), told.end(), now.begin())) << attempt;
    told = now;
    totals_.reset();
  }
}

}  // namespace
}  // namespace tombola::collector
