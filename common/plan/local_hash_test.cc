#include "common/mechanism/local_hash.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "common/accounting/search.h"
#include "common/plan/planners.h"
#include "common/plan/test_plan.h"

namespace tombola::mechanism {
namespace {

using ::testing::HasSubstr;

// The error of an exact search over all real ranges, by an independent implementation.
TEST(LocalHashPlanTest, ReachesTheReferenceErrors) {
  struct Case {
    int64_t users;
    int64_t domain;
    double epsilon;
    double mse;
  };
  for (const Case& c :
       {Case{600000, 600, 0.1, 1.634e-8}, Case{600000, 600, 0.5, 2.402e-9},
        Case{600000, 600, 1.0, 1.237e-9}, Case{1000000, 42178, 0.1, 3.1363e-9},
        Case{1000000, 42178, 0.5, 2.307e-10}, Case{1000000, 42178, 1.0, 8.66e-11}}) {
    const LocalHash planned = ValidPlan<LocalHash>(Request(c.users, c.domain, c.epsilon, 1e-6));
    EXPECT_NEAR(planned.PredictedMse(c.users) / c.mse, 1, 0.01) << c.domain << " " << c.epsilon;
    EXPECT_EQ(planned.options().family, HashFamily::kPlane);
  }
  EXPECT_LE(ValidPlan<LocalHash>(Request(600000, 600, 0.5, 1e-6)).PredictedMse(600000), 2.45e-9);
}

// Small batches have an error that is jagged in the range: no smooth model finds the best one. What
// remains is the rounding to a power of two where the plane does not fit.
TEST(LocalHashPlanTest, IsNearTheBestOfAllRanges) {
  for (const int64_t users : {100, 1000, 20000}) {
    for (const int64_t domain : {100, 42178}) {
      for (const double cap : {1.0, 5.0, std::numeric_limits<double>::infinity()}) {
        PlanRequest request = Request(users, domain, 1, 1e-6);
        request.max_local_epsilon = cap;
        double least = std::numeric_limits<double>::infinity();
        for (double range = 2; range < 1e7; range *= 1.3) {
          const double kappa =
              std::min(std::expm1(cap),
                       accounting::LargestKappa({users, range, 0, 0, 1 / range}, 1, 1e-6).value());
          least = std::min(
              least,
              AverageSquaredError(UniversalSupport(range, kappa / (kappa + range)), domain, users));
        }
        EXPECT_LE(ValidPlan<LocalHash>(request).PredictedMse(users), 1.03 * least)
            << users << " users, " << domain << " values, cap " << cap;
      }
    }
  }
}

TEST(LocalHashPlanTest, UsesTheBudgetUp) {
  const LocalHash planned = ValidPlan<LocalHash>(Request(600000, 600, 0.5, 1e-6));
  EXPECT_GT(planned.Delta(600000, 0.5).value(), 0.9e-6);
}

TEST(LocalHashPlanTest, KeepsToTheLocalCap) {
  double last = 0;
  for (const double cap : {8.0, 4.0, 2.0, 1.0, 0.3}) {
    PlanRequest request = Request(600000, 600, 0.5, 1e-6);
    request.max_local_epsilon = cap;
    const LocalHash planned = ValidPlan<LocalHash>(request);
    EXPECT_GT(planned.local_epsilon(), 0.99 * cap);
    EXPECT_GT(planned.PredictedMse(600000), last);
    last = planned.PredictedMse(600000);
  }
}

TEST(LocalHashPlanTest, TakesTheAffineFamilyWhereThePlaneWouldNeedTooLargeARange) {
  // A local epsilon of 1 wants about e + 1 buckets; the plane needs at least 206.
  PlanRequest request = Request(1000000, 42178, 0.5, 1e-6);
  request.max_local_epsilon = 1;
  const LocalHash planned = ValidPlan<LocalHash>(request);
  EXPECT_EQ(planned.options().family, HashFamily::kAffine);
  EXPECT_EQ(planned.options().range, 4u);
  EXPECT_EQ(planned.options().lane_bits, 32u);
  PlanRequest plane = request;
  plane.range = 211;
  EXPECT_LT(planned.PredictedMse(1000000), ValidPlan<LocalHash>(plane).PredictedMse(1000000));
}

TEST(LocalHashPlanTest, FallsBackToLocalPrivacyForFewSubmissions) {
  for (const int64_t users : {1, 2, 10}) {
    const LocalHash planned = ValidPlan<LocalHash>(Request(users, 100, 0.5, 1e-9));
    EXPECT_GE(planned.local_epsilon(), 0.5 * (1 - 1e-6));
    EXPECT_LT(planned.local_epsilon(), 0.6);
  }
}

TEST(LocalHashPlanTest, PlansTheSmallestAndTheLargestDomain) {
  ValidPlan<LocalHash>(Request(100000, 2, 1, 1e-6));
  ValidPlan<LocalHash>(Request(1000000, int64_t{1} << 24, 1, 1e-6));
}

TEST(LocalHashPlanTest, GuardsTheHonestNotAllSubmissions) {
  PlanRequest request = Request(300000, 600, 0.5, 1e-6);
  request.submissions = 600000;
  EXPECT_GT(ValidPlan<LocalHash>(request).PredictedMse(600000),
            ValidPlan<LocalHash>(Request(600000, 600, 0.5, 1e-6)).PredictedMse(600000));
}

TEST(LocalHashPlanTest, TakesAGivenRange) {
  PlanRequest request = Request(600000, 600, 0.5, 1e-6);
  request.range = 257;
  EXPECT_EQ(ValidPlan<LocalHash>(request).options().range, 257u);
  EXPECT_EQ(ValidPlan<LocalHash>(request).options().family, HashFamily::kPlane);
  request.range = 256;
  EXPECT_EQ(ValidPlan<LocalHash>(request).options().range, 256u);
  EXPECT_EQ(ValidPlan<LocalHash>(request).options().family, HashFamily::kAffine);
  request.range = 2;  // prime, but too small for the plane
  EXPECT_EQ(ValidPlan<LocalHash>(request).options().family, HashFamily::kAffine);
  request.range = uint64_t{1} << 31;
  EXPECT_EQ(ValidPlan<LocalHash>(request).options().lane_bits, 64u);
}

TEST(LocalHashPlanTest, RefusesARangeThatNoFamilyHas) {
  for (const uint64_t range : {uint64_t{0}, uint64_t{1}, uint64_t{7}, uint64_t{12},
                               uint64_t{1} << 32, uint64_t{2147483659}}) {
    const absl::Status refused = ValidateRange(range, 100);
    ASSERT_EQ(refused.code(), absl::StatusCode::kInvalidArgument) << range;
    EXPECT_THAT(std::string(refused.message()), HasSubstr("range is"));
    EXPECT_THAT(std::string(refused.message()), HasSubstr("[10, 2^31)"));
  }
  for (const uint64_t range :
       {uint64_t{2}, uint64_t{11}, uint64_t{2147483647}, uint64_t{1} << 31}) {
    EXPECT_TRUE(ValidateRange(range, 100).ok()) << range;
  }
}

// The paper's own choice: K of Theorem 1, g = (K + 2) / 3. Errors by an independent implementation
// that rounds g to any whole number; powers of two, where the plane does not fit, cost more.
TEST(LocalHashPlanTest, ClosedFormsHaveTheReferenceErrors) {
  struct Case {
    int64_t users, domain;
    double epsilon, mse, tolerance, range;
  };
  for (const Case& c :
       {Case{600000, 600, 0.2, 9.8986e-8, 0.02, 40}, Case{600000, 600, 0.5, 1.66752e-8, 0.005, 247},
        Case{600000, 600, 1.0, 5.1978e-9, 0.01, 985},
        Case{1000000, 42178, 0.1, 1.4583e-7, 0.01, 17},
        Case{1000000, 42178, 0.5, 5.5095e-9, 0.005, 411},
        Case{1000000, 42178, 1.0, 1.3837e-9, 0.005, 1642}}) {
    PlanRequest request = Request(c.users, c.domain, c.epsilon, 1e-6);
    request.method = Method::kPublished;
    const LocalHash planned = ValidPlan<LocalHash>(request);
    EXPECT_NEAR(planned.PredictedMse(c.users) / c.mse, 1, c.tolerance) << c.domain << c.epsilon;
    EXPECT_NEAR(static_cast<double>(planned.options().range) / c.range, 1, 0.07);
    // Far inside the target: that is what is loose about them.
    EXPECT_LT(planned.Delta(c.users, c.epsilon).value(), 1e-20);
  }
}

TEST(LocalHashPlanTest, ClosedFormsKeepToTheCapAndFallBackToTheLocalMechanism) {
  PlanRequest request = Request(600000, 600, 0.5, 1e-6);
  request.method = Method::kPublished;
  request.max_local_epsilon = 4;
  EXPECT_NEAR(ValidPlan<LocalHash>(request).local_epsilon(), 4, 1e-6);
  // K = 1.2 here: not even two buckets.
  request = Request(1000, 600, 0.5, 1e-6);
  request.method = Method::kPublished;
  EXPECT_NEAR(ValidPlan<LocalHash>(request).local_epsilon(), 0.5, 1e-9);
  request.honest = 1;
  EXPECT_NEAR(ValidPlan<LocalHash>(request).local_epsilon(), 0.5, 1e-9);
}

TEST(LocalHashPlanTest, ClosedFormsAreRefusedWhereTheyAreNotProven) {
  PlanRequest request = Request(600000, 600, 1.01, 1e-6);
  request.method = Method::kPublished;
  ExpectRefused<LocalHash>(request, "proven for epsilon <= 1");
  request = Request(600000, 600, 0.5, 0.3);
  request.method = Method::kPublished;
  EXPECT_EQ(PlanOne("local_hash", request).status().code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace tombola::mechanism
