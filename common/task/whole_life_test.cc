#include "common/task/whole_life.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "common/accounting/submission_loss.h"
#include "common/base/decimal.h"
#include "common/kind/kinds.h"
#include "tests/support/test_task.h"

namespace tombola {
namespace {

using ::testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

accounting::EpsilonDelta Over(const Task& task, int64_t submissions,
                              const accounting::EpsilonDelta& one, int64_t honest = 0) {
  return OverSeveral(task, {{.submissions = submissions, .honest = honest, .one = one}});
}

// Its local epsilon is 2.
std::shared_ptr<const Task> TaskOf(uint32_t submissions, double epsilon, double delta = 1e-6) {
  return MakeTestTask([&](v1::Task* task) {
    task->set_submissions_per_device(submissions);
    task->mutable_target()->set_epsilon(epsilon);
    task->mutable_target()->set_delta(delta);
  });
}

std::shared_ptr<const Task> WithoutLocalEpsilon(uint32_t submissions) {
  return MakeTestTask([&](v1::Task* task) {
    task->set_submissions_per_device(submissions);
    v1::PureDump* dump = task->mutable_mechanism()->mutable_pure_dump();
    dump->mutable_dummies()->set_rate(uint64_t{20} << 40);
    dump->mutable_dummies()->set_honest(5);
    dump->mutable_dummies()->set_max(1000);
  });
}

TEST(WholeLifeTest, OneSubmissionIsTheTarget) {
  const auto total = WholeLife(*TaskOf(1, 0.5));
  EXPECT_EQ(total.epsilon, 0.5);
  EXPECT_EQ(total.delta, 1e-6);
}

TEST(WholeLifeTest, SeveralMayAllWaitInOneBatch) {
  const auto total = WholeLife(*TaskOf(100, 0.1));
  EXPECT_DOUBLE_EQ(total.epsilon, 10);
  EXPECT_NEAR(total.delta, 1e-6 * std::expm1(10) / std::expm1(0.1), 1e-9);
  EXPECT_EQ(RoundedUp(total.delta, 3), "0.21");
}

TEST(WholeLifeTest, WhereThatSaysNothingTheReportsSpeakForThemselves) {
  // e^24 * 1e-6 is far above 1; 1000 reports of local epsilon 2 have 2000.
  for (const auto& [submissions, epsilon] : {std::pair(30, 1.0), std::pair(1000, 1.9)}) {
    const auto task = TaskOf(submissions, epsilon);
    const auto total = WholeLife(*task);
    EXPECT_DOUBLE_EQ(total.epsilon, submissions * task->scheme()->local_epsilon());
    EXPECT_GE(total.epsilon, submissions * task->scheme()->local_epsilon());
    EXPECT_EQ(total.delta, 0);
  }
  // A target above the local epsilon adds nothing to it.
  EXPECT_EQ(WholeLife(*TaskOf(1, 3)).epsilon, TaskOf(1, 3)->scheme()->local_epsilon());
  EXPECT_EQ(WholeLife(*TaskOf(1, 3)).delta, 0);
}

TEST(WholeLifeTest, WithoutALocalEpsilonNothingIsLeft) {
  const auto task = WithoutLocalEpsilon(1000);
  ASSERT_EQ(task->scheme()->local_epsilon(), kInfinity);
  const auto total = WholeLife(*task);
  EXPECT_EQ(total.epsilon, kInfinity);
  EXPECT_EQ(total.delta, 1);
  EXPECT_EQ(Over(*task, 1000, {kInfinity, 1}).epsilon, kInfinity);
  EXPECT_DOUBLE_EQ(Over(*task, 1000, {1e-3, 1e-6}).epsilon, 1);
}

TEST(WholeLifeTest, AnEpsilonOfZeroAddsUpItsDelta) {
  const auto total = Over(*TaskOf(7, 1), 7, {0, 1e-6});
  EXPECT_EQ(total.epsilon, 0);
  EXPECT_DOUBLE_EQ(total.delta, 7e-6);
}

// A task of 30 days with a period a day, in which 1000 honest devices send `dummies` for each of 20
// values: 136.5 of them make (0.5, 1e-6).
std::shared_ptr<const Task> Daily(uint32_t submissions, bool merge, double dummies = 136.5) {
  return MakeTestTask([&](v1::Task* task) {
    task->set_submissions_per_device(submissions);
    task->mutable_target()->set_epsilon(0.5);
    task->mutable_target()->set_delta(1e-6);
    task->mutable_batch_policy()->set_planned_submissions(2000);
    task->mutable_batch_policy()->set_smallest_batch(1000);
    task->mutable_batch_policy()->set_interval(24 * 3600);
    task->mutable_batch_policy()->set_merge_periods(merge);
    v1::Dummies* noise = task->mutable_mechanism()->mutable_pure_dump()->mutable_dummies();
    noise->set_rate(static_cast<uint64_t>(std::ldexp(dummies * 20 / 1000, 40)));
    noise->set_honest(1000);
    noise->set_max(1000);
  });
}

// The same by randomised response, with a local epsilon of 2.
std::shared_ptr<const Task> DailyResponses(uint32_t submissions, double epsilon,
                                           uint64_t smallest) {
  return MakeTestTask([&](v1::Task* task) {
    task->set_submissions_per_device(submissions);
    task->mutable_target()->set_epsilon(epsilon);
    task->mutable_target()->set_delta(1e-6);
    task->mutable_batch_policy()->set_planned_submissions(smallest);
    task->mutable_batch_policy()->set_smallest_batch(smallest);
    task->mutable_batch_policy()->set_interval(24 * 3600);
  });
}

// (5, 2.3e-4) as a group, (5, 1e-5) by optimal composition. The reference for 136.1 dummies is
// 1.694, from an independent computation.
TEST(WholeLifeTest, TenPeriodsOfAHalfAreOnePointSeven) {
  const auto composed = WholeLife(*Daily(10, false));
  EXPECT_NEAR(composed.epsilon, 1.692, 0.003);
  EXPECT_EQ(composed.delta, 1e-6);
  const auto merged = WholeLife(*Daily(10, true));
  EXPECT_DOUBLE_EQ(merged.epsilon, 5);
  EXPECT_GT(merged.delta, 2e-4) << "they may wait in one batch";
  const auto one = Over(*Daily(10, false), 1, {0.5, 1e-6}, 1000);
  EXPECT_EQ(one.epsilon, 0.5);
  EXPECT_EQ(one.delta, 1e-6);
}

TEST(WholeLifeTest, ResponsesComposeByTheirCurve) {
  const auto task = DailyResponses(10, 0.1, 50'000);
  const double one = *task->scheme()->EpsilonAt(50'000, 1e-6);
  ASSERT_LT(one, 0.1);
  const auto total = WholeLife(*task);
  EXPECT_EQ(total.delta, 1e-6);
  EXPECT_GT(total.epsilon, 3.1 * one) << "never less than the root of so many";
  EXPECT_LT(total.epsilon, 3.6 * one);
}

// A batch of so many devices is needed for (0.1, 1e-6), and more than the smallest.
TEST(WholeLifeTest, TheSmallestBatchIsTheOneThatHasTheTarget) {
  const auto task = MakeTestTask([](v1::Task* wire) {
    wire->set_submissions_per_device(10);
    wire->mutable_target()->set_epsilon(0.1);
    wire->mutable_target()->set_delta(1e-6);
    wire->mutable_batch_policy()->set_planned_submissions(100'000);
    wire->mutable_batch_policy()->set_interval(24 * 3600);
  });
  const int64_t needed = NeededSubmissions(*task).value();
  ASSERT_GT(needed, 1000);
  const auto total = WholeLife(*task);
  const auto same = Over(*task, 10, {0.1, 1e-6}, needed);
  EXPECT_EQ(total.epsilon, same.epsilon);
  EXPECT_LT(total.epsilon, 0.4);
  EXPECT_GT(Over(*task, 10, {0.1, 1e-6}, needed / 2).epsilon, total.epsilon);
}

// Optimal composition of (0.5, 1e-6) at total delta k 1e-6, from an independent computation, where
// nothing better is known.
TEST(WholeLifeTest, WithoutALossThePairsCompose) {
  const auto task = MakeTestTask([](v1::Task* wire) {
    wire->mutable_batch_policy()->set_interval(3600);
    wire->set_submissions_per_device(100);
  });
  EXPECT_NEAR(Over(*task, 30, {0.5, 1e-6}).epsilon, 15.0, 0.05);
  EXPECT_NEAR(Over(*task, 100, {0.5, 1e-6}).epsilon, 37.3, 0.05);
  EXPECT_NEAR(Over(*task, 100, {0.5, 1e-6}).delta, 1e-4, 1e-9);
}

// Whatever the losses say: at most what the pairs do, in both numbers, or what the reports do.
TEST(WholeLifeTest, IsNeverWorseThanThePairs) {
  for (const auto& task : {Daily(30, false), DailyResponses(30, 0.5, 2000)}) {
    for (const int64_t honest : {0, 5, 1000}) {
      for (const double epsilon : {0.02, 0.5}) {
        for (const int64_t submissions : {2, 30}) {
          const auto total = Over(*task, submissions, {epsilon, 1e-6}, honest);
          const double delta = accounting::Times(submissions, 1e-6);
          const double pairs = *accounting::ComposedEpsilon({epsilon, 1e-6}, submissions, delta);
          EXPECT_LE(total.epsilon, pairs) << honest << " " << epsilon << " " << submissions;
          EXPECT_LE(total.delta, delta);
        }
      }
    }
  }
}

TEST(WholeLifeTest, ASmallerBatchCostsWhatItCosts) {
  const auto task = Daily(10, false);
  const auto one = [&](int64_t honest) {
    return accounting::EpsilonDelta{*task->scheme()->EpsilonAt(honest, 1e-6), 1e-6};
  };
  const auto of = [&](std::vector<BatchUses> uses) { return OverSeveral(*task, uses); };
  const auto large = of({{10, 1000, one(1000)}});
  const auto mixed = of({{9, 1000, one(1000)}, {1, 500, one(500)}});
  const auto small = of({{10, 500, one(500)}});
  EXPECT_LT(large.epsilon, mixed.epsilon);
  EXPECT_LT(mixed.epsilon, small.epsilon);
  EXPECT_EQ(mixed.delta, 1e-6);
  // Without a local epsilon one of which nothing is known leaves nothing.
  const auto unknown = of({{9, 1000, one(1000)}, {1, 5, {kInfinity, 1}}});
  EXPECT_EQ(unknown.epsilon, kInfinity);
  EXPECT_EQ(unknown.delta, 1);
}

TEST(WholeLifeTest, AReportThatNothingHidesCostsItsLocalEpsilonOnce) {
  const auto task = DailyResponses(10, 0.1, 50'000);
  const accounting::EpsilonDelta one{*task->scheme()->EpsilonAt(50'000, 1e-6), 1e-6};
  const double local = task->scheme()->local_epsilon();
  const auto nine = Over(*task, 9, one, 50'000);
  const auto ten =
      OverSeveral(*task, std::vector<BatchUses>{{9, 50'000, one}, {1, 0, {kInfinity, 1}}});
  EXPECT_GT(ten.epsilon, local);
  EXPECT_LE(ten.epsilon, local + nine.epsilon * 1.001);
  EXPECT_EQ(ten.delta, 1e-6);
}

// Of every task's Delta that is asked for.
int evaluations = 0;

// A kind of histogram that counts them.
class Counted final : public Kind, public mechanism::Scheme {
 public:
  static absl::StatusOr<std::shared_ptr<const Kind>> Read(const v1::Task& task) {
    auto kind = Kinds::BuiltIn().Read(task);
    if (!kind.ok()) return kind.status();
    return std::make_shared<const Counted>(*std::move(kind));
  }

  explicit Counted(std::shared_ptr<const Kind> kind)
      : kind_(std::move(kind)), self_(std::shared_ptr<const Scheme>(), this) {}

  const mechanism::Tables& tables() const override { return kind_->tables(); }
  const std::shared_ptr<const mechanism::Scheme>& scheme() const override { return self_; }
  double PredictedMse(int64_t n) const override { return kind_->PredictedMse(n); }
  absl::string_view name() const override { return kind_->name(); }
  mechanism::Parameters parameters() const override { return inner().parameters(); }
  size_t report_bytes() const override { return inner().report_bytes(); }
  int64_t max_reports_per_submission() const override { return 1; }
  double expected_reports_per_submission() const override { return 1; }
  void DrawFake(RandomSource& random, absl::Span<uint8_t> report) const override {
    inner().DrawFake(random, report);
  }
  double local_epsilon() const override { return inner().local_epsilon(); }
  absl::StatusOr<double> Delta(int64_t honest, double epsilon) const override {
    ++evaluations;
    return inner().Delta(honest, epsilon);
  }
  absl::StatusOr<double> EpsilonAt(int64_t honest, double delta) const override {
    return inner().EpsilonAt(honest, delta);
  }
  absl::StatusOr<int64_t> SmallestHonest(double epsilon, double delta) const override {
    return inner().SmallestHonest(epsilon, delta);
  }

 private:
  const mechanism::Scheme& inner() const { return *kind_->scheme(); }

  std::shared_ptr<const Kind> kind_;
  std::shared_ptr<const mechanism::Scheme> self_;
};

// A stranger's task must not keep a device busy.
TEST(WholeLifeTest, ATaskIsAccountedForOnceAndByABoundedNumberOfEvaluations) {
  const Kinds kinds({{v1::KIND_HISTOGRAM, "histogram", &Counted::Read}});
  const auto parse = [&](const Task& task) { return Task::Parse(task.bytes(), kinds).value(); };
  evaluations = 0;
  const auto task = parse(*DailyResponses(10, 0.1, 50'000));
  const double epsilon = WholeLife(*task).epsilon;
  EXPECT_GT(evaluations, 20);
  EXPECT_LE(evaluations, 1 + accounting::kMostLossEvaluations);
  const int first = evaluations;
  EXPECT_EQ(WholeLife(*task).epsilon, epsilon);
  EXPECT_EQ(evaluations, first) << "it is kept";
  // Where nothing composes nothing is asked.
  WholeLife(*parse(*DailyResponses(1, 0.1, 50'000)));
  WholeLife(*parse(*TaskOf(100, 0.1)));
  EXPECT_EQ(evaluations, first);
}

TEST(WholeLifeTest, SaysWhySeveralCostThatMuch) {
  EXPECT_EQ(WhyThatMuch(*Daily(10, false), 1), "");
  EXPECT_EQ(WhyThatMuch(*Daily(10, false), 10),
            "each is in a batch of its own, so their losses compose");
  EXPECT_EQ(WhyThatMuch(*Daily(10, true), 10),
            "where periods merge they may meet in one batch, so they count as a group");
  EXPECT_EQ(WhyThatMuch(*TaskOf(10, 1), 10),
            "without periods they may meet in one batch, so they count as a group");
}

TEST(WholeLifeTest, ADeviceSubmitsAtMostOnceAPeriod) {
  EXPECT_EQ(MostSubmissions(*Daily(10, false)), 10);
  EXPECT_EQ(MostSubmissions(*Daily(100, false)), 30);
  EXPECT_EQ(MostSubmissions(*Daily(100, true)), 100);
}

TEST(WholeLifeTest, WarnsBeyondTheUsualPolicyAndNotAtIt) {
  EXPECT_EQ(WholeLifeWarning({kUsualTotalEpsilon, kUsualTotalDelta}, 7), "");
  EXPECT_EQ(WholeLifeWarning({10.00001, 0.2094}, 100),
            "over the 100 submissions a device may make the guarantee is epsilon 10.01, delta "
            "0.2094, weaker than the usual policy of a device (epsilon 4, delta 0.001 in total): "
            "fewer submissions a device or a smaller epsilon would mend that");
  EXPECT_THAT(WholeLifeWarning({4.0001, 1e-6}, 1), HasSubstr("the one submission"));
  EXPECT_THAT(WholeLifeWarning({1, 0.002}, 2), HasSubstr("delta 0.002"));
  EXPECT_THAT(WholeLifeWarning({kInfinity, 1}, 2), HasSubstr("the guarantee is nothing"));
}

// 4,096 reports by randomised response leave a local epsilon of which e to the power is no number:
// whatever their collector means by it, nobody who looks at such a task may fall over.
TEST(WholeLifeTest, ALocalEpsilonBeyondNumbersIsNone) {
  const auto task = MakeTestTask([](v1::Task* t) {
    t->set_kind(v1::KIND_SET);
    t->mutable_domain()->Clear();
    t->mutable_domain()->set_size(10'000);
    t->mutable_items()->set_max_items(4096);
    t->mutable_items()->set_sent(4096);
    t->mutable_mechanism()->mutable_grr()->set_blanket_threshold(uint64_t{1} << 34);
    t->mutable_target()->set_epsilon(1e-6);
    t->mutable_target()->set_delta(1e-30);
    t->set_submissions_per_device(10);
    t->mutable_batch_policy()->set_interval(24 * 3600);
  });
  EXPECT_GT(task->scheme()->local_epsilon(), 20'000);
  const auto total = WholeLife(*task);
  EXPECT_TRUE(total.epsilon >= 1e-6 && total.delta <= 1);
}

}  // namespace
}  // namespace tombola
