#include "common/mechanism/grr.h"

#include <gtest/gtest.h>

#include <cmath>

#include "common/plan/test_plan.h"

namespace tombola::mechanism {
namespace {

// kappa_certified and kappa_impossible_above of an independent implementation.
TEST(GrrPlanTest, FindsTheLargestLocalEpsilon) {
  struct Case {
    int64_t users, domain;
    double epsilon, delta, certified, impossible;
  };
  for (const Case& c : {Case{1000, 10, 0.5, 1e-6, 13.18095672344649, 13.329981205972675},
                        Case{10000, 100, 1.0, 1e-9, 220.587939718628, 221.57708287816803},
                        Case{600000, 200, 0.5, 1e-6, 4600.207372660662, 4610.23443725756},
                        Case{600000, 600, 0.1, 1e-6, 500.4514231491171, 500.593880163817},
                        Case{602325, 915, 0.5, 1e-6, 5239.797964469426, 5244.942863228918},
                        Case{1000000, 42178, 0.5, 1e-6, 22793.836777628843, 22797.499372577047}}) {
    const double kappa =
        std::expm1(ValidPlan<Grr>(Request(c.users, c.domain, c.epsilon, c.delta)).local_epsilon());
    EXPECT_GE(kappa, 0.999 * c.certified) << c.users << " " << c.domain;
    EXPECT_LE(kappa, c.impossible) << c.users << " " << c.domain;
  }
}

TEST(GrrPlanTest, KeepsToTheCapAlsoBelowEpsilon) {
  PlanRequest request = Request(600000, 600, 0.5, 1e-6);
  for (const double cap : {5.0, 1.0, 0.5, 0.1}) {
    request.max_local_epsilon = cap;
    EXPECT_NEAR(ValidPlan<Grr>(request).local_epsilon(), cap, 1e-6);
  }
}

TEST(GrrPlanTest, GuardsTheHonestNotAllSubmissions) {
  PlanRequest request = Request(300000, 600, 0.5, 1e-6);
  const double alone = ValidPlan<Grr>(request).local_epsilon();
  request.submissions = 600000;
  EXPECT_EQ(ValidPlan<Grr>(request).local_epsilon(), alone);
}

TEST(GrrPlanTest, ClosedFormIsTheoremOneOrTheLocalMechanism) {
  PlanRequest request = Request(600000, 600, 0.5, 1e-6);
  request.method = Method::kPublished;
  EXPECT_NEAR(std::expm1(ValidPlan<Grr>(request).local_epsilon()), 138.47409252020054, 1e-6);
  EXPECT_NEAR(ValidPlan<Grr>(request).PredictedMse(600000) / 7.6096e-08, 1, 1e-4);
  // K = 118 for 600 values says nothing.
  request.epsilon = 0.2;
  EXPECT_NEAR(ValidPlan<Grr>(request).local_epsilon(), 0.2, 1e-9);
  EXPECT_NEAR(ValidPlan<Grr>(request).PredictedMse(600000) / 0.020381207633210434, 1, 1e-4);
  request.epsilon = 1.5;
  ExpectRefused<Grr>(request, "proven");
}

}  // namespace
}  // namespace tombola::mechanism
