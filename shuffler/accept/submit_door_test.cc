#include "shuffler/accept/submit_door.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <vector>

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

// Four periods of a day; the nodes begin after 0, 0, 2 and 0.
class StreamDoor : public ::testing::Test {
 protected:
  StreamDoor()
      : task_(MakeTestTask([](v1::Task* task) {
          MakeStream({0, 0, 2, 0}, task);
        })),
        catalog_(*Catalog::Open(CatalogOptions(scratch_))) {
    v1::Catalog wire = CatalogOf(1, *task_);
    *wire.mutable_keys() = StreamKeys(1, *task_);
    EXPECT_TRUE(catalog_->Update(wire).ok());
    request_ = RequestFor(1, {1, 2, 4});
  }

  // Two submissions, with a report for each node.
  v1::SubmitRequest RequestFor(uint64_t period, const std::vector<uint64_t>& nodes) {
    v1::SubmitRequest request;
    request.set_task_id(std::string(AsView(task_->id())));
    request.set_submission_ids(std::string(32, 'i'));
    request.set_part(period);
    request.set_window(task_->WindowAt(task_->periods()->Begins(period)));
    for (const uint64_t node : nodes) {
      v1::NodeGroup* const group = request.add_groups();
      group->set_node(node);
      group->set_key_id(std::string(AsView(NodeKeyId(node))));
      group->set_sealed_reports(std::string(2 * task_->sealed_bytes(), 's'));
    }
    return request;
  }
  absl::StatusOr<SubmitBatch> Check(const v1::SubmitRequest& request) {
    const Periods& periods = *task_->periods();
    return CheckSubmit(
        request, *catalog_,
        periods.Begins(std::min(request.part(), periods.count())) + absl::Minutes(1));
  }
  void ExpectRefused(const std::function<void(v1::SubmitRequest&)>& change, absl::StatusCode code,
                     const char* says) {
    v1::SubmitRequest changed = request_;
    change(changed);
    const absl::Status status = Check(changed).status();
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(says));
  }
  // What the device has to change.
  void ExpectInvalid(const char* says, const std::function<void(v1::SubmitRequest&)>& change) {
    ExpectRefused(change, absl::StatusCode::kInvalidArgument, says);
  }

  ScratchDirectory scratch_;
  std::shared_ptr<const Task> task_;
  std::unique_ptr<Catalog> catalog_;
  v1::SubmitRequest request_;
};

TEST_F(StreamDoor, TakesAGroupForEachNodeUnderTheKeyOfThePeriodsOwn) {
  const auto call = Check(request_);
  ASSERT_TRUE(call.ok()) << call.status();
  EXPECT_EQ(call->of, (BatchKey{task_->id(), NodeKeyId(1), 1}));
  EXPECT_TRUE(call->sealed_reports.empty());
  ASSERT_EQ(call->groups.size(), 3u);
  const uint64_t nodes[] = {1, 2, 4};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(call->groups[i].of, (NodeKey{nodes[i], NodeKeyId(nodes[i])}));
    EXPECT_EQ(reinterpret_cast<const char*>(call->groups[i].sealed_reports.data()),
              request_.groups(static_cast<int>(i)).sealed_reports().data());
  }
  EXPECT_TRUE(Check(RequestFor(3, {3, 4})).ok());
  EXPECT_TRUE(Check(RequestFor(4, {4})).ok());
}

TEST_F(StreamDoor, RefusesNodesThatAreWrongMissingTooManyOrOutOfOrder) {
  ExpectInvalid("groups must be 3, one for each node that covers period 1",
                [](auto& request) { request.mutable_groups()->RemoveLast(); });
  ExpectInvalid("groups must be 3",
                [](auto& request) { *request.add_groups() = request.groups(2); });
  ExpectInvalid("groups must be 3", [](auto& request) { request.clear_groups(); });
  ExpectInvalid("groups[1].node must be 2",
                [](auto& request) { request.mutable_groups(1)->set_node(3); });
  ExpectInvalid("groups[0].node must be 1",
                [](auto& request) { request.mutable_groups()->SwapElements(0, 1); });
  ExpectInvalid("part must be a period", [](auto& request) {
    request.set_part(5);
    request.set_window(request.window() + 3 * 24);
  });
}

