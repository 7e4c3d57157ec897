#include "shuffler/accept/submit_door.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "shuffler/test_parts.h"

namespace tombola::shuffler {
namespace {

using ::testing::HasSubstr;

class SubmitDoor : public ::testing::Test {
 protected:
  SubmitDoor() : task_(MakeTestTask()), catalog_(*Catalog::Open(CatalogOptions(scratch_))) {
    EXPECT_TRUE(catalog_->Update(CatalogOf(1, *task_)).ok());
    request_.set_task_id(std::string(AsView(task_->id())));
    request_.set_key_id(std::string(AsView(TestKeyId(7))));
    request_.set_submission_ids(std::string(32, 'i'));
    request_.set_sealed_reports(std::string(2 * task_->sealed_bytes(), 's'));
  }

  absl::StatusOr<SubmitBatch> Check(absl::Duration after_start = absl::Minutes(1)) {
    return CheckSubmit(request_, *catalog_, TestTaskStart() + after_start);
  }
  void ExpectRefused(absl::StatusCode code, const char* says,
                     absl::Duration after_start = absl::Minutes(1)) {
    const auto result = Check(after_start);
    EXPECT_EQ(result.status().code(), code) << result.status();
    EXPECT_THAT(std::string(result.status().message()), HasSubstr(says));
  }

