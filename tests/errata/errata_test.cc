// Formulas and loops of the paper as printed, kept only here, beside what the code does instead.
// The numbers of docs/errata.md come from these. (What runs the real encoder lies with the encoder
// and the estimator.)
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "collector/postprocess/postprocess.h"
#include "common/accounting/blanket.h"
#include "common/accounting/search.h"
#include "common/mechanism/local_hash.h"

namespace tombola {
namespace {

mechanism::LocalHash AffineWith(double range, double exp_local_epsilon, int64_t domain) {
  mechanism::LocalHashOptions options;
  options.family = mechanism::HashFamily::kAffine;
  options.range = static_cast<uint64_t>(range);
  options.lane_bits = 32;
  options.domain_size = domain;
  const double gamma = range / (exp_local_epsilon - 1 + range);
  options.blanket_threshold = static_cast<uint64_t>(std::ldexp(gamma, 64));
  return *mechanism::LocalHash::Create(options);
}

// --- The likelihood (15), Eq. (19), Theorems 3 and 4 ---

TEST(Likelihood15, ANonHolderSupportsAValueWithOneOverGNotOneMinusP) {
  const mechanism::LocalHash local_hash = AffineWith(16, 10, 50);
  EXPECT_NEAR(local_hash.s(), 1.0 / 16, 1e-12);
  EXPECT_NEAR(1 - local_hash.p(), 0.6, 1e-12);
}

// The expectation of Eq. (19) for a value of frequency f.
double Expected19(double f, double p, double s) {
  return (f * p + (1 - f) * s - (1 - p)) / (2 * p - 1);
}

std::vector<double> Zipf(int values, double exponent) {
  std::vector<double> frequencies;
  for (int k = 1; k <= values; ++k) frequencies.push_back(std::pow(k, -exponent));
  const double sum = std::accumulate(frequencies.begin(), frequencies.end(), 0.0);
  for (double& f : frequencies) f /= sum;
  return frequencies;
}

TEST(Equation19, PopDoesNotRepairItAndBelowOneHalfTheCommonestValueVanishes) {
  const std::vector<double> truth = Zipf(50, 1.1);
  struct Row {
    double range, exp_local_epsilon, after_pop;
  };
  for (const Row& row : {Row{2, 3, 0.141}, {16, 31, 0.434}, {16, 10, 0.000}, {64, 128, 0.468}}) {
    const mechanism::LocalHash local_hash = AffineWith(row.range, row.exp_local_epsilon, 50);
    std::vector<double> published, corrected;
    for (const double f : truth) {
      published.push_back(Expected19(f, local_hash.p(), local_hash.s()));
      const double support = f * local_hash.p() + (1 - f) * local_hash.s();
      corrected.push_back((support - local_hash.s()) / (local_hash.p() - local_hash.s()));
    }
    EXPECT_NEAR((*collector::Pop(published))[0], row.after_pop, 5e-4);
    EXPECT_NEAR((*collector::Pop(corrected))[0], truth[0], 1e-9);
  }
}

TEST(Theorem3, IsNotTheVarianceOfEquation19) {
  const mechanism::LocalHash local_hash = AffineWith(16, 10, 50);
  const double p = local_hash.p(), s = local_hash.s();
  const double printed = p * (1 - p) / ((2 * p - 1) * (2 * p - 1));
  const double true_at_zero = s * (1 - s) / ((2 * p - 1) * (2 * p - 1));
  EXPECT_NEAR(printed / true_at_zero, 4.1, 0.05);
}

TEST(Theorem4, IsNotTheMeanSquaredErrorOfTheRightEstimator) {
  const mechanism::LocalHash local_hash = AffineWith(16, 10, 50);
  const double p = local_hash.p();
  const double printed = p * (1 - p) / (1e5 * (2 * p - 1) * (2 * p - 1));
  EXPECT_NEAR(printed, 6.0e-5, 1e-7);
  EXPECT_NEAR(local_hash.PredictedMse(100000), 5.46e-6, 1e-8);
}

// --- Theorem 5 ---

TEST(Theorem5, BoundsAnAbsoluteValueByANegativeNumber) {
  const double g = 16, exp_epsilon = 10;
  EXPECT_LT((exp_epsilon - g + 1) / (exp_epsilon + g - 1), 0);
}

TEST(Theorem5, ABoundForOneValueIsMissedBySomeOfMany) {
  // The maximum of d independent errors exceeds a bound that each misses with probability beta
  // with probability 1 - (1 - beta)^d.
  EXPECT_GT(1 - std::pow(1 - 0.05, 50), 0.9);
  EXPECT_LT(1 - std::pow(1 - 0.05 / 50, 50), 0.05);
}

// --- Theorem 1 ---

double PublishedK(double n, double epsilon, double delta) {
  return epsilon * epsilon * (n - 1) / (14 * std::log(2 / delta));
}

TEST(Theorem1, HoldsUpToOneAndIsLoose) {
  for (const double epsilon : {0.1, 0.5, 1.0}) {
    const double n = 600000, delta = 1e-6;
    const double k = PublishedK(n, epsilon, delta);
    const double range = std::floor((k + 2) / 3), kappa = k - range;
    const accounting::Blanket blanket{.honest = static_cast<int64_t>(n),
                                      .range = range,
                                      .gamma = accounting::GammaOf(range, kappa)};
    const auto true_delta = accounting::Delta(blanket, epsilon);
    ASSERT_TRUE(true_delta.ok());
    EXPECT_LE(*true_delta, delta) << epsilon;
    const auto tight = accounting::LargestKappa({blanket.honest, range, 0, 0}, epsilon, delta);
    ASSERT_TRUE(tight.ok());
    EXPECT_GT(*tight, 2 * kappa) << epsilon;
  }
}

TEST(Theorem1, ItsFirstConditionFailsBeyondOneAndABit) {
  const auto holds = [](double e) { return std::pow(-std::expm1(-e / 2), 2) >= e * e / 7; };
  EXPECT_TRUE(holds(1.0));
  EXPECT_TRUE(holds(1.176));
  EXPECT_FALSE(holds(1.178));
  EXPECT_FALSE(holds(2.0));
}

// --- Algorithm 3 (MRS) ---

// The printed loop with messages from 0 and the sentinel that it needs. Every order it adds to its
// set, in order. `prose`: with the rules for odd and even i exchanged, as the text says.
std::vector<std::vector<int>> PrintedMrs(int n, bool prose) {
  std::vector<int> messages(n), control(n + 1);
  std::iota(messages.begin(), messages.end(), 0);
  std::iota(control.begin(), control.end(), 0);
  std::vector<std::vector<int>> orders;
  int i = 1;
  while (i < n) {
    --control[i];
    const bool use_control = (i % 2 == 1) != prose;
    std::swap(messages[use_control ? control[i] : 0], messages[i]);
    orders.push_back(messages);
    for (i = 1; control[i] == 0; ++i) control[i] = i;
  }
  return orders;
}

TEST(Algorithm3, EnumeratesAllOrdersButTheIdentity) {
  int64_t factorial = 1;
  for (int n = 2; n <= 7; ++n) {
    factorial *= n;
    const auto orders = PrintedMrs(n, false);
    const std::set<std::vector<int>> distinct(orders.begin(), orders.end());
    EXPECT_EQ(static_cast<int64_t>(orders.size()), factorial - 1) << n;
    EXPECT_EQ(distinct.size(), orders.size()) << n;
    std::vector<int> identity(n);
    std::iota(identity.begin(), identity.end(), 0);
    EXPECT_FALSE(distinct.contains(identity)) << n;
  }
}

TEST(Algorithm3, ByItsProseReachesOnlySomeOrders) {
  const std::pair<int, size_t> reachable[] = {{3, 4}, {4, 12}, {5, 48}, {6, 144}, {7, 968}};
  for (const auto& [n, count] : reachable) {
    const auto orders = PrintedMrs(n, true);
    std::set<std::vector<int>> distinct(orders.begin(), orders.end());
    std::vector<int> start(n);
    std::iota(start.begin(), start.end(), 0);
    distinct.insert(start);
    EXPECT_EQ(distinct.size(), count) << n;
  }
}

}  // namespace
}  // namespace tombola
