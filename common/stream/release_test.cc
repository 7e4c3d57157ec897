#include "common/stream/release.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "common/random/discrete_noise.h"
#include "tests/support/seeded_random.h"

namespace tombola::stream {
namespace {

constexpr int kStreams = 20'000;

std::shared_ptr<const Design> DesignOf(Method method, int64_t periods, double epsilon = 1,
                                       int64_t sensitivity = 1) {
  return *MakeDesign({.epsilon = epsilon,
                      .delta = IsGaussian(method) ? 1e-6 : 0,
                      .periods = periods,
                      .sensitivity = sensitivity,
                      .method = method});
}

int64_t IncrementAt(int64_t t) { return t % 3 == 0 ? 0 : 5 * t; }

// The errors of all totals of one stream.
std::vector<double> ErrorsOf(const std::shared_ptr<const Design>& design, RandomSource& random,
                             std::vector<double>* variances) {
  const auto release = Release::Make(design, &random);
  std::vector<double> errors;
  int64_t exact = 0;
  for (int64_t t = 1; t <= design->periods; ++t) {
    exact += IncrementAt(t);
    const NoisyTotal total = release->Next(IncrementAt(t));
    errors.push_back(static_cast<double>(total.total - exact));
    if (variances != nullptr) variances->push_back(total.variance);
  }
  return errors;
}

// The variance of a sample of 20,000 has a relative deviation of at most sqrt(5/20,000) = 1.6 %
// (Laplace noise alone; sums of it and Gaussian noise have less), so 6 % is 3.8 deviations for the
// first total, 1.5e-4, and less for later ones; means beyond 4.5 standard errors have 7e-6 each.
// The seed is fixed.
void ExpectErrorsAsPredicted(const std::shared_ptr<const Design>& design, uint64_t seed) {
  SeededRandom random(seed);
  const auto periods = static_cast<size_t>(design->periods);
  std::vector<double> sums(periods), squares(periods), predicted;
  for (int stream = 0; stream < kStreams; ++stream) {
    const auto errors = ErrorsOf(design, random, stream == 0 ? &predicted : nullptr);
    for (size_t i = 0; i < periods; ++i) {
      sums[i] += errors[i];
      squares[i] += errors[i] * errors[i];
    }
  }
  double sum_of_predicted = 0;
  for (size_t i = 0; i < periods; ++i) {
    const double variance = squares[i] / kStreams;
    EXPECT_NEAR(variance / predicted[i], 1, 0.06) << NameOf(design->method) << " " << i + 1;
    EXPECT_LE(std::abs(sums[i] / kStreams), 4.5 * std::sqrt(predicted[i] / kStreams))
        << NameOf(design->method) << " " << i + 1;
    sum_of_predicted += predicted[i];
  }
  EXPECT_NEAR(sum_of_predicted / static_cast<double>(periods) / design->mean_variance, 1, 1e-9);
}

TEST(ReleaseTest, TotalsHaveThePredictedErrors) {
  uint64_t seed = 1;
  for (const Method method : kMethods) ExpectErrorsAsPredicted(DesignOf(method, 24), seed++);
  // Of more than one level, and of other numbers.
  ExpectErrorsAsPredicted(DesignOf(Method::kBest, 40, 2), seed++);
  ExpectErrorsAsPredicted(DesignOf(Method::kKAry, 60, 2), seed++);
  ExpectErrorsAsPredicted(DesignOf(Method::kBlt, 12, 0.5, 5), seed++);
}

// Errors of totals that have blocks in common go together: the difference of two has the noise of
// those that they do not share. Checked for every pair, with deviations as above; 300 pairs of one
// in 7,000 at most each.
void ExpectDifferencesAsPredicted(const std::shared_ptr<const Design>& design,
                                  const std::function<double(int64_t, int64_t)>& predicted,
                                  uint64_t seed) {
  SeededRandom random(seed);
  const auto periods = static_cast<size_t>(design->periods);
  std::vector<std::vector<double>> squares(periods, std::vector<double>(periods));
  for (int stream = 0; stream < kStreams; ++stream) {
    const std::vector<double> errors = ErrorsOf(design, random, nullptr);
    for (size_t i = 0; i < periods; ++i) {
      for (size_t j = 0; j < i; ++j) {
        squares[i][j] += (errors[i] - errors[j]) * (errors[i] - errors[j]);
      }
    }
  }
  for (size_t i = 0; i < periods; ++i) {
    for (size_t j = 0; j < i; ++j) {
      const double expected = predicted(static_cast<int64_t>(j) + 1, static_cast<int64_t>(i) + 1);
      EXPECT_NEAR(squares[i][j] / kStreams / expected, 1, 0.07) << j + 1 << " " << i + 1;
    }
  }
}

TEST(ReleaseTest, BlocksOfAKAryTreeAreSharedByTotals) {
  auto design = std::make_shared<Design>(*DesignOf(Method::kKAry, 13));
  design->k_ary = {3, 3};
  design->level_rates = {1'500'000'000'000'000, 2'000'000'000'000'000, 1'000'000'000'000'000};
  // The signs with which a total has the blocks of a level.
  const auto blocks = [&](int64_t t, int level) {
    std::vector<int> signs(64);
    int64_t size = 1;
    for (int i = 0; i < level; ++i) size *= 3;
    int64_t rest = t;
    for (int i = 0; i < level; ++i) {
      const int64_t digit = DigitOf(design->k_ary, t, i);
      int64_t power = 1;
      for (int j = 0; j < i; ++j) power *= 3;
      rest -= digit * power;
    }
    const int64_t digit = DigitOf(design->k_ary, t, level);
    const int64_t from = rest / size - digit;
    for (int64_t b = from; b < from + digit; ++b) signs[static_cast<size_t>(b)] = 1;
    for (int64_t b = from + digit; b < from; ++b) signs[static_cast<size_t>(b)] = -1;
    return signs;
  };
  ExpectDifferencesAsPredicted(
      design,
      [&](int64_t s, int64_t t) {
        double variance = 0;
        for (int level = 0; level < 3; ++level) {
          const auto of_s = blocks(s, level), of_t = blocks(t, level);
          const double x = static_cast<double>(design->level_rates[static_cast<size_t>(level)]) /
                           static_cast<double>(kRateUnits);
          for (size_t b = 0; b < of_s.size(); ++b) {
            const double difference = of_t[b] - of_s[b];
            variance += difference * difference * DiscreteLaplaceVariance(x);
          }
        }
        return variance;
      },
      91);
}

TEST(ReleaseTest, NodesOfATreeAreSharedByTotals) {
  const auto design = DesignOf(Method::kFenwick, 20);
  const NodeRates rates(*design);
  ExpectDifferencesAsPredicted(
      design,
      [&](int64_t s, int64_t t) {
        double variance = 0;
        for (const SignedNode& node : design->structure->Range(s + 1, t)) {
          variance += DiscreteLaplaceVariance(static_cast<double>(rates.Of(node.node)) /
                                              static_cast<double>(kRateUnits));
        }
        return variance;
      },
      92);
}

// B z with the same z: what two totals differ by is a sum of squares of differences of b.
TEST(ReleaseTest, TotalsOfGaussianNoiseGoTogether) {
  for (const Method method : {Method::kSquareRoot, Method::kBlt}) {
    const auto design = DesignOf(method, 16);
    std::vector<double> b;
    if (method == Method::kSquareRoot) {
      b = TotalsColumn(design->column);
    } else {
      BltWalk walk(TotalsOf(design->blt));
      for (int k = 0; k < 16; ++k) b.push_back(walk.Next());
    }
    const double noise =
        std::ldexp(static_cast<double>(design->noise_variance), -2 * design->grid_bits);
    ExpectDifferencesAsPredicted(
        design,
        [&](int64_t s, int64_t t) {
          double squares = 0;
          for (int64_t at = 0; at < t; ++at) {
            const double later = b[static_cast<size_t>(t - 1 - at)];
            const double earlier = at < s ? b[static_cast<size_t>(s - 1 - at)] : 0;
            squares += (later - earlier) * (later - earlier);
          }
          return noise * squares + 2.0 / 12;
        },
        93);
  }
}

TEST(ReleaseTest, GoesOnAfterAnyPeriodAsIfNothingHadHappened) {
  for (const Method method : kMethods) {
    const auto design = DesignOf(method, 45);
    SeededRandom random(5);
    const auto whole = Release::Make(design, &random);
    std::vector<NoisyTotal> totals;
    for (int64_t t = 1; t <= 45; ++t) totals.push_back(whole->Next(IncrementAt(t)));
    for (int64_t stop = 0; stop <= 45; ++stop) {
      std::string saved;
      {
        SeededRandom first(5);
        const auto release = Release::Make(design, &first);
        for (int64_t t = 1; t <= stop; ++t) release->Next(IncrementAt(t));
        release->Save(saved);
      }
      SeededRandom again(5);
      const auto release = Release::Make(design, &again);
      Decoder decoder(AsBytes(saved));
      ASSERT_TRUE(release->Load(stop, decoder).ok()) << NameOf(method) << stop;
      EXPECT_EQ(decoder.left(), 0);
      for (int64_t t = stop + 1; t <= 45; ++t) {
        EXPECT_EQ(release->Next(IncrementAt(t)), totals[static_cast<size_t>(t - 1)])
            << NameOf(method) << " " << stop << " " << t;
      }
    }
  }
}

TEST(ReleaseTest, RefusesOtherNoise) {
  for (const Method method : kMethods) {
    const auto design = DesignOf(method, 45, 0.1);
    SeededRandom random(5), other(6);
    const auto release = Release::Make(design, &random);
    for (int64_t t = 1; t <= 30; ++t) release->Next(IncrementAt(t));
    std::string saved;
    release->Save(saved);
    Decoder decoder(AsBytes(saved));
    EXPECT_FALSE(Release::Make(design, &other)->Load(30, decoder).ok()) << NameOf(method);
    SeededRandom same(5);
    Decoder cut(AsBytes(saved).first(saved.size() - 1));
    EXPECT_FALSE(Release::Make(design, &same)->Load(30, cut).ok()) << NameOf(method);
  }
}

// In 10^6 periods of the largest increments nothing overflows: noise stays noise.
TEST(ReleaseTest, HoldsTheLargestSums) {
  for (const Method method : {Method::kFenwick, Method::kKAry, Method::kBlt}) {
    const auto design = DesignOf(method, kMostPeriods, 1, 1000);
    SeededRandom random(5);
    const auto release = Release::Make(design, &random);
    for (int64_t t = 1; t <= kMostPeriods; ++t) {
      const NoisyTotal total = release->Next(kLargestIncrement);
      // Ten deviations, and what a double rounds of totals up to 2^52 steps and more.
      const auto error = static_cast<double>(total.total - t * kLargestIncrement);
      ASSERT_LE(std::abs(error),
                10 * std::sqrt(total.variance) + 1e-7 * static_cast<double>(t) * 1e3)
          << NameOf(method) << t;
    }
  }
}

}  // namespace
}  // namespace tombola::stream
