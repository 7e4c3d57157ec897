#include "cli/simulation/distributions.h"

#include <cmath>
#include <functional>
#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/log_gamma.h"

namespace tombola::simulation {
namespace {

using ::testing::ElementsAre;

constexpr int kDraws = 200000;

double LogFactorial(double k) { return LogGamma(k + 1); }

double BinomialMass(double n, double p, double k) {
  if (k < 0 || k > n) return 0;
  return std::exp(LogFactorial(n) - LogFactorial(k) - LogFactorial(n - k) + k * std::log(p) +
                  (n - k) * std::log1p(-p));
}

double PoissonMass(double mean, double k) {
  return std::exp(k * std::log(mean) - mean - LogFactorial(k));
}

// Pearson's statistic over cells of equal width that hold at least 20 expected draws each, the
// rest in one more cell at either end. Compared with its mean by 6.5 of its standard deviations,
// sqrt(2 cells): for 10 to 100 cells the chi-squared law exceeds that with probability below 1e-6.
void ExpectLaw(const std::function<int64_t()>& draw, const std::function<double(double)>& mass,
               double mean, double deviation) {
  const double width = std::max(1.0, std::floor(deviation / 8));
  const double first = std::max(0.0, std::floor(mean - 2.6 * deviation));
  const auto inner = static_cast<size_t>(std::max(1.0, 5.2 * deviation / width));
  std::vector<double> expected(inner + 2, 0), seen(inner + 2, 0);
  const auto cell = [&](double k) {
    if (k < first) return size_t{0};
    return std::min(inner + 1, 1 + static_cast<size_t>((k - first) / width));
  };
  for (double k = 0; k <= mean + 12 * deviation + 40; ++k) expected[cell(k)] += kDraws * mass(k);
  for (int i = 0; i < kDraws; ++i) ++seen[cell(static_cast<double>(draw()))];
  double statistic = 0, cells = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] < 20) continue;
    statistic += (seen[i] - expected[i]) * (seen[i] - expected[i]) / expected[i];
    ++cells;
  }
  EXPECT_GE(cells, 3);
  EXPECT_LT(statistic, cells + 6.5 * std::sqrt(2 * cells));
}

TEST(DistributionsTest, BinomialHasItsLaw) {
  Generator random(1);
  const struct {
    int64_t trials;
    double probability;
  } kCases[] = {{5, 0.3},     {40, 0.5},    {40, 0.9},         {99, 0.1},     {101, 0.1},
                {1000, 0.02}, {1000, 0.65}, {600000, 0.00018}, {600000, 0.1}, {1000000, 1e-6}};
  for (const auto& c : kCases) {
    SCOPED_TRACE(testing::Message() << c.trials << " " << c.probability);
    const double n = static_cast<double>(c.trials);
    ExpectLaw([&] { return Binomial(c.trials, c.probability, random); },
              [&](double k) { return BinomialMass(n, c.probability, k); }, n * c.probability,
              std::sqrt(n * c.probability * (1 - c.probability)));
  }
  EXPECT_EQ(Binomial(0, 0.5, random), 0);
  EXPECT_EQ(Binomial(7, 0, random), 0);
  EXPECT_EQ(Binomial(7, 1, random), 7);
}

TEST(DistributionsTest, PoissonHasItsLaw) {
  Generator random(2);
  for (const double mean : {0.3, 4.0, 9.9, 10.1, 42.65, 136.1, 5000.0}) {
    SCOPED_TRACE(mean);
    ExpectLaw([&] { return Poisson(mean, random); }, [&](double k) { return PoissonMass(mean, k); },
              mean, std::sqrt(mean));
  }
  EXPECT_EQ(Poisson(0, random), 0);
}

TEST(DistributionsTest, NegativeBinomialHasItsLaw) {
  Generator random(3);
  const struct { double shape, success; } kCases[] = {{1, 0.8}, {0.4, 0.9}, {14.8, 0.97}};
  for (const auto& c : kCases) {
    SCOPED_TRACE(testing::Message() << c.shape << " " << c.success);
    const double mean = c.shape * c.success / (1 - c.success);
    ExpectLaw([&] { return NegativeBinomial(c.shape, c.success, random); },
              [&](double k) {
                return std::exp(LogGamma(k + c.shape) - LogGamma(c.shape) - LogFactorial(k) +
                                k * std::log(c.success) + c.shape * std::log1p(-c.success));
              },
              mean, std::sqrt(mean / (1 - c.success)));
  }
}

TEST(DistributionsTest, LaplaceHasItsQuantiles) {
  Generator random(4);
  // Pr[x < scale ln(2 u)] = u for u < 1/2, and the mirror image. Each share is binomial: 5.5
  // standard deviations fail with probability 4e-8.
  int below_tenth = 0, below_half = 0, above_tenth = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = Laplace(3, random);
    below_tenth += x < 3 * std::log(0.2);
    below_half += x < 0;
    above_tenth += x > -3 * std::log(0.2);
  }
  EXPECT_NEAR(below_tenth, 0.1 * kDraws, 5.5 * std::sqrt(0.09 * kDraws));
  EXPECT_NEAR(above_tenth, 0.1 * kDraws, 5.5 * std::sqrt(0.09 * kDraws));
  EXPECT_NEAR(below_half, 0.5 * kDraws, 5.5 * std::sqrt(0.25 * kDraws));
}

TEST(DistributionsTest, MultinomialSumsToItsDrawsAndFollowsItsWeights) {
  Generator random(5);
  const std::vector<double> weights = {1, 0, 3, 6, 0};
  const std::vector<int64_t> counts = Multinomial(1000000, weights, random);
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), int64_t{0}), 1000000);
  EXPECT_EQ(counts[1], 0);
  EXPECT_EQ(counts[4], 0);
  // Six standard deviations of each marginal: 2e-9.
  EXPECT_NEAR(counts[0], 1e5, 6 * 300);
  EXPECT_NEAR(counts[2], 3e5, 6 * 459);
  EXPECT_THAT(Multinomial(9, {0.0, 2.0}, random), ElementsAre(0, 9));
  EXPECT_THAT(Multinomial(0, {1.0, 2.0}, random), ElementsAre(0, 0));
}

TEST(GeneratorTest, SeedsMakeSequences) {
  Generator a(7), b(7), c(8);
  EXPECT_EQ(a.Next64(), b.Next64());
  EXPECT_NE(a.Next64(), c.Next64());
  uint8_t bytes[11], same[11];
  a.Fill(absl::MakeSpan(bytes));
  b.Next64();
  b.Fill(absl::MakeSpan(same));
  EXPECT_THAT(bytes, testing::ElementsAreArray(same));
  EXPECT_NE(SeedSequence(1).Add("ab").Add("c").seed(), SeedSequence(1).Add("a").Add("bc").seed());
  EXPECT_NE(SeedSequence(1).Add(0.5).seed(), SeedSequence(2).Add(0.5).seed());
}

}  // namespace
}  // namespace tombola::simulation
