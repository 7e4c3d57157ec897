// What an intake does not take, and that nothing of it is left.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "collector/ingest/test_intake.h"

namespace tombola::collector {
namespace {

using ::testing::HasSubstr;

TEST_F(IntakeTest, RefusesAReportTooFew) {
  SignedBatch batch = MakeBatch(*task_, kBatch, key_id_, GoodReports(7));
  batch.sealed_reports.resize(6 * task_->sealed_bytes());
  ExpectRefusedWithNothingLeft(batch, absl::StatusCode::kInvalidArgument, "reports_out = 7");
}

TEST_F(IntakeTest, RefusesAReportTooManyBeforeItIsOpened) {
  SignedBatch batch = MakeBatch(*task_, kBatch, key_id_, GoodReports(6));
  batch.sealed_reports += GoodReports(1);
  ExpectRefusedWithNothingLeft(batch, absl::StatusCode::kInvalidArgument, "reports_out = 6");
}

TEST_F(IntakeTest, RefusesAChangedReport) {
  SignedBatch batch = MakeBatch(*task_, kBatch, key_id_, GoodReports(6));
  batch.sealed_reports.replace(0, task_->sealed_bytes(), GoodReports(1));
  ExpectRefusedWithNothingLeft(batch, absl::StatusCode::kInvalidArgument, "digest_sum");
}

TEST_F(IntakeTest, RefusesADoubledReportInPlaceOfALostOne) {
  SignedBatch batch = MakeBatch(*task_, kBatch, key_id_, GoodReports(6));
  batch.sealed_reports.replace(
      0, task_->sealed_bytes(),
      batch.sealed_reports.substr(task_->sealed_bytes(), task_->sealed_bytes()));
  ExpectRefusedWithNothingLeft(batch, absl::StatusCode::kInvalidArgument, "digest_sum");
}

TEST_F(IntakeTest, RefusesASignatureOfAnotherKey) {
  ExpectRefusedWithNothingLeft(
      MakeBatchSignedBy(TestCollectorKey(), *task_, kBatch, key_id_, GoodReports(6)),
      absl::StatusCode::kUnauthenticated, "signature");
}

TEST_F(IntakeTest, RefusesAManifestThatWasChangedAfterSigning) {
  SignedBatch batch = MakeBatch(*task_, kBatch, key_id_, GoodReports(6));
  batch.manifest = MakeBatch(*task_, kBatch, key_id_, GoodReports(6)).manifest;
  ExpectRefusedWithNothingLeft(batch, absl::StatusCode::kUnauthenticated, "signature");
}

TEST_F(IntakeTest, RefusesASignatureThatWasMadeForSomethingElse) {
  SignedBatch batch = MakeBatch(*task_, kBatch, key_id_, GoodReports(6));
  batch.signature = TestShufflerKey().Sign(batch.manifest);
  ExpectRefusedWithNothingLeft(batch, absl::StatusCode::kUnauthenticated, "signature");
}

TEST_F(IntakeTest, RefusesAnUnknownTask) {
  const auto other = MakeTestTask([](v1::Task* task) { task->set_name("unknown"); });
  ExpectRefusedWithNothingLeft(MakeBatch(*other, kBatch, key_id_, GoodReports(6)),
                               absl::StatusCode::kNotFound, "task_id");
}

TEST_F(IntakeTest, RefusesAnUnknownKey) {
  ExpectRefusedWithNothingLeft(MakeBatch(*task_, kBatch, KeyId{}, GoodReports(6)),
                               absl::StatusCode::kNotFound, "key_id");
}

TEST_F(IntakeTest, RefusesWhatIsNoManifest) {
  EXPECT_TRUE(absl::IsInvalidArgument(intake_->Begin("nonsense", "").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(intake_->Begin("", "").status()));
}

// Fakes and second reports of a device would be counted as devices in the guarantee.
TEST_F(IntakeTest, RefusesFakesThatTheMechanismDoesNotHave) {
  ExpectRefusedWithNothingLeft(MakeBatch(*task_, kBatch, key_id_, GoodReports(6),
                                         [](v1::Manifest* manifest) {
                                           manifest->set_submissions(5);
                                           manifest->set_reports_in(5);
                                           manifest->set_fakes(1);
                                         }),
                               absl::StatusCode::kInvalidArgument, "manifest.fakes");
}

TEST_F(IntakeTest, RefusesMoreReportsThanTheSubmissionsMayHave) {
  ExpectRefusedWithNothingLeft(
      MakeBatch(*task_, kBatch, key_id_, GoodReports(6),
                [](v1::Manifest* manifest) { manifest->set_submissions(5); }),
      absl::StatusCode::kInvalidArgument, "manifest.reports_in");
}

// A rogue shuffler signs what it likes: the task's own bound holds all the same.
TEST_F(IntakeTest, RefusesABatchBelowTheTasksSmallest) {
  const int64_t smallest = task_->batch_policy().smallest_batch;
  ExpectRefusedWithNothingLeft(MakeBatch(*task_, kBatch, key_id_, GoodReports(smallest - 1)),
                               absl::StatusCode::kInvalidArgument,
                               "manifest.submissions is 4; the task's smallest_batch is 5");
  EXPECT_TRUE(Deliver(MakeBatch(*task_, kBatch, key_id_, GoodReports(smallest))).ok());
}

TEST_F(IntakeTest, CountsRefusalsByCause) {
  const auto other = MakeTestTask([](v1::Task* task) { task->set_name("unknown"); });
  SignedBatch changed = MakeBatch(*task_, kBatch, key_id_, GoodReports(6));
  changed.sealed_reports.replace(0, task_->sealed_bytes(), GoodReports(1));
  const std::pair<const char*, SignedBatch> refused[] = {
      {"manifest", {"nonsense", "", ""}},
      {"signature", MakeBatchSignedBy(TestCollectorKey(), *task_, kBatch, key_id_, GoodReports(6))},
      {"small_batch", MakeBatch(*task_, kBatch, key_id_, GoodReports(4))},
      {"unknown_task", MakeBatch(*other, kBatch, key_id_, GoodReports(6))},
      {"unknown_key", MakeBatch(*task_, kBatch, KeyId{}, GoodReports(6))},
      {"reports", changed}};
  for (const auto& [cause, batch] : refused) {
    EXPECT_FALSE(Deliver(batch).ok()) << cause;
    EXPECT_THAT(metrics_->Text(),
                HasSubstr(absl::StrCat("tombola_collector_batches_refused_total{cause=\"", cause,
                                       "\"} 1\n")));
  }
  ASSERT_TRUE(Deliver(MakeBatch(*task_, kBatch, key_id_, GoodReports(6))).ok());
  EXPECT_FALSE(Deliver(MakeBatch(*task_, kBatch, key_id_, GoodReports(6))).ok());
  EXPECT_THAT(metrics_->Text(), HasSubstr("{cause=\"other_manifest\"} 1\n"));
}

TEST_F(IntakeTest, RefusesAChunkThatIsEmptyPartialOrTooLarge) {
  const SignedBatch batch =
      MakeBatch(*task_, kBatch, key_id_, GoodReports(1), [](v1::Manifest* manifest) {
        for (auto set : {&v1::Manifest::set_submissions, &v1::Manifest::set_reports_in,
                         &v1::Manifest::set_reports_out}) {
          (manifest->*set)(1'000'000);
        }
      });
  auto begun = intake_->Begin(batch.manifest, batch.signature);
  ASSERT_TRUE(begun.ok()) << begun.status();
  const size_t sealed_bytes = task_->sealed_bytes();
  const size_t most = (size_t{1} << 20) / sealed_bytes;
  for (const size_t bytes :
       {size_t{0}, sealed_bytes - 1, sealed_bytes + 1, (most + 1) * sealed_bytes}) {
    const absl::Status status = intake_->CheckChunk(&*begun->delivery, std::string(bytes, 'x'));
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << bytes;
    EXPECT_THAT(status.message(), HasSubstr("sealed_reports"));
  }
  EXPECT_TRUE(intake_->CheckChunk(&*begun->delivery, std::string(most * sealed_bytes, 'x')).ok());
}

TEST_F(IntakeTest, RefusesAPartThatTheTaskDoesNotHave) {
  ExpectRefusedWithNothingLeft(
      MakeBatch(*task_, kBatch, key_id_, GoodReports(6), [](v1::Manifest* m) { m->set_part(1); }),
      absl::StatusCode::kInvalidArgument, "manifest.part is 1, and the task has no periods");
}

}  // namespace
}  // namespace tombola::collector
