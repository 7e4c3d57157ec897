#include "common/plan/strings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "absl/status/status.h"
#include "common/accounting/items.h"
#include "common/accounting/noise_law.h"
#include "common/accounting/search.h"
#include "common/plan/string_threshold.h"

namespace tombola::mechanism {
namespace {

using strings::StringMessages;
using ::testing::HasSubstr;

// Computed by an independent program, exactly.
TEST(ChanceThresholdTest, IsTheReference) {
  EXPECT_EQ(ChanceThreshold(5.0, 67108864.0, 0.05 / 3), 25);
  EXPECT_EQ(ChanceThreshold(20.35, 65e6, 0.05 / 3), 55);
  EXPECT_EQ(ChanceThreshold(2.8, 1e6, 0.05), 16);
}

TEST(PoissonTailTest, IsTheSumOfItsTerms) {
  for (const double mean : {0.01, 1.0, 7.5, 200.0}) {
    double below = 0;
    double pmf = std::exp(-mean);
    for (int64_t k = 0; k < 40; ++k) {
      // The complement has lost its digits where the tail is small.
      EXPECT_NEAR(PoissonTail(mean, k), 1 - below, 1e-12) << mean << " " << k;
      below += pmf;
      pmf *= mean / static_cast<double>(k + 1);
    }
  }
  EXPECT_NEAR(PoissonTail(1, 60) * std::exp(std::lgamma(61) + 1), 1 + 1.0 / 61 + 1 / 61.0 / 62,
              1e-5);
  EXPECT_NEAR(PoissonTail(MeanReaching(25, 0.9), 25), 0.9, 1e-9);
}

// Computed by an independent program: kappa to 1 %, the threshold exactly, holders to 2 %.
struct Reference {
  int64_t users;
  double epsilon, candidates;
  int64_t levels;
  int bits;
  double kappa;
  int64_t statistic;
  double holders;
};

TEST(PlanStringsTest, NeedsAsManyHoldersAsTheReference) {
  for (const Reference& c :
       {Reference{1000000, 1, 67108864, 3, 16, 61479.13172257886, 25, 184.29760906466745},
        Reference{1000000, 0.5, 67108864, 2, 15, 20540.770706725223, 46, 219.75610624362386},
        Reference{10000000, 1, 67108864, 6, 19, 559497.9222969337, 21, 332.4900797195095},
        Reference{657427, 1, 65e6, 3, 16, 48755.56499483104, 21, 187.87274353189724},
        Reference{100000, 1, 1e6, 1, 13, 6771.310133869293, 36, 69.98106107468311}}) {
    StringPlanRequest request{.plan = {.honest = c.users,
                                       .submissions = c.users,
                                       .epsilon = c.epsilon,
                                       .delta = 1e-6,
                                       .range = uint64_t{1} << c.bits},
                              .symbols = 256,
                              .length = 2 * c.levels,
                              .step = 2,
                              .whole = c.levels == 1,
                              .dictionary = c.candidates};
    const absl::StatusOr<strings::Shape> shape =
        strings::Shape::Create({.symbols = 256, .length = 2, .step = 2, .range = 64});
    request.survivors = c.candidates / static_cast<double>(shape->valid_children());
    const auto plans = PlanStrings(request);
    ASSERT_TRUE(plans.ok()) << plans.status();
    const StringPlan& one = plans->front();
    ASSERT_TRUE(one.feasible) << one.reason;
    EXPECT_EQ(one.levels, c.levels);
    EXPECT_NEAR(std::expm1(one.local_epsilon) / c.kappa, 1, 0.01);
    EXPECT_EQ(one.statistic, c.statistic);
    EXPECT_NEAR(one.holders / c.holders, 1, 0.02);
    EXPECT_LE(one.delta, 1e-6);
    // The best number of buckets is no worse.
    request.plan.range.reset();
    const auto best = PlanStrings(request);
    ASSERT_TRUE(best.ok());
    EXPECT_LE(best->front().holders, one.holders * (1 + 1e-9));
    EXPECT_GE(best->front().holders, 0.95 * c.holders);
  }
}

StringPlanRequest SixBytes(int64_t users, double epsilon) {
  return {.plan = {.honest = users, .submissions = users, .epsilon = epsilon, .delta = 1e-6},
          .symbols = 256,
          .length = 6};
}

// The table of an independent program, by number of levels: holders to 3 %, because it counts
// 2^26 candidates whatever the alphabet is.
TEST(PlanStringsTest, ComparesTheThreeWays) {
  const auto plans = PlanStrings(SixBytes(1000000, 1));
  ASSERT_TRUE(plans.ok()) << plans.status();
  ASSERT_EQ(plans->size(), 3u);
  const double holders[] = {184, 143, 113};
  const double messages[] = {1, 3.8, 8.6};
  for (size_t i = 0; i < 3; ++i) {
    const StringPlan& plan = (*plans)[i];
    ASSERT_TRUE(plan.feasible) << plan.reason;
    EXPECT_EQ(plan.levels, 3);
    EXPECT_NEAR(plan.holders / holders[i], 1, 0.03) << i;
    EXPECT_NEAR(plan.expected_messages / messages[i], 1, 0.03) << i;
    EXPECT_LE(plan.delta, 1e-6);
    EXPECT_GT(plan.delta, 0.98e-6) << i;
    EXPECT_EQ(std::isfinite(plan.local_epsilon), i == 0);
  }
  EXPECT_NEAR((*plans)[0].local_epsilon, 11.0, 0.1);
  EXPECT_NEAR((*plans)[0].of_liar, 3 / 0.484, 0.1);
}

// What dummies guarantee is looked at anew: a Poisson number in each bucket of each level.
TEST(PlanStringsTest, DummiesHideALevelOrAllOfThem) {
  const auto plans = PlanStrings(SixBytes(1000000, 1));
  ASSERT_TRUE(plans.ok());
  for (const auto& [index, cells] : {std::pair<size_t, int64_t>{1, 1}, {2, 3}}) {
    const StringPlan& plan = (*plans)[index];
    ASSERT_TRUE(plan.dummies.has_value());
    const double mean = 1e6 * (plan.expected_messages - static_cast<double>(cells)) /
                        static_cast<double>(plan.shape.range * cells);
    const auto law = accounting::PoissonNoise(mean);
    const auto delta = accounting::CellsDelta(*law, cells, 1, 1);
    ASSERT_TRUE(delta.ok());
    EXPECT_LE(*delta, 1e-6);
    EXPECT_GT(*delta, 0.98e-6);
  }
}

TEST(PlanStringsTest, ADictionaryNeedsTheFewest) {
  StringPlanRequest request = SixBytes(1000000, 1);
  request.whole = true;
  request.length = 40;
  const auto plans = PlanStrings(request);
  ASSERT_TRUE(plans.ok()) << plans.status();
  const double holders[] = {76, 66, 69};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ((*plans)[i].levels, 1);
    EXPECT_NEAR((*plans)[i].holders / holders[i], 1, 0.03) << i;
  }
}

TEST(PlanStringsTest, WithACapOnTheLocalEpsilonNeedsMore) {
  StringPlanRequest request = SixBytes(1000000, 1);
  request.plan.max_local_epsilon = 6;
  const auto plans = PlanStrings(request);
  ASSERT_TRUE(plans.ok()) << plans.status();
  EXPECT_NEAR(plans->front().holders / 1494, 1, 0.03);
  EXPECT_LE(plans->front().local_epsilon, 6);
  for (size_t i = 1; i < 3; ++i) {
    EXPECT_FALSE((*plans)[i].feasible);
    EXPECT_THAT((*plans)[i].reason, HasSubstr("local"));
    EXPECT_TRUE(std::isinf((*plans)[i].holders));
  }
}

TEST(PlanStringsTest, KeepsToTheMessagesAllowed) {
  StringPlanRequest request = SixBytes(1000000, 1);
  request.plan.max_messages = 2;
  const auto plans = PlanStrings(request);
  ASSERT_TRUE(plans.ok()) << plans.status();
  EXPECT_LE((*plans)[1].expected_messages, 2);
  EXPECT_LT((*plans)[1].shape.range, 65536);
  EXPECT_FALSE((*plans)[2].feasible);
  request.plan.max_messages = std::numeric_limits<double>::infinity();
  request.plan.honest = request.plan.submissions = 300;
  const auto few = PlanStrings(request);
  ASSERT_TRUE(few.ok());
  // More than usual, but nothing less will do.
  EXPECT_TRUE((*few)[1].feasible) << (*few)[1].reason;
  EXPECT_GT((*few)[1].expected_messages, kUsualStringMessages);
}

TEST(LevelsForTest, AreAsFewAsTestsAllow) {
  struct Case {
    int64_t symbols, length, step, levels;
  };
  for (const Case& c :
       {Case{256, 6, 2, 3}, Case{42, 6, 3, 2}, Case{42, 12, 3, 4}, Case{28, 20, 4, 5},
        Case{42, 20, 3, 7}, Case{256, 20, 2, 10}, Case{256, 1, 1, 1}}) {
    const auto shape = LevelsFor({.symbols = c.symbols, .length = c.length});
    ASSERT_TRUE(shape.ok()) << shape.status();
    EXPECT_EQ(shape->step, c.step) << c.symbols << " " << c.length;
    EXPECT_EQ(shape->length / shape->step, c.levels);
    EXPECT_GE(shape->length, c.length);
    EXPECT_LT(shape->length, c.length + c.step);
  }
  const auto more = LevelsFor({.symbols = 42, .length = 12, .most_tests = 3e12});
  EXPECT_EQ(more->step, 4);
}

TEST(PlanStringsTest, NamesTheFieldThatIsOutOfBounds) {
  const auto refused = [](const StringPlanRequest& request, const char* message) {
    const auto plans = PlanStrings(request);
    ASSERT_EQ(plans.status().code(), absl::StatusCode::kInvalidArgument) << message;
    EXPECT_THAT(plans.status().message(), HasSubstr(message));
  };
  const StringPlanRequest valid = SixBytes(1000, 1);
  StringPlanRequest request = valid;
  request.plan.honest = 0;
  refused(request, "honest is 0; it must be in [1, 2^40]");
  request = valid;
  request.plan.submissions = 999;
  refused(request, "submissions is 999; it must be at least honest");
  request = valid;
  request.plan.epsilon = 0;
  refused(request, "epsilon");
  request = valid;
  request.plan.delta = 1;
  refused(request, "delta");
  request = valid;
  request.symbols = 300;
  refused(request, "strings.symbols must be in [3, 256], is 300");
  request = valid;
  request.length = 0;
  refused(request, "length is 0; it must be in [1, 255]");
  request = valid;
  request.step = 7;
  refused(request, "step is 7; it must be in [1, length]");
  request = valid;
  request.step = 6;
  refused(request, "strings.step must be so small that symbols^step is at most 2^32");
  request = valid;
  request.plan.range = 100;
  refused(request, "strings.range must be a power of two, is 100");
  request = valid;
  request.most_tests = 1e6;
  refused(request, "most_tests is 1e+06; it must be at least 3.93216e+08");
  request = valid;
  request.alpha = 0;
  refused(request, "alpha is 0");
  request = valid;
  request.power = 1;
  refused(request, "power is 1");
}

}  // namespace
}  // namespace tombola::mechanism
