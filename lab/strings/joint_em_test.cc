#include "lab/strings/joint_em.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "common/accounting/rappor.h"

namespace tombola::lab {
namespace {

// RAPPOR at f = p = 1/2, q = 3/4 over one-hot codes.
const accounting::UnaryReports kBits =
    accounting::OneReport({.f = 0.5, .p = 0.5, .q = 0.75, .hashes = 1, .bits = 4}, /*honest=*/1);

// Four by three values that depend on each other.
const std::vector<double> kLaw = {0.25, 0.02, 0.03, 0.05, 0.20, 0.05,
                                  0.02, 0.03, 0.15, 0.08, 0.07, 0.05};

double ErrorOf(const std::vector<double>& law) {
  double error = 0;
  for (size_t i = 0; i < law.size(); ++i) error += std::abs(law[i] - kLaw[i]);
  return error;
}

TEST(JointEmTest, FindsTheLawWhereNothingIsByChance) {
  const JointReports reports = ExpectedJoint(kLaw, 4, 3, kBits);
  double all = 0;
  for (const double share : reports.counts) all += share;
  EXPECT_NEAR(all, 1, 1e-12);
  const JointEstimate estimate = EstimateJoint(reports, kBits, Steps::kAccelerated, 1e-13, 100000);
  EXPECT_LT(ErrorOf(estimate.law), 1e-4);
  EXPECT_LT(estimate.steps, 100000);
}

TEST(JointEmTest, StepsNeverLowerTheLikelihood) {
  simulation::Generator random(1);
  const JointReports reports = DrawJoint(kLaw, 4, 3, 200000, kBits, random);
  for (const Steps steps : {Steps::kPlain, Steps::kAccelerated}) {
    double last = -1e300;
    for (const int64_t most : {1, 4, 16, 64, 256, 1024}) {
      const JointEstimate estimate = EstimateJoint(reports, kBits, steps, 0, most);
      EXPECT_GE(estimate.log_likelihood, last - 1e-6);
      last = estimate.log_likelihood;
      double all = 0;
      for (const double share : estimate.law) {
        EXPECT_GE(share, 0);
        all += share;
      }
      EXPECT_NEAR(all, 1, 1e-9);
    }
  }
}

// Plain steps settle slowly at these noise levels: hundreds are far off still, thousands are not.
TEST(JointEmTest, AcceleratedIsThereInAFractionOfTheSteps) {
  simulation::Generator random(2);
  const JointReports reports = DrawJoint(kLaw, 4, 3, 200000, kBits, random);
  const JointEstimate few = EstimateJoint(reports, kBits, Steps::kPlain, 0, 200);
  const JointEstimate many = EstimateJoint(reports, kBits, Steps::kPlain, 0, 20000);
  const JointEstimate fast = EstimateJoint(reports, kBits, Steps::kAccelerated, 0, 1500);
  EXPECT_GT(ErrorOf(few.law), 1.5 * ErrorOf(many.law));
  EXPECT_GE(fast.log_likelihood, many.log_likelihood - 0.01);
  // It goes on where the others stop, towards what fits best and is no nearer.
  EXPECT_NEAR(ErrorOf(fast.law), ErrorOf(many.law), 0.05);
}

}  // namespace
}  // namespace tombola::lab
