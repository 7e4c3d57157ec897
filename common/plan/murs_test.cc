#include "common/mechanism/murs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "common/accounting/search.h"
#include "common/plan/test_plan.h"

namespace tombola::mechanism {
namespace {

TEST(MursPlanTest, AddsATenthOfTheHonestSubmissionsUnlessTold) {
  EXPECT_EQ(ValidPlan<Murs>(Request(20000, 100, 0.5, 1e-6)).fakes(), 2000);
  EXPECT_EQ(ValidPlan<Murs>(Request(20001, 100, 0.5, 1e-6)).fakes(), 2001);
  EXPECT_EQ(ValidPlan<Murs>(Request(1, 100, 0.5, 1e-6)).fakes(), 1);
  PlanRequest request = Request(20000, 100, 0.5, 1e-6);
  request.fakes = 77;
  EXPECT_EQ(ValidPlan<Murs>(request).fakes(), 77);
}

// The error of a search over all whole ranges, fakes included.
TEST(MursPlanTest, IsNearTheBestOfAllRanges) {
  for (const int64_t fakes : {1000, 50000}) {
    PlanRequest request = Request(20000, 100, 0.5, 1e-6);
    request.fakes = fakes;
    double least = 1;
    for (double range = 2; range < 1e7; range *= 1.3) {
      const double kappa =
          accounting::LargestKappa({20000, range, 0, fakes, 1 / range}, 0.5, 1e-6).value();
      const CountModel model{.support = UniversalSupport(range, kappa / (kappa + range)),
                             .fake_support = 1 / range};
      least = std::min(least, AverageSquaredError(model, 100, {20000, fakes}));
    }
    EXPECT_LE(ValidPlan<Murs>(request).PredictedMse(20000), 1.02 * least) << fakes;
  }
}

TEST(MursPlanTest, FakesOfAllSubmissionsGoWithTheErrorAndHonestOnesWithTheGuarantee) {
  PlanRequest request = Request(300000, 600, 0.5, 1e-6);
  request.submissions = 600000;
  const Murs planned = ValidPlan<Murs>(request);
  EXPECT_EQ(planned.fakes(), 30000);
  EXPECT_LT(planned.PredictedMse(600000), planned.PredictedMse(300000));
}

TEST(MursPlanTest, TakesAGivenRangeAndACap) {
  PlanRequest request = Request(600000, 600, 0.5, 1e-6);
  request.range = 512;
  request.max_local_epsilon = 4;
  const Murs planned = ValidPlan<Murs>(request);
  EXPECT_EQ(planned.local_hash().options().range, 512u);
  EXPECT_NEAR(planned.local_epsilon(), 4, 1e-6);
}

// (honest - 1)/K + fakes/g >= 14 ln(2/delta) / epsilon^2, and the best g by an independent
// implementation that rounds it to any whole number.
TEST(MursPlanTest, ClosedFormsHaveTheReferenceErrors) {
  struct Case {
    int64_t users, domain;
    double epsilon, mse;
  };
  for (const Case& c : {Case{600000, 600, 0.5, 1.3553e-8}, Case{600000, 600, 1.0, 3.9051e-9},
                        Case{1000000, 42178, 0.5, 4.5511e-9}}) {
    PlanRequest request = Request(c.users, c.domain, c.epsilon, 1e-6);
    request.method = Method::kPublished;
    const Murs planned = ValidPlan<Murs>(request);
    EXPECT_NEAR(planned.PredictedMse(c.users) / c.mse, 1, 0.005) << c.domain << " " << c.epsilon;
    const auto range = static_cast<double>(planned.local_hash().options().range);
    const double k = std::expm1(planned.local_epsilon()) + range;
    EXPECT_NEAR(
        (static_cast<double>(c.users - 1) / k + static_cast<double>(planned.fakes()) / range) /
            (14 * std::log(2e6) / (c.epsilon * c.epsilon)),
        1, 1e-6);
  }
}

}  // namespace
}  // namespace tombola::mechanism
