#include "common/accounting/clones.h"

#include <algorithm>
#include <cmath>

#include "common/accounting/binomial.h"
#include "common/accounting/blanket.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tombola::accounting {
namespace {

using ::testing::HasSubstr;

double MustDelta(int64_t honest, double local_epsilon, double epsilon) {
  const absl::StatusOr<double> delta = ClonesDelta(honest, local_epsilon, epsilon);
  EXPECT_TRUE(delta.ok()) << delta.status();
  return *delta;
}

// Of C ~ Bin(honest - 1, 2 / (e^e0 + 1)) clones each says one of two things, the victim its own
// with probability e^e0 / (e^e0 + 1): outcome by outcome.
double ByDefinition(int64_t honest, double local_epsilon, double epsilon) {
  const double likely = 1 / (1 + std::exp(-local_epsilon));
  const Binomial clones{honest - 1, 2 * (1 - likely), std::tanh(local_epsilon / 2)};
  double sum = 0;
  for (int64_t c = 0; c < honest; ++c) {
    const Binomial half{c, 0.5, 0.5};
    for (int64_t a = 0; a <= c + 1; ++a) {
      const double above = BinomialPmf(half, a - 1), here = BinomialPmf(half, a);
      const double p = likely * above + (1 - likely) * here;
      const double q = (1 - likely) * above + likely * here;
      sum += BinomialPmf(clones, c) * std::max(0.0, p - std::exp(epsilon) * q);
    }
  }
  return sum;
}

// By a separate script, every number of clones summed; and a bound by bins of that number.
TEST(ClonesTest, AgreesWithTheReference) {
  EXPECT_NEAR(MustDelta(10000, 2, 0.12) / 4.7263458062838924e-07, 1, 1e-6);
  EXPECT_LE(MustDelta(10000, 2, 0.12), 4.737229116574075e-07);
  EXPECT_NEAR(MustDelta(1000000, 6, 0.2) / 4.108372480635617e-15, 1, 1e-4);
  EXPECT_LE(MustDelta(1000000, 6, 0.2), 4.140070819106698e-15);
  EXPECT_GE(MustDelta(10000, 2, 0.12), 4.7263458062838924e-07);
  EXPECT_GE(MustDelta(1000000, 6, 0.2), 4.108372480635617e-15);
}

TEST(ClonesTest, AgreesWithItsDefinitionAndIsNeverBelow) {
  for (const int64_t honest : {1, 2, 5, 60}) {
    for (const double local_epsilon : {0.3, 1.0, 4.0}) {
      for (const double epsilon : {0.01, 0.2, 0.9, 3.0}) {
        const double truth = ByDefinition(honest, local_epsilon, epsilon);
        const double delta = MustDelta(honest, local_epsilon, epsilon);
        EXPECT_GE(delta, truth * (1 - 1e-12)) << honest << " " << local_epsilon << " " << epsilon;
        EXPECT_LE(delta, truth * (1 + 3e-9) + 1e-16) << honest << " " << local_epsilon;
      }
    }
  }
}

// True worst cases of randomised response over three values, all data sets enumerated as exact
// rationals: two submissions at e^e0 = 3, eight at e^e0 = 5, both at e^epsilon = 2.5.
TEST(ClonesTest, IsNotBelowTheTrueWorstCaseOfRandomisedResponse) {
  EXPECT_GE(MustDelta(2, std::log(3), std::log(2.5)), 0.06);
  EXPECT_GE(MustDelta(8, std::log(5), std::log(2.5)), 0.071091);
}

// Two values are the worst case; an accountant that knows that there are more says less.
TEST(ClonesTest, IsTheAccountantOfTwoValuesAndLooserThanThatOfMore) {
  for (const double local_epsilon : {0.5, 2.0, 5.0}) {
    for (const double epsilon : {0.05, 0.3}) {
      const auto response = [&](double range) {
        const double gamma = GammaOf(range, std::expm1(local_epsilon));
        return *Delta({.honest = 3000, .range = range, .gamma = gamma}, epsilon);
      };
      const double any = MustDelta(3000, local_epsilon, epsilon);
      EXPECT_GE(any, response(2));
      EXPECT_LE(any, response(2) * (1 + 1e-9));
      if (any < 1e-25) continue;  // what lies outside the window decides
      EXPECT_LT(response(5), any);
    }
  }
}

TEST(ClonesTest, BinsKeepTheBoundAbove) {
  const double binned = MustDelta(100000000, 1.0, 2e-4);
  EXPECT_GT(binned, 0);
  EXPECT_LT(binned, MustDelta(99000000, 1.0, 2e-4));
}

TEST(ClonesEpsilonTest, AgreesWithTheReferenceAndMeetsTheTarget) {
  const struct {
    int64_t honest;
    double local_epsilon, delta, epsilon;
  } kCases[] = {{100000, 4, 1e-6, 0.118153078},
                {10000, 2, 1e-6, 0.114399617},
                {1000000, 6, 1e-9, 0.144339577}};
  for (const auto& c : kCases) {
    const absl::StatusOr<double> epsilon = ClonesEpsilon(c.honest, c.local_epsilon, c.delta);
    ASSERT_TRUE(epsilon.ok()) << epsilon.status();
    EXPECT_GE(*epsilon, c.epsilon - 1e-8);
    EXPECT_LE(*epsilon, c.epsilon * (1 + 1e-4));  // bins
    EXPECT_LE(MustDelta(c.honest, c.local_epsilon, *epsilon), c.delta);
  }
  EXPECT_NEAR(*ClonesEpsilon(1, 0.5, 1e-6), 0.5, 1e-5);
  EXPECT_LE(*ClonesEpsilon(1, 0.5, 1e-6), 0.5);
  EXPECT_EQ(*ClonesEpsilon(1, 700, 1e-6), 700);
}

TEST(ClonesClosedTest, AgreesWithTheReferenceAndIsLooser) {
  EXPECT_NEAR(*ClonesClosedEpsilon(10000, 2, 1e-6), 0.5235509772345486, 1e-12);
  EXPECT_NEAR(*ClonesClosedEpsilon(1000000, 6, 1e-9), 0.5629427310488756, 1e-12);
  for (const double local_epsilon : {0.1, 1.0, 3.0, 3.7}) {
    const double closed = *ClonesClosedEpsilon(10000, local_epsilon, 1e-6);
    EXPECT_LE(MustDelta(10000, local_epsilon, closed), 1e-6) << local_epsilon;
  }
}

TEST(ClonesTest, RefusesWhatIsOutOfRange) {
  EXPECT_EQ(ClonesClosedEpsilon(10000, 4, 1e-6).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(ClonesDelta(0, 1, 0.1).status().message(), HasSubstr("honest"));
  EXPECT_THAT(ClonesDelta(10, 0, 0.1).status().message(), HasSubstr("local_epsilon"));
  EXPECT_THAT(ClonesDelta(10, 1, 0).status().message(), HasSubstr("epsilon"));
  EXPECT_THAT(ClonesEpsilon(10, 1, 1).status().message(), HasSubstr("delta"));
}

}  // namespace
}  // namespace tombola::accounting