TEST_F(StreamDoor, RefusesSizesAndCountsOutOfTheirBounds) {
  ExpectInvalid("groups[1].sealed_reports must be ", [](auto& request) {
    request.mutable_groups(1)->mutable_sealed_reports()->pop_back();
  });
  ExpectInvalid("groups[2].report_counts must have one entry a submission",
                [](auto& request) { request.mutable_groups(2)->add_report_counts(2); });
  const auto count = [this](uint32_t first, uint32_t second) {
    return [=, this](v1::SubmitRequest& request) {
      v1::NodeGroup* const group = request.mutable_groups(2);
      group->add_report_counts(first);
      group->add_report_counts(second);
      group->set_sealed_reports(std::string((first + second) * task_->sealed_bytes(), 's'));
    };
  };
  const int64_t most = task_->SchemeOf(4).max_reports_per_submission();
  v1::SubmitRequest full = request_;
  count(1, static_cast<uint32_t>(most))(full);
  EXPECT_TRUE(Check(full).ok());
  const std::string bound = absl::StrCat("groups[2].report_counts must be 1 to ", most);
  ExpectInvalid(bound.c_str(), count(1, static_cast<uint32_t>(most) + 1));
  ExpectInvalid(bound.c_str(), count(2, 0));
  ExpectInvalid("submission_ids", [](auto& request) { request.clear_submission_ids(); });
}

TEST_F(StreamDoor, RefusesReportsOutsideOfGroupsAndGroupsOutsideOfStreams) {
  const auto key = std::string(AsView(NodeKeyId(1)));
  ExpectInvalid("must be empty: the task is a stream",
                [&](auto& request) { request.set_key_id(key); });
  ExpectInvalid("must be empty: the task is a stream",
                [](auto& request) { request.set_sealed_reports("s"); });
  ExpectInvalid("must be empty: the task is a stream",
                [](auto& request) { request.add_report_counts(1); });
  const auto plain = MakeTestTask();
  v1::Catalog wire = CatalogOf(2, *plain);
  *wire.mutable_keys() = StreamKeys(1, *task_);
  ASSERT_TRUE(catalog_->Update(wire).ok());
  request_.set_task_id(std::string(AsView(plain->id())));
  request_.set_part(0);
  const auto check = [&] {
    return std::string(
        CheckSubmit(request_, *catalog_, TestTaskStart() + absl::Minutes(1)).status().message());
  };
  EXPECT_THAT(check(), HasSubstr("groups must be empty"));
  request_.clear_groups();
  request_.set_key_id(key);
  request_.set_sealed_reports(std::string(2 * plain->sealed_bytes(), 's'));
  EXPECT_THAT(check(), HasSubstr("key_id must be a key for these reports"));
  request_.set_key_id(std::string(AsView(TestKeyId(7))));
  EXPECT_EQ(check(), "");
}

TEST_F(StreamDoor, EachGroupIsUnderAKeyOfExactlyItsNode) {
  const auto under = [](const KeyId& key) {
    return [=](v1::SubmitRequest& request) {
      request.mutable_groups(1)->set_key_id(std::string(AsView(key)));
    };
  };
  ExpectInvalid("groups[1].key_id must be a key for these reports", under(NodeKeyId(4)));
  ExpectInvalid("groups[1].key_id must be a key for these reports", under(TestKeyId(7)));
  ExpectInvalid("groups[1].key_id must be 8 bytes",
                [](auto& request) { request.mutable_groups(1)->set_key_id("short"); });
  ExpectRefused(under(TestKeyId(9)), absl::StatusCode::kFailedPrecondition,
                "groups[1].key_id names no key");
  v1::Catalog wire = CatalogOf(2, *task_);
  *wire.mutable_keys() = StreamKeys(2, *task_, /*struck=*/{2});
  ASSERT_TRUE(catalog_->Update(wire).ok());
  ExpectRefused([](auto&) {}, absl::StatusCode::kFailedPrecondition,
                "the window of groups[1].key_id is closed");
}

// So that no id has to be known for longer than its period is open, however long the nodes are.
TEST_F(StreamDoor, ALateSubmissionIsTakenForItsOwnPeriodOrRefused) {
  const absl::Time closes = task_->periods()->Closes(1);
  request_.set_window(task_->WindowAt(closes));
  EXPECT_TRUE(CheckSubmit(request_, *catalog_, closes - absl::Seconds(1)).ok());
  EXPECT_EQ(CheckSubmit(request_, *catalog_, closes).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace tombola::shuffler
