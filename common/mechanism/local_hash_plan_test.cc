#include "common/mechanism/local_hash_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "common/accounting/search.h"

namespace tombola::mechanism {
namespace {

using ::testing::HasSubstr;

LocalHashPlanRequest Request(int64_t users, int64_t domain, double epsilon, double delta) {
  LocalHashPlanRequest request;
  request.honest = users;
  request.submissions = users;
  request.domain_size = domain;
  request.epsilon = epsilon;
  request.delta = delta;
  return request;
}

// Plans, and checks what every plan promises.
LocalHash Plan(const LocalHashPlanRequest& request) {
  const absl::StatusOr<LocalHashOptions> options = PlanLocalHash(request);
  EXPECT_TRUE(options.ok()) << options.status();
  LocalHash planned = LocalHash::Create(options.value()).value();
  EXPECT_EQ(planned.domain_size(), request.domain_size);
  EXPECT_LE(planned.Delta(request.honest, request.epsilon).value(), request.delta);
  EXPECT_LE(planned.local_epsilon(), request.max_local_epsilon);
  return planned;
}

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
    const LocalHash planned = Plan(Request(c.users, c.domain, c.epsilon, 1e-6));
    EXPECT_NEAR(planned.PredictedMse(c.users) / c.mse, 1, 0.01) << c.domain << " " << c.epsilon;
    EXPECT_EQ(planned.options().family, HashFamily::kPlane);
  }
  EXPECT_LE(Plan(Request(600000, 600, 0.5, 1e-6)).PredictedMse(600000), 2.45e-9);
}

// Small batches have an error that is jagged in the range: no smooth model finds the best one. What
// remains is the rounding to a power of two where the plane does not fit.
TEST(LocalHashPlanTest, IsNearTheBestOfAllRanges) {
  for (const int64_t users : {100, 1000, 20000}) {
    for (const int64_t domain : {100, 42178}) {
      for (const double cap : {1.0, 5.0, std::numeric_limits<double>::infinity()}) {
        LocalHashPlanRequest request = Request(users, domain, 1, 1e-6);
        request.max_local_epsilon = cap;
        double least = std::numeric_limits<double>::infinity();
        for (double range = 2; range < 1e7; range *= 1.3) {
          const double kappa =
              std::min(std::expm1(cap), accounting::LargestKappa(users, range, 0, 1, 1e-6).value());
          least = std::min(
              least,
              AverageSquaredError(UniversalSupport(range, kappa / (kappa + range)), domain, users));
        }
        EXPECT_LE(Plan(request).PredictedMse(users), 1.03 * least)
            << users << " users, " << domain << " values, cap " << cap;
      }
    }
  }
}

TEST(LocalHashPlanTest, UsesTheBudgetUp) {
  const LocalHash planned = Plan(Request(600000, 600, 0.5, 1e-6));
  EXPECT_GT(planned.Delta(600000, 0.5).value(), 0.9e-6);
}

TEST(LocalHashPlanTest, KeepsToTheLocalCap) {
  double last = 0;
  for (const double cap : {8.0, 4.0, 2.0, 1.0, 0.3}) {
    LocalHashPlanRequest request = Request(600000, 600, 0.5, 1e-6);
    request.max_local_epsilon = cap;
    const LocalHash planned = Plan(request);
    EXPECT_GT(planned.local_epsilon(), 0.99 * cap);
    EXPECT_GT(planned.PredictedMse(600000), last);
    last = planned.PredictedMse(600000);
  }
}

TEST(LocalHashPlanTest, TakesTheAffineFamilyWhereThePlaneWouldNeedTooLargeARange) {
  // A local epsilon of 1 wants about e + 1 buckets; the plane needs at least 206.
  LocalHashPlanRequest request = Request(1000000, 42178, 0.5, 1e-6);
  request.max_local_epsilon = 1;
  const LocalHash planned = Plan(request);
  EXPECT_EQ(planned.options().family, HashFamily::kAffine);
  EXPECT_EQ(planned.options().range, 4u);
  EXPECT_EQ(planned.options().lane_bits, 32u);
  LocalHashPlanRequest plane = request;
  plane.range = 211;
  EXPECT_LT(planned.PredictedMse(1000000), Plan(plane).PredictedMse(1000000));
}