  ScratchDirectory scratch_;
  std::shared_ptr<const Task> task_;
  std::unique_ptr<Catalog> catalog_;
  v1::SubmitRequest request_;
};

TEST_F(SubmitDoor, PointsIntoTheRequestWithoutACopy) {
  const auto call = Check();
  ASSERT_TRUE(call.ok()) << call.status();
  EXPECT_EQ(call->of.task, task_->id());
  EXPECT_EQ(call->of.key, TestKeyId(7));
  EXPECT_EQ(reinterpret_cast<const char*>(call->sealed_reports.data()),
            request_.sealed_reports().data());
  EXPECT_EQ(call->submission_ids.size(), 32u);
  EXPECT_TRUE(call->report_counts.empty());
}

TEST_F(SubmitDoor, TakesTheWindowBeforeTheCurrentAndTheOneAfter) {
  // The retry window is one hour: five and a half hours in, the window is 5.
  for (const uint64_t window : {4, 5, 6}) {
    request_.set_window(window);
    EXPECT_TRUE(Check(absl::Minutes(330)).ok()) << window;
  }
  request_.set_window(3);
  ExpectRefused(absl::StatusCode::kFailedPrecondition, "at least 4", absl::Minutes(330));
  request_.set_window(7);
  ExpectRefused(absl::StatusCode::kInvalidArgument, "at most 6", absl::Minutes(330));
  request_.set_window(std::numeric_limits<uint64_t>::max());
  ExpectRefused(absl::StatusCode::kInvalidArgument, "window", absl::Minutes(330));
}

TEST_F(SubmitDoor, RefusesOutsideTheTasksLife) {
  ExpectRefused(absl::StatusCode::kFailedPrecondition, "not begun", -absl::Seconds(1));
  request_.set_window(30 * 24);
  ExpectRefused(absl::StatusCode::kFailedPrecondition, "ended", absl::Hours(30 * 24));
  request_.set_window(0);
  ASSERT_TRUE(catalog_->Update(CatalogOf(2, *task_, /*closed=*/true)).ok());
  ExpectRefused(absl::StatusCode::kFailedPrecondition, "closed");
}

TEST_F(SubmitDoor, RefusesSizesThatDoNotFit) {
  request_.set_sealed_reports(std::string(2 * task_->sealed_bytes() - 1, 's'));
  ExpectRefused(absl::StatusCode::kInvalidArgument, "sealed_reports");
  request_.set_sealed_reports(std::string(3 * task_->sealed_bytes(), 's'));
  ExpectRefused(absl::StatusCode::kInvalidArgument, "sealed_reports");
  request_.add_report_counts(1);
  ExpectRefused(absl::StatusCode::kInvalidArgument, "report_counts");
  request_.add_report_counts(2);
  EXPECT_TRUE(Check().ok());
}

TEST_F(SubmitDoor, CountsWhoseSumWrapsAreNotMistakenForFewReports) {
  request_.set_submission_ids(std::string(48, 'i'));
  for (int i = 0; i < 3; ++i) request_.add_report_counts(std::numeric_limits<uint32_t>::max());
  ExpectRefused(absl::StatusCode::kInvalidArgument, "sealed_reports");
}

TEST_F(SubmitDoor, RefusesWhatItDoesNotKnow) {
  request_.set_key_id("unknown!");
  ExpectRefused(absl::StatusCode::kFailedPrecondition, "key_id");
  request_.set_task_id(std::string(32, 'x'));
  ExpectRefused(absl::StatusCode::kNotFound, "task_id");
}

TEST_F(SubmitDoor, TakesReportsUnderARetiredKeyUntilItsWindowCloses) {
  v1::Catalog wire = CatalogOf(2, *task_);
  *wire.mutable_keys() = RotatedKeys(2, 7, 8);
  ASSERT_TRUE(catalog_->Update(wire).ok());
  request_.set_window(1);
  EXPECT_TRUE(Check(absl::Minutes(90)).ok());
  EXPECT_TRUE(Check(absl::Hours(2) - absl::Seconds(1)).ok());
  ExpectRefused(absl::StatusCode::kFailedPrecondition, "window of key_id is closed",
                absl::Hours(2));
  request_.set_key_id(std::string(AsView(TestKeyId(8))));
  EXPECT_TRUE(Check(absl::Hours(2)).ok());
}

TEST_F(SubmitDoor, RefusesAKeyThatTheCollectorHasDestroyed) {
  v1::Catalog wire = CatalogOf(2, *task_);
  *wire.mutable_keys() = SignedKeys(2, 8);
  ASSERT_TRUE(catalog_->Update(wire).ok());
  ExpectRefused(absl::StatusCode::kFailedPrecondition, "window of key_id is closed");
}

// Periods of a day, ten minutes of grace.
TEST_F(SubmitDoor, TakesThePresentPeriodAndALittleOfItsNeighbours) {
  const auto daily =
      MakeTestTask([](v1::Task* task) { task->mutable_batch_policy()->set_interval(24 * 3600); });
  ASSERT_TRUE(catalog_->Update(CatalogOf(2, *daily)).ok());
  request_.set_task_id(std::string(AsView(daily->id())));
  const auto check = [&](uint64_t period, absl::Duration after_start) {
    request_.set_part(period);
    request_.set_window(daily->WindowAt(TestTaskStart() + after_start));
    const absl::Status status = Check(after_start).status();
    return absl::Status(status.code(), status.message());  // without the cause
  };
  const absl::Duration day = absl::Hours(24), grace = absl::Minutes(10);
  EXPECT_TRUE(check(1, absl::Minutes(1)).ok());
  EXPECT_TRUE(check(2, day - grace).ok());
  EXPECT_TRUE(check(1, day + grace - absl::Seconds(1)).ok());
  EXPECT_EQ(check(1, day + grace),
            absl::FailedPreconditionError("period 1 is over, and the present one is 2; the "
                                          "submission is not retried"));
  EXPECT_EQ(check(2, day - grace - absl::Seconds(1)),
            absl::InvalidArgumentError("period 2 has not begun, the present one is 1; is the "
                                       "device's clock right?"));
  for (const uint64_t none : {uint64_t{0}, uint64_t{31}, std::numeric_limits<uint64_t>::max()}) {
    EXPECT_EQ(check(none, absl::Minutes(1)),
              absl::InvalidArgumentError("part must be a period of the task, 1 to 30"));
  }
  ASSERT_TRUE(check(3, 2.5 * day).ok());
  EXPECT_EQ(Check(2.5 * day)->of.part, 3u);
}

TEST_F(SubmitDoor, TakesNoPartWhereATaskHasNoPeriods) {
  request_.set_part(1);
  ExpectRefused(absl::StatusCode::kInvalidArgument, "part must be 0");
}

}  // namespace
}  // namespace tombola::shuffler
