#include "collector/ingest/intake.h"

#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "collector/ingest/test_intake.h"
#include "common/accounting/noise_search.h"
#include "common/task/task.h"

namespace tombola::collector {
namespace {

using ::testing::HasSubstr;

constexpr uint32_t kRange = 23;  // of the test task

TEST_F(IntakeTest, CountsABatchThatAgreesWithItsManifest) {
  const auto record =
      Deliver(MakeBatch(*task_, kBatch, key_id_, GoodReports(10),
                        [](v1::Manifest* manifest) { manifest->set_duplicates(3); }));
  ASSERT_TRUE(record.ok()) << record.status();
  const auto totals = ledger_->Totals(task_->id());
  EXPECT_EQ(totals->duplicates, 3);
  const std::vector<int64_t>& functions = totals->counts.tables.front().hashes.functions;
  EXPECT_EQ(std::accumulate(functions.begin(), functions.end(), int64_t{0}), 10);
  EXPECT_EQ(totals->counts.tables.front().reports, 10);
  EXPECT_EQ(record->of.key, key_id_);
  EXPECT_EQ(record->batch, kBatch);
  EXPECT_EQ(record->of.task, task_->id());
  EXPECT_EQ(record->state, BatchState::kCounted);
  EXPECT_EQ(record->good, 10);
  EXPECT_EQ(record->rejected.total(), 0);
  EXPECT_EQ(ledger_->Totals(task_->id())->good, 10);
}

TEST_F(IntakeTest, ABatchGetsTheMinuteOfTheCollectorsClock) {
  clock_.Advance(absl::Seconds(61));
  ASSERT_TRUE(Deliver(MakeBatch(*task_, kBatch, key_id_, GoodReports(10))).ok());
  const auto batches = ledger_->Newest(task_->id(), 10);
  ASSERT_TRUE(batches.ok() && batches->size() == 1);
  const int64_t seconds = absl::ToUnixSeconds(clock_.Now());
  EXPECT_EQ(batches->front().finished, absl::FromUnixSeconds(seconds - seconds % 60));
}

TEST_F(IntakeTest, WhatWasHeldIsHeldNoMoreWhenItHasCome) {
  ASSERT_TRUE(catalog_->SetProgress(task_->id(), 95, 0).ok());
  ASSERT_TRUE(Deliver(MakeBatch(*task_, kBatch, key_id_, GoodReports(10))).ok());
  EXPECT_EQ(catalog_->Find(task_->id())->held_percent, 0u);
}

TEST_F(IntakeTest, ARedeliveryGetsTheSameReceiptAndCountsNothing) {
  const SignedBatch batch = MakeBatch(*task_, kBatch, key_id_, GoodReports(9) + BadReport());
  const auto first = Deliver(batch);
  ASSERT_TRUE(first.ok()) << first.status();
  const auto counts = ledger_->Totals(task_->id())->counts;
  for (const bool restarted : {false, true}) {
    if (restarted) Restart();
    const auto begun = intake_->Begin(batch.manifest, batch.signature);
    ASSERT_TRUE(begun.ok()) << begun.status();
    EXPECT_FALSE(begun->delivery.has_value());
    ASSERT_TRUE(begun->known.has_value());
    EXPECT_EQ(begun->known->state, first->state);
    EXPECT_EQ(begun->known->good, 9);
    EXPECT_EQ(begun->known->rejected.unopened, 1);
    EXPECT_EQ(ledger_->Totals(task_->id())->good, 9);
    EXPECT_EQ(ledger_->Totals(task_->id())->counts, counts);
  }
}

TEST_F(IntakeTest, TwoDeliveriesOfOneBatchAtOnceCountOnce) {
  const SignedBatch batch = MakeBatch(*task_, kBatch, key_id_, GoodReports(6));
  auto one = intake_->Begin(batch.manifest, batch.signature);
  auto two = intake_->Begin(batch.manifest, batch.signature);
  ASSERT_TRUE(one.ok() && two.ok() && one->delivery.has_value() && two->delivery.has_value());
  const auto first = Send(*one->delivery, batch.sealed_reports);
  const auto second = Send(*two->delivery, batch.sealed_reports);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(second->good, first->good);
  EXPECT_EQ(ledger_->Totals(task_->id())->counted_batches, 1);
  EXPECT_EQ(ledger_->Totals(task_->id())->good, 6);
  EXPECT_THAT(metrics_->Text(),
              HasSubstr("tombola_collector_batches_total{state=\"counted\"} 1\n"));
  EXPECT_THAT(metrics_->Text(), HasSubstr("tombola_collector_messages_counted_total 6\n"));
}

TEST_F(IntakeTest, AnotherManifestUnderTheBatchIdAlreadyExists) {
  ASSERT_TRUE(Deliver(MakeBatch(*task_, kBatch, key_id_, GoodReports(6))).ok());
  const SignedBatch other = MakeBatch(*task_, kBatch, key_id_, GoodReports(6));
  for (const bool restarted : {false, true}) {
    if (restarted) Restart();
    EXPECT_TRUE(absl::IsAlreadyExists(Deliver(other).status()));
    EXPECT_EQ(ledger_->Totals(task_->id())->good, 6);
  }
}

TEST_F(IntakeTest, TakesTheReportsOfABatchInAnyOrder) {
  SignedBatch batch = MakeBatch(*task_, kBatch, key_id_, GoodReports(6));
  const size_t half = batch.sealed_reports.size() / 2;
  batch.sealed_reports = batch.sealed_reports.substr(half) + batch.sealed_reports.substr(0, half);
  EXPECT_TRUE(Deliver(batch).ok());
}

TEST_F(IntakeTest, DropsBadReportsByCauseAndCountsTheOthers) {
  std::string reports = GoodReports(5) + BadReport() + Sealed(PlainReport(1, kRange)) +
                        Sealed(std::string(10, '\0')) + BadReport() + GoodReports(2);
  const auto record = Deliver(MakeBatch(*task_, kBatch, key_id_, std::move(reports)));
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(record->state, BatchState::kCounted);
  EXPECT_EQ(record->good, 7);
  EXPECT_EQ(record->rejected.unopened, 2);
  EXPECT_EQ(record->rejected.malformed, 1);
  EXPECT_EQ(record->rejected.out_of_range, 1);
  EXPECT_EQ(ledger_->Totals(task_->id())->good, 7);
  EXPECT_THAT(metrics_->Text(),
              HasSubstr("tombola_collector_messages_rejected_total{cause=\"unopened\"} 2\n"));
}

TEST_F(IntakeTest, ReportsToAFormerKeyStillCount) {
  const SignedBatch batch = MakeBatch(*task_, kBatch, key_id_, GoodReports(6));
  clock_.Advance(absl::Hours(1));
  ASSERT_TRUE(keys_->Rotate(std::nullopt, random_).ok());
  Restart();
  EXPECT_EQ(Deliver(batch)->good, 6);
}

TEST_F(IntakeTest, ABatchWhoseKeyIsDestroyedGetsAReceiptAndCountsNothing) {
  const SignedBatch batch = MakeBatch(*task_, kBatch, key_id_, GoodReports(10));
  clock_.Advance(absl::Hours(1));
  ASSERT_TRUE(keys_->Rotate(std::nullopt, random_).ok());
  ASSERT_TRUE(keys_->Destroy(key_id_).ok());
  for (const bool restarted : {false, true}) {
    if (restarted) Restart();
    const auto begun = intake_->Begin(batch.manifest, batch.signature);
    ASSERT_TRUE(begun.ok()) << begun.status();
    EXPECT_FALSE(begun->delivery.has_value()) << "no report need be sent";
    ASSERT_TRUE(begun->known.has_value());
    EXPECT_EQ(begun->known->state, BatchState::kExpired);
    EXPECT_EQ(begun->known->good, 0);
    EXPECT_EQ(begun->known->rejected.total(), 0);
    const auto totals = ledger_->Totals(task_->id());
    EXPECT_EQ(totals->expired_batches, 1);
    EXPECT_EQ(totals->counted_batches, 0);
    EXPECT_EQ(totals->quarantined_batches, 0);
    EXPECT_EQ(totals->tally.submissions, 0);
  }
}

// It was counted while the key was there: the receipt stays what it was.
TEST_F(IntakeTest, ACountedBatchStaysCountedWhenItsKeyIsDestroyed) {
  const SignedBatch batch = MakeBatch(*task_, kBatch, key_id_, GoodReports(10));
  ASSERT_EQ(Deliver(batch)->state, BatchState::kCounted);
  clock_.Advance(absl::Hours(1));
  ASSERT_TRUE(keys_->Rotate(std::nullopt, random_).ok());
  ASSERT_TRUE(keys_->Destroy(key_id_).ok());
  EXPECT_EQ(Deliver(batch)->state, BatchState::kCounted);
  EXPECT_EQ(ledger_->Totals(task_->id())->expired_batches, 0);
}

TEST_F(IntakeTest, ABatchOfAClosedTaskStillCounts) {
  ASSERT_TRUE(catalog_->Close(task_->id()).ok());
  EXPECT_EQ(Deliver(MakeBatch(*task_, kBatch, key_id_, GoodReports(6)))->good, 6);
}

TEST_F(IntakeTest, ABatchOfBadReportsAloneIsQuarantined) {
  const auto record = Deliver(MakeBatch(
      *task_, kBatch, key_id_, absl::StrJoin(std::vector<std::string>(5, BadReport()), "")));
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(record->state, BatchState::kQuarantined);
  EXPECT_EQ(record->rejected.unopened, 5);
}

// Fakes are taken off; a batch that has other than its task's is refused.
TEST_F(IntakeTest, FakesAreNoSubmissions) {
  task_ = MakeTestTask([](v1::Task* task) {
    const v1::LocalHash local_hash = task->mechanism().local_hash();
    *task->mutable_mechanism()->mutable_murs()->mutable_local_hash() = local_hash;
    task->mutable_mechanism()->mutable_murs()->set_fakes(4);
  });
  ASSERT_TRUE(catalog_->Add(task_).ok());
  const auto with_fakes = [](int fakes) {
    return [fakes](v1::Manifest* manifest) {
      manifest->set_fakes(static_cast<uint64_t>(fakes));
      manifest->set_reports_in(manifest->reports_out() - manifest->fakes());
      manifest->set_submissions(manifest->reports_in());
    };
  };
  for (const int fakes : {0, 3, 5}) {
    ExpectRefusedWithNothingLeft(
        MakeBatch(*task_, kBatch, key_id_, GoodReports(10), with_fakes(fakes)),
        absl::StatusCode::kInvalidArgument, "manifest.fakes");
  }
  const auto record =
      Deliver(MakeBatch(*task_, kBatch, key_id_, GoodReports(10) + BadReport(), with_fakes(4)));
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(record->good, 10);
  EXPECT_EQ(record->tally.submissions, 6);
  EXPECT_EQ(record->tally.fakes, 4);
  EXPECT_EQ(record->users, 6);
}

// Several reports of one submission: each bad one is held against another submission, since nobody
// can tell whose it was.
TEST_F(IntakeTest, SeveralReportsASubmission) {
  // What the target needs of five devices over 20 values, and a little more.
  const double lambda = *accounting::SmallestPoissonMean(3, 1e-6) * 1.02;
  task_ = MakeTestTask([&](v1::Task* task) {
    v1::Dummies* dummies = task->mutable_mechanism()->mutable_pure_dump()->mutable_dummies();
    dummies->set_rate(static_cast<uint64_t>(std::ldexp(lambda * 20 / 5, 40)));
    dummies->set_honest(5);
    dummies->set_max(4000);
  });
  ASSERT_TRUE(catalog_->Add(task_).ok());
  // As many as six devices send, whose noise all names one value.
  const int64_t sent = std::llround(6 * task_->scheme()->expected_reports_per_submission());
  const std::string report = std::string("\x0d") + std::string(4, '\0');
  std::string reports;
  for (int64_t i = 0; i < sent; ++i) reports += Sealed(report);
  const auto six_submissions = [](v1::Manifest* manifest) { manifest->set_submissions(6); };
  const auto record =
      Deliver(MakeBatch(*task_, kBatch, key_id_, reports + BadReport(), six_submissions));
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(record->state, BatchState::kCounted);
  EXPECT_EQ(record->good, sent);
  EXPECT_EQ(record->counts.tables[0].counts[0], sent);
  EXPECT_EQ(record->tally.submissions, 6);
  EXPECT_EQ(record->users, 5);
  // Of whose noise hardly any is left, so that nobody is hidden.
  std::string bare;
  for (int i = 0; i < 20; ++i) bare += Sealed(report);
  const auto second =
      Deliver(MakeBatch(*task_, BatchId{9}, key_id_, bare + BadReport(), six_submissions));
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(second->state, BatchState::kQuarantined);
}

// A target below the local epsilon of 2, so that good reports are needed; a fifth is the
// observer's.
class QuarantineTest : public IntakeTest {
 protected:
  QuarantineTest() {
    task_ = MakeTestTask([](v1::Task* task) {
      task->mutable_target()->set_epsilon(1.5);
      task->mutable_target()->set_delta(1e-3);
      task->mutable_batch_policy()->set_planned_submissions(1000);
      task->mutable_batch_policy()->set_smallest_batch(2);
      task->mutable_batch_policy()->set_dishonest_share(0.2);
    });
    EXPECT_TRUE(catalog_->Add(task_).ok());
    needed_ = *NeededSubmissions(*task_);
  }
  int64_t needed_;
};

TEST_F(QuarantineTest, TheNumberNeededIsCountedWhateverIsBadBesides) {
  ASSERT_GT(needed_, 2);
  const auto record =
      Deliver(MakeBatch(*task_, kBatch, key_id_, GoodReports(needed_) + BadReport()));
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(record->state, BatchState::kCounted);
}

// The test task's target holds for any number: 5 is its smallest batch.
TEST_F(IntakeTest, ReportsThatDoNotOpenFillNoBatchUpToTheSmallest) {
  const auto four = Deliver(MakeBatch(*task_, kBatch, key_id_, GoodReports(4) + BadReport()));
  ASSERT_TRUE(four.ok()) << four.status();
  EXPECT_EQ(four->state, BatchState::kQuarantined);
  BatchId other;
  other.fill(0x77);
  const auto five = Deliver(MakeBatch(*task_, other, key_id_, GoodReports(5) + BadReport()));
  ASSERT_TRUE(five.ok()) << five.status();
  EXPECT_EQ(five->state, BatchState::kCounted);
}

TEST_F(QuarantineTest, OneGoodReportLessIsQuarantinedAndInNoTotals) {
  const SignedBatch batch =
      MakeBatch(*task_, kBatch, key_id_, GoodReports(needed_ - 1) + BadReport());
  const auto record = Deliver(batch);
  ASSERT_TRUE(record.ok()) << record.status();
  EXPECT_EQ(record->state, BatchState::kQuarantined);
  EXPECT_EQ(record->good, needed_ - 1);
  EXPECT_TRUE(record->counts.tables.empty());
  EXPECT_THAT(metrics_->Text(), HasSubstr("{state=\"counted\"} 0\n"));
  for (const bool restarted : {false, true}) {
    if (restarted) Restart();
    const auto totals = ledger_->Totals(task_->id());
    EXPECT_EQ(totals->counted_batches, 0);
    EXPECT_EQ(totals->quarantined_batches, 1);
    EXPECT_EQ(totals->good, 0);
    EXPECT_TRUE(totals->counts.tables.empty());
    // Delivered again it stays what it is.
    EXPECT_EQ(Deliver(batch)->state, BatchState::kQuarantined);
  }
}

}  // namespace
}  // namespace tombola::collector