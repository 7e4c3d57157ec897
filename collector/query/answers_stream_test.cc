// Answers about a stream.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "collector/query/answers.h"
#include "collector/store/sqlite_ledger.h"
#include "common/kind/kind.h"
#include "common/table/count_model.h"
#include "common/task/whole_life.h"
#include "tests/support/fake_clock.h"
#include "tests/support/test_task.h"

namespace tombola::collector {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A stream of 12 days in a Fenwick tree. Period p has 100 + p submissions, all of value p; what the
// noise of a node adds is its mean, rounded down, so that estimates are off by less than one a
// node.
class AnswersStreamTest : public ::testing::Test {
 protected:
  AnswersStreamTest() : AnswersStreamTest(Fenwick()) {}
  explicit AnswersStreamTest(std::shared_ptr<const Task> task) : task_(std::move(task)) {
    EXPECT_TRUE(catalog_->Add(task_).ok());
    request_.set_task_id(std::string(AsView(task_->id())));
    request_.set_confidence(0.95);
    request_.set_postprocess(v1::POSTPROCESS_NONE);
    request_.mutable_stream();
  }
  static std::shared_ptr<const Task> Fenwick() {
    return MakeTestTask([](v1::Task* task) {
      std::vector<uint32_t> start;
      for (uint32_t t = 1; t <= 12; ++t) start.push_back(t - (t & (~t + 1)));
      MakeStream(start, task);
    });
  }
  static int64_t DevicesIn(uint64_t period) { return 100 + static_cast<int64_t>(period); }
  static int64_t DevicesOf(uint64_t first, uint64_t last) {
    int64_t devices = 0;
    for (uint64_t period = first; period <= last; ++period) devices += DevicesIn(period);
    return devices;
  }
  // A share of the node's submissions in a batch of its own, under a key of its own.
  void Count(uint64_t node, int64_t parts = 1) {
    const uint64_t first = task_->nodes()->FirstPeriod(node);
    for (int64_t part = 0; part < parts; ++part) {
      BatchRecord record;
      record.batch.fill(static_cast<uint8_t>(++batches_));
      record.of = {.task = task_->id(), .key = {static_cast<uint8_t>(part)}, .part = node};
      record.counts.tables.resize(1);
      std::vector<int64_t>& counts = record.counts.tables[0].counts;
      counts.assign(20, 0);
      for (uint64_t period = first; period <= node; ++period) {
        const int64_t here =
            DevicesIn(period) * (part + 1) / parts - DevicesIn(period) * part / parts;
        counts[period] += here;
        record.tally.submissions += here;
      }
      const double noise =
          mechanism::Background(task_->kind().TablesOf(node)[0]->count_model(), record.tally);
      for (int64_t& count : counts) count += static_cast<int64_t>(noise);
      record.users = record.tally.submissions;
      record.good = 3 * record.users;
      ASSERT_TRUE(ledger_->Add(record).ok());
    }
  }
  void Quarantine(uint64_t node) {
    BatchRecord record;
    record.batch.fill(static_cast<uint8_t>(++batches_));
    record.of = {.task = task_->id(), .key = {}, .part = node};
    record.state = BatchState::kQuarantined;
    record.users = record.tally.submissions = record.good = 3;
    ASSERT_TRUE(ledger_->Add(record).ok());
  }
  // After the periods up to this one have closed.
  void At(uint64_t period) {
    clock_.Advance(task_->periods()->Closes(period) + absl::Minutes(1) - clock_.Now());
  }
  v1::Answer Ask() {
    v1::Answer answer;
    const absl::Status status = answers_.Fill(request_, &answer);
    EXPECT_TRUE(status.ok()) << status;
    return answer;
  }
  std::string Refusal() {
    v1::Answer answer;
    return std::string(answers_.Fill(request_, &answer).message());
  }
  void AskFor(uint64_t first, uint64_t last) {
    request_.set_first_period(first);
    request_.set_last_period(last);
  }
  static std::vector<uint64_t> Missing(const v1::StreamTotal& total) {
    std::vector<uint64_t> missing;
    for (const v1::PeriodRun& run : total.missing()) {
      for (uint64_t period = run.first(); period <= run.last(); ++period) missing.push_back(period);
    }
    return missing;
  }

