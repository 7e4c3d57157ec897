#include "lab/oracle/oracle.h"

#include <cmath>

#include "gtest/gtest.h"
#include "lab/sample/test_moments.h"

namespace tombola::lab {
namespace {

using simulation::Generator;

TEST(OracleTest, HasTheReferenceVariances) {
  struct Row {
    double epsilon, domain, olh, grr, oue;
  };
  for (const Row& row : {Row{1, 6, 3.6916546174566887, 2.275461143561656, 3.6826943768311695},
                         {1, 626, 3.6916546174566887, 212.2675312934105, 3.6826943768311695},
                         {2, 6, 0.7245913890681452, 0.2790065052092255, 0.7240616609663105}}) {
    EXPECT_NEAR(Olh(row.epsilon).Variance(0, 1) / row.olh, 1, 1e-9);
    EXPECT_NEAR(Grr(row.domain, row.epsilon).Variance(0, 1) / row.grr, 1, 1e-9);
    EXPECT_NEAR(Oue(row.epsilon).Variance(0, 1) / row.oue, 1, 1e-9);
    // Their own budgets: of a value, of two bits, of a bucket.
    const Oracle grr = Grr(row.domain, row.epsilon), oue = Oue(row.epsilon);
    const double range = static_cast<double>(OlhRange(row.epsilon));
    const double bucket = Olh(row.epsilon).holder;
    EXPECT_NEAR(std::log(grr.holder / grr.other), row.epsilon, 1e-12);
    EXPECT_NEAR(std::log(oue.holder * (1 - oue.other) / (oue.other * (1 - oue.holder))),
                row.epsilon, 1e-12);
    EXPECT_NEAR(std::log(bucket * (range - 1) / (1 - bucket)), row.epsilon, 1e-12);
  }
}

// Of 24 nearly normal statements each fails with probability 1e-8.
TEST(OracleTest, RunsAreAsStated) {
  constexpr int kRuns = 2000;
  constexpr double kSigmas = 5.73;
  const std::vector<int64_t> counts = {1000, 600, 400, 0};
  for (const Oracle& oracle : {Grr(4, 1), Oue(1), Olh(1)}) {
    std::vector<Moments> shares(counts.size());
    Generator noise(1);
    for (int number = 0; number < kRuns; ++number) {
      const std::vector<double> estimates = EstimateShares(oracle, counts, noise);
      for (size_t v = 0; v < counts.size(); ++v) shares[v].Add(estimates[v]);
    }
    for (size_t v = 0; v < counts.size(); ++v) {
      const double share = static_cast<double>(counts[v]) / 2000;
      const double variance = oracle.Variance(share, 2000);
      EXPECT_NEAR(shares[v].mean(), share, kSigmas * std::sqrt(variance / kRuns));
      EXPECT_NEAR(shares[v].variance() / variance, 1, kSigmas * std::sqrt(2.0 / kRuns));
    }
  }
}

}  // namespace
}  // namespace tombola::lab
