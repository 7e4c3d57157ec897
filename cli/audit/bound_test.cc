#include "cli/audit/bound.h"

#include <gtest/gtest.h>

#include <cmath>

#include "common/accounting/binomial.h"

namespace tombola::cli {
namespace {

// The closed forms at the ends, and the exact interval of 5 in 20 at 95 % from tables.
TEST(AuditBoundTest, MatchesWhatIsKnown) {
  EXPECT_NEAR(ProbabilityAtMost({0, 10}, 0.05), 1 - std::pow(0.05, 0.1), 1e-14);
  EXPECT_NEAR(ProbabilityAtLeast({10, 10}, 0.05), std::pow(0.05, 0.1), 1e-14);
  EXPECT_NEAR(ProbabilityAtMost({0, 1000000}, 0.01), -std::expm1(std::log(0.01) / 1e6), 1e-18);
  EXPECT_EQ(ProbabilityAtLeast({0, 10}, 0.05), 0);
  EXPECT_EQ(ProbabilityAtMost({10, 10}, 0.05), 1);
  EXPECT_NEAR(ProbabilityAtLeast({5, 20}, 0.025), 0.0865715, 1e-7);
  EXPECT_NEAR(ProbabilityAtMost({5, 20}, 0.025), 0.4910459, 1e-7);
}

// The exact probability of being wrong, summed over the hits that make a bound wrong.
TEST(AuditBoundTest, IsWrongNoMoreOftenThanItSays) {
  constexpr double kFailure = 0.03;
  for (const int64_t trials : {1, 7, 40, 300}) {
    for (double p = 0.005; p < 1; p += 0.0173) {
      const accounting::Binomial law{trials, p, 1 - p};
      double above = 0;
      double below = 0;
      for (int64_t hits = 0; hits <= trials; ++hits) {
        const double mass = accounting::BinomialPmf(law, hits);
        if (ProbabilityAtLeast({hits, trials}, kFailure) > p) above += mass;
        if (ProbabilityAtMost({hits, trials}, kFailure) < p) below += mass;
      }
      EXPECT_LE(above, kFailure * (1 + 1e-9)) << trials << " " << p;
      EXPECT_LE(below, kFailure * (1 + 1e-9)) << trials << " " << p;
    }
  }
}

TEST(AuditBoundTest, ApproachesTheRateAsTrialsGrow) {
  double width = 2;
  for (int64_t trials = 100; trials <= 100000000; trials *= 100) {
    const Hits hits{trials / 5, trials};
    const double now = ProbabilityAtMost(hits, 0.01) - ProbabilityAtLeast(hits, 0.01);
    EXPECT_LT(now, width / 8);
    width = now;
  }
}

TEST(AuditBoundTest, EpsilonIsTheRatioOfTheBoundsLessDelta) {
  const Hits likely{6000, 10000};
  const Hits unlikely{1000, 10000};
  const double p = ProbabilityAtLeast(likely, 0.005);
  const double q = ProbabilityAtMost(unlikely, 0.005);
  EXPECT_DOUBLE_EQ(EpsilonAtLeast(likely, unlikely, 0, 0.01), std::log(p / q));
  EXPECT_DOUBLE_EQ(EpsilonAtLeast(likely, unlikely, 0.1, 0.01), std::log((p - 0.1) / q));
  EXPECT_LT(EpsilonAtLeast(likely, unlikely, 0, 0.01), std::log(6.0));
  EXPECT_GT(EpsilonAtLeast(likely, unlikely, 0, 0.01), std::log(5.0));
  EXPECT_EQ(EpsilonAtLeast(unlikely, likely, 0, 0.01), 0);
  EXPECT_EQ(EpsilonAtLeast(likely, unlikely, 0.9, 0.01), 0);
  EXPECT_EQ(EpsilonAtLeast({0, 10}, {0, 10}, 0, 0.01), 0);
}

}  // namespace
}  // namespace tombola::cli