  const std::shared_ptr<const Task> task_;
  const std::unique_ptr<Catalog> catalog_ = *Catalog::Open(":memory:");
  const std::unique_ptr<BatchLedger> ledger_ = *SqliteLedger::Open(":memory:");
  Metrics metrics_;
  AnswerMetrics answer_metrics_{metrics_};
  FairShare budget_{{.calls = 2, .bytes = int64_t{1} << 30, .retry = absl::Seconds(1)}};
  FakeClock clock_{TestTaskStart()};
  Answers answers_{catalog_.get(), ledger_.get(), &budget_, &answer_metrics_, &clock_};
  v1::GetAnswerRequest request_;
  int batches_ = 0;
};

TEST_F(AnswersStreamTest, ATotalIsMadeOfItsNodesAlone) {
  for (uint64_t node = 1; node <= 7; ++node) Count(node);
  At(7);
  const v1::Answer answer = Ask();
  ASSERT_EQ(answer.stream().totals_size(), 1);
  const v1::StreamTotal& total = answer.stream().totals(0);
  EXPECT_EQ(total.last(), 7u);
  EXPECT_EQ(total.submissions(), static_cast<uint64_t>(DevicesOf(1, 7)));
  EXPECT_EQ(answer.reports(), total.submissions());
  for (uint64_t value = 0; value < 20; ++value) {
    const double truth = value >= 1 && value <= 7 ? static_cast<double>(DevicesIn(value)) : 0;
    EXPECT_NEAR(total.counts(static_cast<int>(value)), truth, 3) << value;
  }
  EXPECT_EQ(answer.guarantee().batches(), 3u) << "7, 6 and 4";
  EXPECT_EQ(answer.guarantee().users(), static_cast<uint64_t>(DevicesIn(7)));
  EXPECT_EQ(answer.messages(), 3 * total.submissions());
  EXPECT_EQ(answer.periods().first(), 1u);
  EXPECT_EQ(answer.periods().last(), 7u);
  EXPECT_EQ(answer.periods().counted(), 7u);
}

TEST_F(AnswersStreamTest, BatchesOfANodeUnderSeveralKeysAddUp) {
  Count(1);
  Count(2, /*parts=*/3);
  At(2);
  const v1::Answer answer = Ask();
  EXPECT_EQ(answer.stream().totals(0).submissions(), static_cast<uint64_t>(DevicesOf(1, 2)));
  EXPECT_NEAR(answer.stream().totals(0).counts(1), static_cast<double>(DevicesIn(1)), 3);
  EXPECT_EQ(answer.guarantee().batches(), 3u);
}

// As streams_and_strings.md 1.5 has it.
TEST_F(AnswersStreamTest, AVoidNodesPeriodsAreNamedAndComeBack) {
  for (const uint64_t node : {1, 2}) Count(node);
  At(3);
  v1::Answer answer = Ask();
  EXPECT_THAT(Missing(answer.stream().totals(0)), ElementsAre(3));
  EXPECT_EQ(answer.stream().void_nodes_size(), 0) << "it may be on its way";
  EXPECT_EQ(answer.periods().missing(), 1u);
  Count(4);
  At(4);
  answer = Ask();
  EXPECT_THAT(answer.stream().void_nodes(), ElementsAre(3)) << "a later one has come";
  EXPECT_THAT(Missing(answer.stream().totals(0)), ElementsAre());
  EXPECT_EQ(answer.reports(), static_cast<uint64_t>(DevicesOf(1, 4)));
  AskFor(1, 3);
  EXPECT_THAT(Missing(Ask().stream().totals(0)), ElementsAre(3));
  EXPECT_EQ(Ask().reports(), static_cast<uint64_t>(DevicesOf(1, 2)));

  for (const uint64_t node : {5, 6, 7, 9, 10, 11, 12}) Count(node);
  At(12);
  for (uint64_t last = 8; last <= 12; ++last) {
    AskFor(1, last);
    EXPECT_THAT(Missing(Ask().stream().totals(0)), ElementsAre(8)) << last;
    EXPECT_EQ(Ask().reports(), static_cast<uint64_t>(DevicesOf(1, last) - DevicesIn(8)));
    EXPECT_THAT(Ask().stream().void_nodes(), ElementsAre(3, 8));
  }
  AskFor(8, 8);
  EXPECT_THAT(Refusal(), HasSubstr("no batch of period 8 has been counted"));
}

TEST_F(AnswersStreamTest, TheLastNodeIsVoidWhenAnIntervalHasGoneBy) {
  Count(1);
  At(2);
  EXPECT_EQ(Ask().stream().void_nodes_size(), 0);
  At(3);
  AskFor(1, 2);
  EXPECT_THAT(Ask().stream().void_nodes(), ElementsAre(2));
}

TEST_F(AnswersStreamTest, ASeriesHasATotalForEachPeriod) {
  for (uint64_t node = 1; node <= 8; ++node) Count(node);
  At(8);
  request_.mutable_stream()->set_series(true);
  AskFor(3, 8);
  const v1::Answer answer = Ask();
  ASSERT_EQ(answer.stream().totals_size(), 6);
  for (int i = 0; i < 6; ++i) {
    const v1::StreamTotal& total = answer.stream().totals(i);
    EXPECT_EQ(total.first(), 3u);
    EXPECT_EQ(total.last(), static_cast<uint64_t>(i) + 3);
    EXPECT_EQ(total.submissions(), static_cast<uint64_t>(DevicesOf(3, total.last())));
  }
  EXPECT_EQ(answer.reports(), static_cast<uint64_t>(DevicesOf(3, 8)));
  request_.mutable_stream()->set_single(true);
  const v1::Answer alone = Ask();
  for (const v1::StreamTotal& total : alone.stream().totals()) {
    EXPECT_EQ(total.submissions(), static_cast<uint64_t>(DevicesIn(total.last())));
  }
}

TEST_F(AnswersStreamTest, TheGuaranteeIsTheTasks) {
  for (uint64_t node = 1; node <= 4; ++node) Count(node);
  At(4);
  AskFor(1, 1);
  v1::Guarantee one = Ask().guarantee();
  EXPECT_EQ(one.submissions_per_device(), 1u);
  EXPECT_EQ(one.epsilon(), task_->target().epsilon);
  EXPECT_EQ(one.delta(), task_->target().delta);
  EXPECT_EQ(one.batch_epsilon(), one.epsilon());
  EXPECT_FALSE(one.has_local_epsilon()) << "dummies have none";
  EXPECT_EQ(one.accounted_users(), static_cast<uint64_t>(*task_->scheme()->parameters().honest));
  // Five of a hundred and one suffice for the noise.
  EXPECT_EQ(one.epsilon_foreign_10(), one.epsilon());
  EXPECT_EQ(one.epsilon_foreign_50(), one.epsilon());
}

// Two days, in both of which a device may take part.
class AnswersBothDaysTest : public AnswersStreamTest {
 protected:
  AnswersBothDaysTest()
      : AnswersStreamTest(MakeTestTask([](v1::Task* task) {
          MakeStream({0, 0}, task);
          task->set_submissions_per_device(2);
        })) {}
};

TEST_F(AnswersBothDaysTest, SeveralSubmissionsHaveTheGuaranteeOfAWholeLife) {
  Count(1);
  Count(2);
  At(2);
  EXPECT_EQ(Ask().guarantee().submissions_per_device(), 2u);
  EXPECT_EQ(Ask().guarantee().epsilon(), WholeLife(*task_).epsilon);
  EXPECT_EQ(Ask().guarantee().delta(), WholeLife(*task_).delta);
  AskFor(1, 1);
  EXPECT_EQ(Ask().guarantee().submissions_per_device(), 1u);
  EXPECT_EQ(Ask().guarantee().epsilon(), task_->target().epsilon);
  // The second alone is both less the first: who is taken off is in the guarantee too.
  AskFor(2, 2);
  EXPECT_EQ(Ask().guarantee().submissions_per_device(), 2u);
  EXPECT_EQ(Ask().guarantee().batches(), 2u);
}

TEST_F(AnswersStreamTest, ANodeThatWasOpenedInVainLeavesNoGuarantee) {
  for (const uint64_t node : {1, 2, 4, 5}) Count(node);
  Quarantine(3);
  At(5);
  AskFor(1, 4);
  const v1::Answer answer = Ask();
  EXPECT_THAT(answer.stream().void_nodes(), ElementsAre(3));
  EXPECT_EQ(answer.reports(), static_cast<uint64_t>(DevicesOf(1, 4)));
  EXPECT_TRUE(std::isinf(answer.guarantee().epsilon()));
  EXPECT_EQ(answer.guarantee().delta(), 1);
  AskFor(5, 5);
  EXPECT_EQ(Ask().guarantee().epsilon(), task_->target().epsilon) << "no device of 5 is in it";
}

TEST_F(AnswersStreamTest, ALiarMovesEveryNodeOverItsPeriod) {
  for (uint64_t node = 1; node <= 4; ++node) Count(node);
  At(4);
  const auto most = [&](uint64_t node) {
    return static_cast<double>(task_->SchemeOf(node).max_reports_per_submission());
  };
  AskFor(1, 4);
  EXPECT_NEAR(Ask().quality().shift_per_dishonest(), most(4) / static_cast<double>(DevicesOf(1, 4)),
              1e-12);
  AskFor(4, 4);  // the sign of a node that is taken off does not matter to a liar
  EXPECT_NEAR(Ask().quality().shift_per_dishonest(),
              (most(4) + most(3)) / static_cast<double>(DevicesIn(4)), 1e-12);
}

TEST_F(AnswersStreamTest, SaysWhenTheFirstPeriodLeaves) {
  EXPECT_THAT(Refusal(), HasSubstr("no batch of this task has been counted yet"));
  At(2);
  AskFor(5, 5);
  EXPECT_THAT(Refusal(), HasSubstr("no batch of period 5 has been counted yet: period 5 ends"));
}

TEST_F(AnswersStreamTest, EndsWhenNobodyWaits) {
  for (uint64_t node = 1; node <= 4; ++node) Count(node);
  At(4);
  request_.mutable_stream()->set_series(true);
  int asked = 0;
  v1::Answer answer;
  const absl::Status status = answers_.Fill(request_, &answer, [&] { return ++asked > 3; });
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace tombola::collector
