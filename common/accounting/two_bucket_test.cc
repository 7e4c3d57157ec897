#include "common/accounting/two_bucket.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tombola::accounting {
namespace {

using ::testing::HasSubstr;

double MustDelta(const absl::StatusOr<NoiseLaw>& law, double epsilon) {
  EXPECT_TRUE(law.ok()) << law.status();
  const absl::StatusOr<double> delta = TwoBucketDelta(*law, epsilon);
  EXPECT_TRUE(delta.ok()) << delta.status();
  return *delta;
}

// The definition, over all pairs of counts in the window.
double ByDefinition(const NoiseLaw& law, double epsilon) {
  const auto f = [&](int64_t k) {
    return k < law.low || k > law.high() ? 0 : law.pmf[static_cast<size_t>(k - law.low)];
  };
  double sum = 0;
  for (int64_t a = law.low; a <= law.high() + 1; ++a) {
    for (int64_t b = law.low; b <= law.high() + 1; ++b) {
      sum += std::max(0.0, f(a - 1) * f(b) - std::exp(epsilon) * f(a) * f(b - 1));
    }
  }
  return sum;
}

TEST(TwoBucketTest, AgreesWithTheReference) {
  const struct {
    absl::StatusOr<NoiseLaw> law;
    double epsilon, delta;
  } kCases[] = {
      {BinomialNoise(1000, 0.1), 0.5, 2.4839553825330818e-05},
      {BinomialNoise(1000000, 0.3), 0.01, 4.943037100724769e-07},
      {PoissonNoise(10), 0.5, 0.04109216229642952},
      {PoissonNoise(130), 0.5, 1.5316580653553423e-06},
      {PoissonNoise(2641.13), 0.1, 9.999999176695128e-07},
      {NegativeBinomialNoise(23.657368, 0.75648474), 0.5, 9.99999766472225e-07},
      {NegativeBinomialNoise(5, 0.9), 0.5, 0.00018980349609617464},
  };
  for (const auto& c : kCases) {
    EXPECT_NEAR(MustDelta(c.law, c.epsilon) / c.delta, 1, 1e-8) << c.delta;
  }
}

TEST(TwoBucketTest, AgreesWithItsDefinitionAndIsNeverBelow) {
  const absl::StatusOr<NoiseLaw> kLaws[] = {PoissonNoise(0.3),
                                            PoissonNoise(7),
                                            PoissonNoise(50),
                                            BinomialNoise(1, 0.3),
                                            BinomialNoise(5, 0.5),
                                            BinomialNoise(60, 0.9),
                                            BinomialNoise(900, 0.1),
                                            NegativeBinomialNoise(1, 0.5),
                                            NegativeBinomialNoise(2.5, 0.8)};
  for (const auto& law : kLaws) {
    for (const double epsilon : {0.001, 0.1, 0.7, 2.0, 6.0}) {
      const double expected = ByDefinition(*law, epsilon);
      const double delta = MustDelta(law, epsilon);
      EXPECT_GE(delta, expected) << epsilon;
      EXPECT_LE(delta, expected * (1 + 3e-9) + 1e-39) << epsilon;
    }
  }
}

// Every device says each of three values with probability gamma and its own on top. The law of the
// three counts is enumerated over all devices' coins, for every data set of the others.
class EveryDataSet {
 public:
  EveryDataSet(int devices, double gamma) : devices_(devices), gamma_(gamma) {}

  // Probability of each triple of counts when the devices hold `values`.
  std::vector<double> View(const std::vector<int>& values) const {
    std::vector<double> view(static_cast<size_t>(Side() * Side() * Side()), 0.0);
    const int coins = 3 * devices_;
    for (int outcome = 0; outcome < 1 << coins; ++outcome) {
      int counts[3] = {0, 0, 0};
      double probability = 1;
      for (int coin = 0; coin < coins; ++coin) {
        const bool says = (outcome >> coin & 1) != 0;
        probability *= says ? gamma_ : 1 - gamma_;
        counts[coin % 3] += says ? 1 : 0;
      }
      for (const int value : values) ++counts[value];
      view[static_cast<size_t>((int64_t{counts[0]} * Side() + counts[1]) * Side() + counts[2])] +=
          probability;
    }
    return view;
  }

  double WorstDelta(double epsilon) const {
    double worst = 0;
    int data_sets = 1;
    for (int i = 1; i < devices_; ++i) data_sets *= 3;
    for (int data = 0; data < data_sets; ++data) {
      std::vector<int> values;
      for (int i = 1, rest = data; i < devices_; ++i, rest /= 3) values.push_back(rest % 3);
      std::vector<std::vector<double>> views;
      for (int victim = 0; victim < 3; ++victim) {
        values.push_back(victim);
        views.push_back(View(values));
        values.pop_back();
      }
      for (const auto& p : views) {
        for (const auto& q : views) {
          double sum = 0;
          for (size_t i = 0; i < p.size(); ++i) {
            sum += std::max(0.0, p[i] - std::exp(epsilon) * q[i]);
          }
          worst = std::max(worst, sum);
        }
      }
    }
    return worst;
  }

 private:
  int Side() const { return 2 * devices_ + 1; }

  int devices_;
  double gamma_;
};

TEST(TwoBucketTest, IsNeverBelowTheTruthOfATinyBatch) {
  for (const int devices : {1, 2, 3}) {
    for (const double gamma : {0.1, 0.5, 0.8}) {
      for (const double epsilon : {0.2, 1.0}) {
        const double truth = EveryDataSet(devices, gamma).WorstDelta(epsilon);
        const double delta = MustDelta(BinomialNoise(devices, gamma), epsilon);
        EXPECT_GE(delta, truth * (1 - 1e-12)) << devices << " " << gamma << " " << epsilon;
        EXPECT_LE(delta, truth * (1 + 1e-8)) << devices << " " << gamma << " " << epsilon;
      }
    }
  }
}

TEST(TwoBucketEpsilonTest, ReturnsAPointThatMeetsTheTarget) {
  for (const double lambda : {20.0, 136.0962, 2641.13}) {
    const NoiseLaw law = *PoissonNoise(lambda);
    const absl::StatusOr<double> epsilon = TwoBucketEpsilon(law, 1e-6);
    ASSERT_TRUE(epsilon.ok()) << epsilon.status();
    EXPECT_LE(*TwoBucketDelta(law, *epsilon), 1e-6);
    EXPECT_GT(*TwoBucketDelta(law, *epsilon * (1 - 2e-6)), 1e-6);
  }
}

TEST(TwoBucketEpsilonTest, SaysWhenNoEpsilonWillDo) {
  const absl::StatusOr<double> epsilon = TwoBucketEpsilon(*PoissonNoise(13), 1e-6);
  EXPECT_EQ(epsilon.status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(TwoBucketTest, RefusesWhatIsNoEpsilonOrDelta) {
  const NoiseLaw law = *PoissonNoise(5);
  for (const double epsilon : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_THAT(TwoBucketDelta(law, epsilon).status().message(), HasSubstr("epsilon"));
  }
  for (const double delta : {0.0, 1.0, std::nan("")}) {
    EXPECT_THAT(TwoBucketEpsilon(law, delta).status().message(), HasSubstr("delta"));
  }
}

}  // namespace
}  // namespace tombola::accounting
