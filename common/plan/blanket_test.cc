#include "common/plan/blanket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "common/accounting/blanket.h"
#include "common/accounting/search.h"
#include "common/table/threshold.h"

namespace tombola::mechanism {
namespace {

PlanRequest Request(Method method) {
  return {.honest = 600000,
          .submissions = 600000,
          .domain_size = 600,
          .epsilon = 0.5,
          .delta = 1e-6,
          .method = method};
}

TEST(BlanketPlanTest, KappaIsThatOfALocalEpsilon) {
  EXPECT_DOUBLE_EQ(KappaOf(std::log(3.0)), 2);
  EXPECT_EQ(KappaOf(std::numeric_limits<double>::infinity()), accounting::kLargestKappa);
}

// (honest - 1)/K + dummies/range = 14 ln(2/delta) / epsilon^2.
TEST(BlanketPlanTest, ClosedFormsAreSolvedForKappa) {
  const PlanRequest request = Request(Method::kPublished);
  const double cover = PublishedCover(request).value();
  EXPECT_NEAR(cover, 14 * std::log(2e6) / 0.25, 1e-9);
  for (const double dummies : {0.0, 60000.0}) {
    const double kappa = PublishedKappa(request, cover, 248, dummies);
    EXPECT_NEAR(599999 / (kappa + 248) + dummies / 248, cover, 1e-9);
  }
  EXPECT_NEAR(PublishedKappa(request, cover, 248, 60000), 803.616307231131, 1e-6);
  // Dummies that are enough by themselves, and a range that K does not reach.
  EXPECT_EQ(PublishedKappa(request, cover, 2, 60000), accounting::kLargestKappa);
  EXPECT_EQ(PublishedKappa(request, cover, 10000, 0), std::expm1(0.5));
}

TEST(BlanketPlanTest, AllowsWhatTheMethodSaysUpToTheCap) {
  PlanRequest request = Request(Method::kTight);
  EXPECT_EQ(AllowedKappa(request, {.range = 600}).value(),
            accounting::LargestKappa({600000, 600, 0, 0}, 0.5, 1e-6).value());
  EXPECT_GT(AllowedKappa(request, {.range = 600, .fakes = 60000}).value(),
            AllowedKappa(request, {.range = 600}).value());
  EXPECT_GT(AllowedKappa(request, {.range = 16, .collision = 1.0 / 16}).value(),
            1.05 * AllowedKappa(request, {.range = 16}).value());
  request.max_local_epsilon = 3;
  EXPECT_EQ(AllowedKappa(request, {.range = 600}).value(), std::expm1(3));
  request.max_local_epsilon = 0.2;
  EXPECT_EQ(AllowedKappa(request, {.range = 600}).value(), std::expm1(0.2));
  request = Request(Method::kPublished);
  EXPECT_NEAR(AllowedKappa(request, {.range = 600}).value(), 138.47409252020054, 1e-6);
  request.max_local_epsilon = 3;
  EXPECT_EQ(AllowedKappa(request, {.range = 600}).value(), std::expm1(3));
  request.epsilon = 2;
  EXPECT_EQ(AllowedKappa(request, {.range = 600}).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(BlanketPlanTest, ThresholdsMeetTheTargetAndTheCap) {
  PlanRequest request = Request(Method::kTight);
  for (const double cap : {0.1, 0.5, 2.0, std::numeric_limits<double>::infinity()}) {
    request.max_local_epsilon = cap;
    const double kappa = AllowedKappa(request, {.range = 600}).value();
    const uint64_t threshold = MeetingThreshold(request, Meanings{.range = 600}, kappa).value();
    const double gamma = FractionRoundedDown(threshold);
    EXPECT_LE(accounting::LocalEpsilon(600, gamma), cap);
    EXPECT_LE(accounting::Delta({600000, 600, gamma}, 0.5).value(), 1e-6);
    EXPECT_NEAR(gamma, accounting::GammaOf(600, kappa), 1e-9);
  }
}

TEST(BlanketPlanTest, GivesWayALittleAndThenGivesUp) {
  const PlanRequest request = Request(Method::kTight);
  const double kappa = AllowedKappa(request, {.range = 600}).value();
  const uint64_t relaxed = MeetingThreshold(request, Meanings{.range = 600}, kappa * 1.005).value();
  EXPECT_LE(accounting::Delta({600000, 600, FractionRoundedDown(relaxed)}, 0.5).value(), 1e-6);
  EXPECT_EQ(MeetingThreshold(request, Meanings{.range = 600}, kappa * 2).status().code(),
            absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace tombola::mechanism
