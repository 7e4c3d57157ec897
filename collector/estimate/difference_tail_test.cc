#include "collector/estimate/difference_tail.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "collector/estimate/normal.h"
#include "tests/support/log_gamma.h"

namespace tombola::collector {
namespace {

// The exact law, by convolving two negative binomial laws.
class ExactLaw {
 public:
  explicit ExactLaw(const Difference& difference) {
    const double r = difference.shape;
    const double p = difference.success;
    const double mean = r * p / (1 - p);
    // Beyond lies less than 1e-25, far below every tail asked for.
    const double end = mean + 60 / -std::log(p) + 15 * std::sqrt(r * p) / (1 - p) + 20;
    pmf_.resize(static_cast<size_t>(end));
    above_.resize(pmf_.size() + 1, 0);
    for (size_t k = 0; k < pmf_.size(); ++k) {
      const auto x = static_cast<double>(k);
      pmf_[k] = std::exp(LogGamma(x + r) - LogGamma(x + 1) - LogGamma(r) + x * std::log(p) +
                         r * std::log1p(-p));
    }
    for (size_t k = pmf_.size(); k > 0; --k) above_[k - 1] = above_[k] + pmf_[k - 1];
  }

  // Pr[N1 - N2 >= k] for k >= 0.
  double AtLeast(size_t k) const {
    double sum = 0;
    for (size_t j = 0; j + k < pmf_.size(); ++j) sum += pmf_[j] * above_[j + k];
    return sum;
  }

  // Pr[N1 - N2 > x] for x >= 0.
  double Above(double x) const { return AtLeast(static_cast<size_t>(std::floor(x)) + 1); }

 private:
  std::vector<double> pmf_;
  std::vector<double> above_;  // Pr[N >= k]
};

constexpr double kTails[] = {0.49, 0.4,  0.3,  0.2,  0.15, 0.1,  0.05, 0.025,
                             5e-3, 5e-4, 5e-5, 5e-6, 5e-7, 5e-9, 5e-11};
constexpr double kSuccesses[] = {1e-5, 1e-3, 0.01, 0.05, 0.1,  0.2,  0.3,
                                 0.5,  0.7,  0.8,  0.9,  0.95, 0.98, 0.995};
constexpr double kShapes[] = {1, 1.01, 1.05, 1.2, 1.5, 2, 3, 5, 10, 30, 100, 1000};

TEST(ExactLawTest, IsDiscreteLaplaceForShapeOne) {
  const ExactLaw law({.shape = 1, .success = 0.8});
  for (const int k : {1, 2, 7, 40}) {
    EXPECT_NEAR(law.AtLeast(static_cast<size_t>(k)) / (std::pow(0.8, k) / 1.8), 1, 1e-11);
  }
}

TEST(UpperQuantileTest, ErrsOnTheWideSideWhateverTheShape) {
  for (const double success : kSuccesses) {
    for (const double shape : kShapes) {
      const Difference difference = {.shape = shape, .success = success};
      const ExactLaw law(difference);
      for (const double tail : kTails) {
        EXPECT_LE(law.Above(UpperQuantile(difference, tail) + 0.5), tail * (1 + 1e-9))
            << "shape " << shape << ", success " << success << ", tail " << tail;
      }
    }
  }
}

TEST(UpperQuantileTest, ErrsOnTheWideSideAlsoBelowShapeOne) {
  for (const double success : {0.3, 0.9, 0.98}) {
    for (const double shape : {0.05, 0.3, 0.9}) {
      const Difference difference = {.shape = shape, .success = success};
      const ExactLaw law(difference);
      for (const double tail : kTails) {
        EXPECT_LE(law.Above(UpperQuantile(difference, tail) + 0.5), tail * (1 + 1e-9))
            << "shape " << shape << ", success " << success << ", tail " << tail;
      }
    }
  }
}

// The normal quantile alone, which the former tests must tell from a good one.
TEST(UpperQuantileTest, TheNormalQuantileAloneWouldBeTooNarrow) {
  const double deviation = std::sqrt(2 * 0.9) / 0.1;
  const ExactLaw law({.shape = 1, .success = 0.9});
  EXPECT_GT(law.Above(NormalTailQuantile(0.025) * deviation + 0.5), 1.1 * 0.025);
  EXPECT_GT(law.Above(NormalTailQuantile(5e-5) * deviation + 0.5), 10 * 5e-5);
}

// The exact quantile is the least whole x with Pr[X > x] <= tail.
TEST(UpperQuantileTest, IsNotMuchWiderThanNeedBe) {
  for (const double success : {0.9, 0.95, 0.98, 0.995}) {
    for (const double shape : kShapes) {
      const Difference difference = {.shape = shape, .success = success};
      const ExactLaw law(difference);
      for (const double tail : {0.1, 0.025, 5e-3, 5e-5, 5e-9}) {
        const double widest = shape == 1 && tail <= 0.025 ? 1.02 : tail >= 0.025 ? 1.14 : 1.28;
        const double given = UpperQuantile(difference, tail) + 0.5;
        EXPECT_GT(law.Above(std::floor(given / widest) - 1), tail)
            << "shape " << shape << ", success " << success << ", tail " << tail;
      }
    }
  }
}

TEST(ChernoffBoundTest, IsABoundForEveryShape) {
  for (const double success : {0.01, 0.3, 0.9, 0.98}) {
    for (const double shape : {0.05, 0.5, 1.0, 1.2, 10.0, 1000.0}) {
      const Difference difference = {.shape = shape, .success = success};
      const ExactLaw law(difference);
      for (const double log_tail : {0.1, 1.0, 3.0, 10.0, 20.0}) {
        const double x = ChernoffBound(difference, log_tail);
        EXPECT_LE(law.AtLeast(static_cast<size_t>(std::ceil(x))), std::exp(-log_tail))
            << "shape " << shape << ", success " << success << ", log_tail " << log_tail;
      }
    }
  }
}

// Against the moment generating function as it is defined, at many t.
TEST(ChernoffBoundTest, TakesTheBestT) {
  for (const double p : {0.01, 0.5, 0.98}) {
    for (const double shape : {0.5, 1.2, 100.0}) {
      for (const double log_tail : {0.7, 14.0, 100.0}) {
        double best = INFINITY;
        for (double u = -10; u < 10; u += 0.002) {
          const double t = -std::log(p) / (1 + std::exp(-u));
          const double mgf = (1 - p) * (1 - p) / ((1 - p * std::exp(t)) * (1 - p * std::exp(-t)));
          best = std::min(best, (shape * std::log(mgf) + log_tail) / t);
        }
        EXPECT_NEAR(ChernoffBound({.shape = shape, .success = p}, log_tail) / best, 1, 1e-5)
            << "shape " << shape << ", success " << p << ", log_tail " << log_tail;
      }
    }
  }
}

}  // namespace
}  // namespace tombola::collector
