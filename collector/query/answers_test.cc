#include "collector/query/answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "collector/query/envelope.h"
#include "collector/store/sqlite_ledger.h"
#include "tests/support/fake_clock.h"
#include "tests/support/test_task.h"

namespace tombola::collector {
namespace {

using ::testing::HasSubstr;

class AnswersTest : public ::testing::Test {
 protected:
  AnswersTest() {
    EXPECT_TRUE(catalog_->Add(task_).ok());
    request_.set_task_id(std::string(AsView(task_->id())));
    request_.set_confidence(0.95);
    request_.set_postprocess(v1::POSTPROCESS_POP);
    request_.mutable_histogram();
  }
  void Count(BatchState state = BatchState::kCounted) {
    BatchRecord record;
    record.batch.fill(7);
    record.of.task = task_->id();
    record.state = state;
    record.users = record.tally.submissions = 40;
    record.good = 43;
    record.tally.fakes = 3;
    record.rejected = {.unopened = 1, .malformed = 20, .out_of_range = 300};
    if (state == BatchState::kCounted)
      record.counts = {.tables = {{.counts = std::vector<int64_t>(20, 10)}}};
    record.duplicates = 9;
    ASSERT_TRUE(ledger_->Add(record).ok());
  }
  std::string Refusal(const v1::GetAnswerRequest& request) {
    v1::Answer answer;
    const absl::Status status = answers_.Fill(request, &answer);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    return std::string(status.message());
  }

  const std::shared_ptr<const Task> task_ = MakeTestTask();
  const std::unique_ptr<Catalog> catalog_ = *Catalog::Open(":memory:");
  const std::unique_ptr<BatchLedger> ledger_ = *SqliteLedger::Open(":memory:");
  Metrics metrics_;
  AnswerMetrics answer_metrics_{metrics_};
  FairShare budget_{{.calls = 2, .bytes = int64_t{1} << 30, .retry = absl::Seconds(1)}};
  FakeClock clock_{TestTaskStart() + absl::Hours(24 * 6 + 1)};
  Answers answers_{catalog_.get(), ledger_.get(), &budget_, &answer_metrics_, &clock_};
  v1::GetAnswerRequest request_;
};

TEST_F(AnswersTest, SaysWhatWasCountedAndWhatItIsWorthAroundTheBody) {
  Count();
  v1::Answer answer;
  ASSERT_TRUE(answers_.Fill(request_, &answer).ok());
  EXPECT_EQ(answer.task_id(), request_.task_id());
  EXPECT_EQ(answer.reports(), 40u);
  EXPECT_EQ(answer.messages(), 43u);
  EXPECT_EQ(answer.fakes(), 3u);
  EXPECT_EQ(answer.rejected().unopened(), 1u);
  EXPECT_EQ(answer.rejected().malformed(), 20u);
  EXPECT_EQ(answer.rejected().out_of_range(), 300u);
  EXPECT_EQ(answer.guarantee().users(), 40u);
  EXPECT_EQ(answer.guarantee().batches(), 1u);
  EXPECT_EQ(answer.quality().duplicates(), 9u);
  EXPECT_EQ(answer.histogram().values_size(), 20);
}

// 64 bytes of every value are needed for the smallest answer.
TEST_F(AnswersTest, ATaskWithoutAnyAnswerThatFitsIsNamedWithItsBound) {
  EXPECT_TRUE(answers_.CheckAnswerable(*task_).ok());
  const auto large = MakeTestTask([](v1::Task* task) {
    task->mutable_domain()->Clear();
    task->mutable_domain()->set_size(1 << 24);
    task->mutable_mechanism()->mutable_grr()->set_blanket_threshold(uint64_t{1} << 63);
  });
  const absl::Status status = answers_.CheckAnswerable(*large);
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              testing::AllOf(HasSubstr("16777216 cells"), HasSubstr("may take 1024"),
                             HasSubstr("--max-answers-mib")));
  // Where there is such a task, every answer is asked for in vain.
  request_.mutable_histogram()->set_top(1);
  v1::GetAnswerRequest least = request_;
  ASSERT_TRUE(catalog_->Add(large).ok());
  least.set_task_id(std::string(AsView(large->id())));
  EXPECT_TRUE(absl::IsResourceExhausted(answers_.Admit(least, AnswerForm::kMessage).status()));
}

TEST(RejectedReportsTest, HasOneNameForEachCauseOnTheWireAndOffIt) {
  const auto& wire = *v1::Rejected::descriptor();
  ASSERT_EQ(static_cast<size_t>(wire.field_count()), std::size(kRejectionCauses));
  const RejectedReports rejected{.unopened = 1, .malformed = 20, .out_of_range = 300};
  const v1::Rejected sent = ToWire(rejected);
  for (const RejectionCause& cause : kRejectionCauses) {
    const auto* const field = wire.FindFieldByName(cause.name);
    ASSERT_NE(field, nullptr) << cause.name;
    EXPECT_EQ(sent.GetReflection()->GetUInt64(sent, field),
              static_cast<uint64_t>(rejected.*cause.count));
  }
}

TEST_F(AnswersTest, StopsBetweenTheBodyAndTheGuaranteeWhenNobodyWaitsAnyMore) {
  Count();
  v1::Answer never_begun;
  EXPECT_TRUE(absl::IsCancelled(answers_.Fill(request_, &never_begun, [] { return true; })));
  EXPECT_FALSE(never_begun.has_histogram());
  int asked = 0;
  v1::Answer cut_short;
  EXPECT_TRUE(
      absl::IsCancelled(answers_.Fill(request_, &cut_short, [&asked] { return ++asked == 2; })));
  EXPECT_TRUE(cut_short.has_histogram());
  EXPECT_FALSE(cut_short.has_guarantee());
}

TEST_F(AnswersTest, RefusesARequestOutOfItsBounds) {
  Count();
  for (const double confidence : {0.0, 1.0, -0.5, 95.0, std::nan("")}) {
    v1::GetAnswerRequest request = request_;
    request.set_confidence(confidence);
    EXPECT_EQ(Refusal(request), "confidence must be in (0, 1)");
  }
  v1::GetAnswerRequest unspecified = request_;
  unspecified.clear_postprocess();
  EXPECT_EQ(Refusal(unspecified), "postprocess must be pop, none, norm_sub, base_cut, em, clip");
  v1::GetAnswerRequest nothing = request_;
  nothing.clear_question();
  EXPECT_THAT(Refusal(nothing), HasSubstr("question must be set"));
  EXPECT_TRUE(absl::IsInvalidArgument(answers_.Admit(nothing, AnswerForm::kMessage).status()));
}

TEST_F(AnswersTest, WithoutACountedBatchThereIsNoAnswer) {
  v1::Answer answer;
  EXPECT_TRUE(absl::IsFailedPrecondition(answers_.Fill(request_, &answer)));
  Count(BatchState::kQuarantined);
  EXPECT_TRUE(absl::IsFailedPrecondition(answers_.Fill(request_, &answer)));
}

}  // namespace
}  // namespace tombola::collector
