#include "common/mechanism/correlated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "common/mechanism/law_testing.h"
#include "tests/support/seeded_random.h"

namespace tombola::mechanism {
namespace {

using ::testing::HasSubstr;

// Options whose noise, for all honest submissions on one value, has these laws.
CorrelatedOptions With(const accounting::CorrelatedNoise& noise, int64_t honest, int64_t domain,
                       int64_t max_noise) {
  const double p = std::exp(-noise.noise_epsilon);
  const double share = static_cast<double>(domain) / static_cast<double>(honest);
  const auto rate = [&](double shape, double success) {
    return static_cast<uint64_t>(
        std::ceil(std::ldexp(-std::log1p(-success) * shape * share * (1 + 1e-12), kRateBits)));
  };
  return {.noise_success = static_cast<uint64_t>(std::ldexp(p, 64)),
          .flood_success = static_cast<uint64_t>(std::ldexp(noise.flood, 64)),
          .noise_rate = rate(1, p),
          .flood_rate = rate(noise.shape, noise.flood),
          .honest = honest,
          .max_noise = max_noise,
          .domain_size = domain};
}

CorrelatedOptions Good() { return With({0.35, 6, 0.8}, 100, 4, 5000); }

Correlated Make(const CorrelatedOptions& options) { return Correlated::Create(options).value(); }

void ExpectRefused(const CorrelatedOptions& options, const std::string& field,
                   const std::string& bound) {
  const absl::Status status = Correlated::Create(options).status();
  ASSERT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << field;
  EXPECT_THAT(std::string(status.message()), HasSubstr("correlated." + field));
  EXPECT_THAT(std::string(status.message()), HasSubstr(bound));
}

std::vector<double> NegativeBinomial(double shape, double success, int size) {
  std::vector<double> law;
  double p = std::pow(1 - success, shape);
  for (int k = 0; k < size; ++k) {
    law.push_back(p);
    p *= (k + shape) / (k + 1) * success;
  }
  return law;
}

// One device's noise on two values, as the numbers of (+1, -1, +1, -1): `noise_shape` of N1 and N2
// and `flood_shape` of F on each value, given that there are `max` messages at most.
Law NoiseOfADevice(double noise_shape, double p, double flood_shape, double flood, int max) {
  const std::vector<double> single = NegativeBinomial(noise_shape, p, max + 1);
  const std::vector<double> pairs = NegativeBinomial(flood_shape, flood, max + 1);
  Law first, second;
  for (int n1 = 0; n1 <= max; ++n1) {
    for (int n2 = 0; n1 + n2 <= max; ++n2) {
      for (int f = 0; n1 + n2 + 2 * f <= max; ++f) {
        const double mass = single[n1] * single[n2] * pairs[f];
        first[{n1 + f, n2 + f, 0, 0}] += mass;
        second[{0, 0, n1 + f, n2 + f}] += mass;
      }
    }
  }
  return Given(Sum(first, second), max);
}

TEST(CorrelatedMechanismTest, RefusesEachFieldOutOfItsBounds) {
  for (const uint64_t success : {uint64_t{0}, (uint64_t{1} << 44) - 1, -(uint64_t{1} << 52) + 1}) {
    CorrelatedOptions bad = Good();
    bad.noise_success = success;
    ExpectRefused(bad, "noise_success", "[2^44, 2^64 - 2^52]");
    bad = Good();
    bad.flood_success = success;
    ExpectRefused(bad, "flood_success", "[2^44, 2^64 - 2^52]");
  }
  for (const uint64_t rate : {uint64_t{0}, (uint64_t{1} << 54) + 1}) {
    CorrelatedOptions bad = Good();
    bad.noise_rate = rate;
    ExpectRefused(bad, "noise_rate", "[1, 2^54]");
    bad = Good();
    bad.flood_rate = rate;
    ExpectRefused(bad, "flood_rate", "[1, 2^54]");
  }
  for (const int64_t honest : {int64_t{0}, (int64_t{1} << 40) + 1}) {
    CorrelatedOptions bad = Good();
    bad.honest = honest;
    ExpectRefused(bad, "honest", "[1, 2^40]");
  }
  for (const int64_t max : {0, 65535}) {
    CorrelatedOptions bad = Good();
    bad.max_noise = max;
    ExpectRefused(bad, "max_noise", "[1, 65534]");
  }
  CorrelatedOptions bad = Good();
  bad.domain_size = 1;
  EXPECT_EQ(Correlated::Create(bad).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(CorrelatedMechanismTest, RefusesShapesBelowOneAndDevicesThatNeverEnd) {
  CorrelatedOptions bad = Good();
  bad.honest -= 1;
  ExpectRefused(bad, "noise_rate", "a shape of at least 1");
  bad = Good();
  bad.flood_rate /= 7;
  ExpectRefused(bad, "flood_rate", "a shape of at least 1");
  bad = Good();
  bad.noise_rate = uint64_t{1000} << kRateBits;
  bad.max_noise = 100;
  ExpectRefused(bad, "max_noise", "at most 1/2");
}

// Values of an independent implementation.
TEST(CorrelatedMechanismTest, DeltaMatchesTheReference) {
  const struct {
    double epsilon;
    accounting::CorrelatedNoise noise;
    double delta;
  } kCases[] = {{1.0, {0.35, 6, 0.8}, 0.0012213938399400711},
                {0.8, {0.3, 5, 0.85}, 0.0015732322824608585},
                {1.0, {0.45, 13.7564697265625, 0.9525741268224334}, 9.999706998698023e-07}};
  for (const auto& c : kCases) {
    const Correlated correlated = Make(With(c.noise, 100, 4, 20000));
    EXPECT_NEAR(*correlated.Delta(100, c.epsilon) / c.delta, 1, 1e-8);
    EXPECT_EQ(*correlated.Delta(1000, c.epsilon), *correlated.Delta(100, c.epsilon));
    EXPECT_EQ(correlated.Delta(99, c.epsilon).status().code(),
              absl::StatusCode::kFailedPrecondition);
    const Parameters parameters = correlated.parameters();
    EXPECT_NEAR(*parameters.noise_epsilon, c.noise.noise_epsilon, 1e-12);
    EXPECT_NEAR(*parameters.shape, c.noise.shape, 1e-9);
    EXPECT_NEAR(*parameters.flood, c.noise.flood, 1e-12);
    EXPECT_EQ(parameters.honest, 100);
  }
}

// The law of two devices' messages written out, with a cap that hardly matters and with one that
// does: the delta is never below the truth, and the truth is within the charge of the uncapped law.
TEST(CorrelatedMechanismTest, DeltaIsNeverBelowTheTruth) {
  const struct {
    accounting::CorrelatedNoise noise;
    int max;
  } kCases[] = {{{-std::log(0.05), 1, 0.05}, 8}, {{-std::log(0.3), 1.5, 0.2}, 8}};
  for (const auto& c : kCases) {
    const CorrelatedOptions options = With(c.noise, 2, 2, c.max);
    const Correlated correlated = Make(options);
    const Law device = NoiseOfADevice(0.5, std::exp(-c.noise.noise_epsilon), c.noise.shape / 2,
                                      c.noise.flood, c.max);
    const Law others = OneMoreAt(Sum(device, device), 0);
    const Law p = OneMoreAt(others, 0);
    const Law q = OneMoreAt(others, 2);
    for (const double epsilon : {0.1, 0.5, 1.0, 2.0, 3.0, 5.0, 6.5, 8.0, 12.0}) {
      const double truth = std::max(HockeyStick(p, q, epsilon), HockeyStick(q, p, epsilon));
      EXPECT_GE(*correlated.Delta(2, epsilon), truth) << c.max << " " << epsilon;
      const double charge = (1 + std::exp(epsilon)) * 2 * AboveCap(options);
      EXPECT_NEAR(*accounting::CorrelatedDelta(correlated.noise(), epsilon), truth, charge + 1e-9);
    }
  }
}

TEST(CorrelatedMechanismTest, EpsilonAndSmallestHonestMeetTheirTarget) {
  const Correlated correlated =
      Make(With({0.45, 13.7564697265625, 0.9525741268224334}, 1000, 4, 3000));
  const double epsilon = correlated.EpsilonAt(1000, 1e-6).value();
  EXPECT_NEAR(epsilon, 1, 1e-4);
  EXPECT_LE(*correlated.Delta(1000, epsilon), 1e-6);
  EXPECT_EQ(*correlated.SmallestHonest(epsilon, 1e-6), 1000);
  const absl::Status status = correlated.SmallestHonest(0.99, 1e-6).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("sized for 1000 honest"));
  EXPECT_EQ(correlated.EpsilonAt(999, 1e-6).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(std::isinf(correlated.local_epsilon()));
}

// Fails by chance with probability 1.4e-11 for each case.
TEST(CorrelatedMechanismTest, DrawsHaveTheCappedLaw) {
  SeededRandom random(27);
  constexpr int64_t kSamples = 200000;
  const struct {
    accounting::CorrelatedNoise noise;
    int max;
  } kCases[] = {{{-std::log(0.3), 1.5, 0.2}, 12}, {{-std::log(0.2), 2, 0.4}, 8}};
  for (const auto& c : kCases) {
    const Correlated correlated = Make(With(c.noise, 2, 2, c.max));
    std::map<CountVector, int64_t> seen;
    std::vector<SignedReport> reports = {{17}};
    for (int64_t i = 0; i < kSamples; ++i) {
      correlated.DrawNoise(random, &reports);
      ASSERT_LE(reports.size(), static_cast<size_t>(c.max));
      CountVector counts(4, 0);
      for (const SignedReport& report : reports) {
        ASSERT_TRUE(report.change != 0 && std::abs(report.change) <= 2);
        ++counts[2 * (std::abs(report.change) - 1) + (report.change < 0)];
      }
      ++seen[counts];
    }
    const Law law = NoiseOfADevice(0.5, std::exp(-c.noise.noise_epsilon), c.noise.shape / 2,
                                   c.noise.flood, c.max);
    EXPECT_LT(ChiSquareExcess(seen, law, kSamples), 0);
  }
}

TEST(CorrelatedMechanismTest, CountsAndErrorsFollowTheLaw) {
  const Correlated correlated = Make(Good());
  const double p = std::exp(-0.35);
  const double noise = p / (1 - p);
  const double flood = 6 * 0.8 / 0.2;
  EXPECT_NEAR(correlated.expected_reports_per_submission(), 1 + 2 * (noise + flood) * 4 / 100,
              1e-9);
  EXPECT_EQ(correlated.max_reports_per_submission(), 5001);
  EXPECT_EQ(correlated.report_bytes(), 5u);
  const CountModel model = correlated.count_model();
  EXPECT_EQ(model.noise_mean, 0);
  EXPECT_EQ(model.noise_third, 0);
  EXPECT_NEAR(model.difference_shape, 0.01, 1e-12);
  EXPECT_NEAR(model.difference_success, p, 1e-15);
  EXPECT_NEAR(model.noise_variance, 0.01 * 2 * p / ((1 - p) * (1 - p)), 1e-10);
  EXPECT_NEAR(correlated.PredictedMse(100), 2 * p / ((1 - p) * (1 - p)) / 1e4, 1e-10);
}

// The mean of the draws: 20000 submissions of 3.2 messages in expectation; clusters of up to about
// a hundred give one submission's messages a variance of 4 (2 p/(1-p)^2 + 4 * 6 * 0.8/0.2^2)/100 =
// 20, so seven standard deviations of the mean are 0.22. Both signs are alike.
TEST(CorrelatedMechanismTest, SendsAsManyMessagesAsItSays) {
  const Correlated correlated = Make(Good());
  SeededRandom random(28);
  std::vector<SignedReport> reports;
  double messages = 0;
  double sum = 0;
  for (int i = 0; i < 20000; ++i) {
    correlated.DrawNoise(random, &reports);
    messages += static_cast<double>(reports.size());
    for (const SignedReport& report : reports) sum += report.change > 0 ? 1 : -1;
  }
  EXPECT_NEAR(1 + messages / 20000, correlated.expected_reports_per_submission(), 0.22);
  EXPECT_NEAR(sum / 20000, 0, 7 * std::sqrt(4 * correlated.count_model().noise_variance / 20000));
}

// Each of 8 reports has 5000 expected of 40000, standard deviation 67: 7 of them, 3e-12 each.
TEST(CorrelatedMechanismTest, FakesAreUniform) {
  const Correlated correlated = Make(Good());
  SeededRandom random(29);
  std::map<int32_t, int> seen;
  for (int i = 0; i < 40000; ++i) {
    std::array<uint8_t, SignedReport::kBytes> bytes;
    correlated.DrawFake(random, absl::MakeSpan(bytes));
    SignedReport report;
    ASSERT_TRUE(Read(bytes, &report));
    ++seen[report.change];
  }
  EXPECT_EQ(seen.size(), 8u);
  for (const auto& [change, count] : seen) {
    EXPECT_TRUE(change != 0 && std::abs(change) <= 4);
    EXPECT_NEAR(count, 5000, 470);
  }
}

}  // namespace
}  // namespace tombola::mechanism