TEST(LocalHashPlanTest, FallsBackToLocalPrivacyForFewSubmissions) {
  for (const int64_t users : {1, 2, 10}) {
    const LocalHash planned = Plan(Request(users, 100, 0.5, 1e-9));
    EXPECT_GE(planned.local_epsilon(), 0.5 * (1 - 1e-6));
    EXPECT_LT(planned.local_epsilon(), 0.6);
  }
}

TEST(LocalHashPlanTest, PlansTheSmallestAndTheLargestDomain) {
  Plan(Request(100000, 2, 1, 1e-6));
  Plan(Request(1000000, int64_t{1} << 24, 1, 1e-6));
}

TEST(LocalHashPlanTest, GuardsTheHonestNotAllSubmissions) {
  LocalHashPlanRequest request = Request(300000, 600, 0.5, 1e-6);
  request.submissions = 600000;
  EXPECT_GT(Plan(request).PredictedMse(600000),
            Plan(Request(600000, 600, 0.5, 1e-6)).PredictedMse(600000));
}

TEST(LocalHashPlanTest, TakesAGivenRange) {
  LocalHashPlanRequest request = Request(600000, 600, 0.5, 1e-6);
  request.range = 257;
  EXPECT_EQ(Plan(request).options().range, 257u);
  EXPECT_EQ(Plan(request).options().family, HashFamily::kPlane);
  request.range = 256;
  EXPECT_EQ(Plan(request).options().range, 256u);
  EXPECT_EQ(Plan(request).options().family, HashFamily::kAffine);
  request.range = 2;  // prime, but too small for the plane
  EXPECT_EQ(Plan(request).options().family, HashFamily::kAffine);
  request.range = uint64_t{1} << 31;
  EXPECT_EQ(Plan(request).options().lane_bits, 64u);
}

TEST(LocalHashPlanTest, RefusesEachBrokenField) {
  const auto expect_refused = [](const LocalHashPlanRequest& request, const std::string& field) {
    const absl::StatusOr<LocalHashOptions> options = PlanLocalHash(request);
    ASSERT_EQ(options.status().code(), absl::StatusCode::kInvalidArgument) << field;
    EXPECT_THAT(std::string(options.status().message()), HasSubstr(field));
  };
  const LocalHashPlanRequest good = Request(1000, 100, 1, 1e-6);
  LocalHashPlanRequest bad = good;
  bad.honest = 0;
  expect_refused(bad, "honest is 0");
  bad = good;
  bad.submissions = 999;
  expect_refused(bad, "submissions is 999");
  for (const int64_t domain : {int64_t{1}, (int64_t{1} << 24) + 1}) {
    bad = good;
    bad.domain_size = domain;
    expect_refused(bad, "domain_size");
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double epsilon : {0.0, -1.0, nan, infinity}) {
    bad = good;
    bad.epsilon = epsilon;
    expect_refused(bad, "epsilon is");
  }
  for (const double delta : {0.0, 1.0, nan}) {
    bad = good;
    bad.delta = delta;
    expect_refused(bad, "delta is");
  }
  for (const double cap : {0.0, -1.0, nan}) {
    bad = good;
    bad.max_local_epsilon = cap;
    expect_refused(bad, "max_local_epsilon");
  }
  for (const uint64_t range : {uint64_t{0}, uint64_t{1}, uint64_t{7}, uint64_t{12},
                               uint64_t{1} << 32, uint64_t{2147483659}}) {
    bad = good;
    bad.range = range;
    expect_refused(bad, "range is");
  }
}

}  // namespace
}  // namespace tombola::mechanism
