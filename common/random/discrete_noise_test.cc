#include "common/random/discrete_noise.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/seeded_random.h"

namespace tombola {
namespace {

constexpr int kDraws = 400'000;

// Points -reach..reach, and the rest as one: chi-square with 2 reach + 1 degrees of freedom, whose
// deviation is sqrt(2 (2 reach + 1)). Above the mean by 6 of them it is in fewer than one in 10^5
// cases. Seeds are fixed.
void ExpectLaw(const std::function<int64_t(RandomSource&)>& draw,
               const std::function<double(int64_t)>& weight, int64_t reach, uint64_t seed) {
  double mass = 0;
  for (int64_t k = -100'000; k <= 100'000; ++k) mass += weight(k);
  SeededRandom random(seed);
  std::vector<int64_t> counts(static_cast<size_t>(2 * reach + 1));
  int64_t outside = 0;
  for (int i = 0; i < kDraws; ++i) {
    const int64_t drawn = draw(random);
    if (std::abs(drawn) <= reach) {
      ++counts[static_cast<size_t>(drawn + reach)];
    } else {
      ++outside;
    }
  }
  double chi_square = 0, inside = 0;
  const auto add = [&](double probability, int64_t count) {
    const double expected = probability * kDraws;
    ASSERT_GE(expected, 20);
    const double away = static_cast<double>(count) - expected;
    chi_square += away * away / expected;
  };
  for (int64_t k = -reach; k <= reach; ++k) {
    add(weight(k) / mass, counts[static_cast<size_t>(k + reach)]);
    inside += weight(k) / mass;
  }
  add(1 - inside, outside);
  const auto freedom = static_cast<double>(2 * reach + 1);
  EXPECT_LE(chi_square, freedom + 6 * std::sqrt(2 * freedom));
}

TEST(DiscreteLaplaceTest, HasItsLaw) {
  const auto expect = [](double rate, int64_t reach, uint64_t seed) {
    const auto units = static_cast<uint64_t>(rate * static_cast<double>(kRateUnits));
    ExpectLaw([&](RandomSource& random) { return DrawDiscreteLaplace(units, random); },
              [&](int64_t k) { return std::exp(-rate * std::abs(static_cast<double>(k))); }, reach,
              seed);
  };
  expect(1, 6, 1);
  expect(0.3, 15, 2);
  expect(2.75, 2, 3);
  expect(0.05, 40, 4);
}

TEST(DiscreteLaplaceTest, HasItsVariance) {
  for (const double rate : {0.01, 0.5, 1.0, 4.0}) {
    double mass = 0, squares = 0;
    for (int64_t k = -10'000; k <= 10'000; ++k) {
      const auto at = static_cast<double>(k);
      mass += std::exp(-rate * std::abs(at));
      squares += at * at * std::exp(-rate * std::abs(at));
    }
    EXPECT_NEAR(DiscreteLaplaceVariance(rate) / (squares / mass), 1, 1e-9);
  }
}

TEST(DiscreteGaussianTest, HasItsLaw) {
  const auto expect = [](uint64_t variance, int64_t reach, uint64_t seed) {
    ExpectLaw([&](RandomSource& random) { return DrawDiscreteGaussian(variance, random); },
              [&](int64_t k) {
                const auto at = static_cast<double>(k);
                return std::exp(-at * at / (2 * static_cast<double>(variance)));
              },
              reach, seed);
  };
  expect(1, 2, 1);
  expect(7, 7, 2);
  expect(100, 30, 3);
}

// Standardised, the least and the largest noise have a variance of 1 within 5 standard errors,
// sqrt(2/n) each, and a mean of 0 likewise: one in 10^6.
TEST(DiscreteGaussianTest, HoldsTheLargestVariance) {
  for (const uint64_t variance : {uint64_t{1} << 40, kLargestGaussianVariance}) {
    SeededRandom random(4);
    const double deviation = std::sqrt(static_cast<double>(variance));
    double sum = 0, squares = 0;
    int64_t odd = 0;
    for (int i = 0; i < kDraws; ++i) {
      const int64_t drawn = DrawDiscreteGaussian(variance, random);
      const double scaled = static_cast<double>(drawn) / deviation;
      sum += scaled;
      squares += scaled * scaled;
      odd += drawn & 1;
    }
    EXPECT_LE(std::abs(sum / kDraws), 5 / std::sqrt(kDraws));
    EXPECT_NEAR(squares / kDraws, 1, 5 * std::sqrt(2.0 / kDraws));
    EXPECT_NEAR(static_cast<double>(odd) / kDraws, 0.5, 2.5 / std::sqrt(kDraws));
  }
}

// With the least rate nothing overflows.
TEST(DiscreteLaplaceTest, HoldsTheLeastRate) {
  SeededRandom random(5);
  double sum = 0;
  for (int i = 0; i < kDraws; ++i) {
    sum += std::abs(static_cast<double>(DrawDiscreteLaplace(1, random)));
  }
  // The mean of |X| is 1 / rate, its deviation as large.
  EXPECT_NEAR(sum / kDraws / static_cast<double>(kRateUnits), 1, 5 / std::sqrt(kDraws));
}

}  // namespace
}  // namespace tombola
