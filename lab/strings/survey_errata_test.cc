// What the survey of local differential privacy misprints about RAPPOR (docs/errata.md, section
// 24).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "cli/simulation/distributions.h"
#include "cli/simulation/generator.h"
#include "common/accounting/rappor.h"
#include "lab/oracle/oracle.h"

namespace tombola::lab {
namespace {

// Section 2.3: n answers of which `yes` are yes; the printed likelihood has n_{n1} as an exponent,
// which is not defined. With n - n1 its maximum is the printed estimate.
TEST(SurveyLikelihood, IsLargestAtItsEstimateWithTheOtherAnswers) {
  const double p = 0.75, n = 1000, yes = 400;
  const auto log_likelihood = [&](double share) {
    return yes * std::log(share * p + (1 - share) * (1 - p)) +
           (n - yes) * std::log((1 - share) * p + share * (1 - p));
  };
  const double printed = (p - 1) / (2 * p - 1) + yes / ((2 * p - 1) * n);
  EXPECT_NEAR(printed, 0.3, 1e-12);
  EXPECT_GT(log_likelihood(printed), log_likelihood(printed + 0.01));
  EXPECT_GT(log_likelihood(printed), log_likelihood(printed - 0.01));
  // The printed variance, in two parts, is the usual one.
  const double variance = (0.25 - (printed - 0.5) * (printed - 0.5)) / n +
                          (1 / (16 * (p - 0.5) * (p - 0.5)) - 0.25) / n;
  EXPECT_NEAR(variance, printed * (1 - printed) / n + p * (1 - p) / ((2 * p - 1) * (2 * p - 1) * n),
              1e-12);
}

// The proof of Theorem 2 prints (f/2)^b' (1 - f/2)^(1 - b') for the bits that are set: that is the
// law of those that are not, by the two lines above it. With either the bound is the same.
TEST(SurveyTheorem2, HasTheExponentsOfTheOtherBits) {
  const double f = 0.25;
  const auto printed = [&](int said) { return said == 1 ? f / 2 : 1 - f / 2; };
  const auto of_set_bit = [&](int said) { return said == 1 ? 1 - f / 2 : f / 2; };
  EXPECT_NE(printed(1), of_set_bit(1));
  EXPECT_EQ(printed(1), of_set_bit(0));
  const double worst = std::log(of_set_bit(1) / printed(1)) + std::log(printed(0) / of_set_bit(0));
  const accounting::Rappor one = {.f = f, .p = 0.5, .q = 0.75, .hashes = 1, .bits = 8};
  EXPECT_NEAR(accounting::LocalEpsilonOfMemo(one), worst, 1e-12);
}

// "The larger N, the smaller epsilon_infinity": the budget of n reports of one value grows with n,
// towards epsilon_infinity, which is the same for all.
TEST(SurveyTheorem3, BudgetsGrowWithReports) {
  const accounting::Rappor rappor = {.f = 0.5, .p = 0.5, .q = 0.75, .hashes = 2, .bits = 128};
  double last = 0;
  for (int64_t reports = 1; reports <= 64; reports *= 2) {
    const double epsilon = accounting::LocalEpsilonOf(rappor, reports);
    EXPECT_GT(epsilon, last);
    EXPECT_LT(epsilon, accounting::LocalEpsilonOfMemo(rappor));
    last = epsilon;
  }
  // ln 3 is that of one bit at f = 1/2 without the second response; two hashes have four of them.
  EXPECT_NEAR(accounting::LocalEpsilonOfMemo(rappor), 4 * std::log(3.0), 1e-12);
}

// Of the probabilities of all reports of two inputs: the largest ratio, as an epsilon.
double EpsilonBetween(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0;
  for (size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(std::log(a[i] / b[i])));
  return worst;
}

// Ten numbers, each said as one that is near it: Pr[said] ~ e^(-|said - held|).
TEST(SurveyDefinitions, AReportHidesAnyTwoInputsAndNotOnlyNearOnes) {
  std::vector<std::vector<double>> law;
  for (int held = 0; held < 10; ++held) {
    std::vector<double>& of = law.emplace_back();
    double sum = 0;
    for (int said = 0; said < 10; ++said) of.push_back(std::exp(-std::abs(said - held)));
    for (const double weight : of) sum += weight;
    for (double& weight : of) weight /= sum;
  }
  double near = 0, any = 0;
  for (size_t a = 0; a < law.size(); ++a) {
    for (size_t b = 0; b < law.size(); ++b) {
      const double between = EpsilonBetween(law[a], law[b]);
      any = std::max(any, between);
      if (a == b + 1 || b == a + 1) near = std::max(near, between);
    }
  }
  EXPECT_LT(near, 2);
  EXPECT_GT(any, 8);
}

// Two answers of one bit: all four pairs of them.
TEST(SurveyDefinitions, BudgetsAddUpAndNeedNoDelta) {
  const auto both = [](bool held, double first, double second) {
    std::vector<double> law;
    for (const double epsilon : {first, second}) {
      const Oracle answer = Grr(2, epsilon);
      const double yes = held ? answer.holder : answer.other;
      if (law.empty()) {
        law = {yes, 1 - yes};
        continue;
      }
      law = {law[0] * yes, law[0] * (1 - yes), law[1] * yes, law[1] * (1 - yes)};
    }
    return law;
  };
  const std::vector<double> yes = both(true, 0.5, 1.2), no = both(false, 0.5, 1.2);
  EXPECT_NEAR(EpsilonBetween(yes, no), 1.7, 1e-12);
  double delta = 0;
  for (size_t i = 0; i < yes.size(); ++i) {
    delta += std::max(0.0, yes[i] - std::exp(1.7) * no[i]);
  }
  EXPECT_NEAR(delta, 0, 1e-12);
}

// A coin of -1 and 1, and an exponential variable less its mean, of variance 1 both: their means
// over 10,000 have deviation 0.01, and none is off by six of them but with probability 1e-8. A
// Cauchy variable has no variance, and its mean is as far off as one of it: beyond 1/2 with
// probability 0.7. That at most 50 of 101 such means are has probability below 1e-4.
TEST(SurveyNoise, AveragesOutWhateverItsLawIfItsVarianceIsFinite) {
  constexpr int kDrawn = 10000, kMeans = 101;
  simulation::Generator random(17);
  double coins = 0, exponential = 0;
  for (int i = 0; i < kDrawn; ++i) {
    coins += random.Next64() >> 63 == 0 ? -1 : 1;
    exponential += -std::log(simulation::Uniform(random)) - 1;
  }
  EXPECT_NEAR(coins / kDrawn, 0, 0.06);
  EXPECT_NEAR(exponential / kDrawn, 0, 0.06);
  int off = 0;
  for (int mean = 0; mean < kMeans; ++mean) {
    double sum = 0;
    for (int i = 0; i < kDrawn; ++i) sum += std::tan(M_PI * (simulation::Uniform(random) - 0.5));
    off += std::abs(sum / kDrawn) > 0.5;
  }
  EXPECT_GT(off, 50);
}

}  // namespace
}  // namespace tombola::lab
