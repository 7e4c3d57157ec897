#include "common/mechanism/mix_dump.h"

#include <gtest/gtest.h>

#include <cmath>

#include "common/accounting/noise_search.h"
#include "common/plan/test_plan.h"

namespace tombola::mechanism {
namespace {

TEST(MixDumpPlanTest, TakesHalfOfWhatPureDumpNeeds) {
  const double lambda = accounting::SmallestPoissonMean(0.5, 1e-6).value();
  const MixDump planned = ValidPlan<MixDump>(Request(600000, 600, 0.5, 1e-6));
  EXPECT_EQ(planned.dummies().options().honest, 600000);
  EXPECT_NEAR(planned.parameters().dummies.value(), lambda / 2, 1e-6 * lambda);
  EXPECT_NEAR(planned.expected_reports_per_submission(), 1 + lambda / 2000, 1e-6);
}

TEST(MixDumpPlanTest, UsesTheBudgetUpAndSpendsNextToNothingOnTheCap) {
  const MixDump planned = ValidPlan<MixDump>(Request(600000, 600, 0.5, 1e-6));
  EXPECT_GT(planned.Delta(600000, 0.5).value(), 0.999e-6);
  EXPECT_LE(planned.dummies().Charge(600000), 1e-10);
  EXPECT_LT(planned.max_reports_per_submission(), 12);
}

// Between randomised response and pure_dump, better with every dummy.
TEST(MixDumpPlanTest, TakesAGivenNumberOfDummies) {
  PlanRequest request = Request(600000, 600, 0.5, 1e-6);
  const double grr = PlanOne("grr", request).value()->PredictedMse(600000);
  double last = grr * 1.001;
  for (const double dummies : {0.01, 30.0, 68.0, 130.0}) {
    request.dummies = dummies;
    const MixDump planned = ValidPlan<MixDump>(request);
    EXPECT_NEAR(planned.parameters().dummies.value(), dummies, 1e-6 * dummies);
    EXPECT_LT(planned.PredictedMse(600000), last);
    last = planned.PredictedMse(600000);
  }
  // More than pure_dump needs: the response need not hide anything.
  request.dummies = 137;
  EXPECT_GT(ValidPlan<MixDump>(request).local_epsilon(), 30);
}

TEST(MixDumpPlanTest, KeepsToTheLocalCapAlsoBelowEpsilon) {
  PlanRequest request = Request(600000, 600, 0.5, 1e-6);
  for (const double cap : {8.0, 2.0, 0.3}) {
    request.max_local_epsilon = cap;
    EXPECT_NEAR(ValidPlan<MixDump>(request).local_epsilon(), cap, 1e-6);
  }
}

TEST(MixDumpPlanTest, SaysHowManyMessagesItNeeds) {
  PlanRequest request = Request(600000, 600, 0.5, 1e-6);
  request.max_messages = 1.07;
  ValidPlan<MixDump>(request);
  request.max_messages = 1.06;
  ExpectRefused<MixDump>(request, "mix_dump needs 1.068");
  request = Request(10, 10000, 0.5, 1e-6);
  ExpectRefused<MixDump>(request,
                         "mix_dump needs 68048.1 draws of noise of each of 10 honest submissions");
  request = Request(1000000000, int64_t{1} << 24, 0.01, 1e-6);
  ExpectRefused<MixDump>(request, "more than are accounted for");
}

TEST(MixDumpPlanTest, ClosedFormsShareTheCoverBetweenDummiesAndResponses) {
  PlanRequest request = Request(600000, 600, 0.5, 1e-6);
  request.method = Method::kPublished;
  const MixDump planned = ValidPlan<MixDump>(request);
  const double cover = 14 * std::log(2e6) / 0.25;
  const double lambda = planned.parameters().dummies.value();
  // Half of what pure_dump needs by the tight accountant: the dummies do not depend on the method.
  EXPECT_NEAR(lambda, 136.096 / 2, 0.01);
  const double k = std::expm1(planned.local_epsilon()) + 600;
  EXPECT_NEAR((599999 / k + lambda) / cover, 1, 1e-9);
  // Nothing is left for a response over so many values.
  request.domain_size = 10000;
  EXPECT_NEAR(ValidPlan<MixDump>(request).local_epsilon(), 0.5, 1e-9);
  request.epsilon = 1.1;
  ExpectRefused<MixDump>(request, "proven for epsilon <= 1");
}

}  // namespace
}  // namespace tombola::mechanism
