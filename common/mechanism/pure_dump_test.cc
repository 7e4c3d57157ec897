#include "common/mechanism/pure_dump.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/mechanism/law_testing.h"
#include "tests/support/seeded_random.h"

namespace tombola::mechanism {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kOne = uint64_t{1} << kRateBits;

PureDump Make(const DummyOptions& options, int64_t domain_size) {
  return PureDump::Create(options, domain_size).value();
}

// The dummies of one device: min(Poisson, max) of them, each of two values alike.
Law DummiesOfADevice(double mean, int max) {
  Law law;
  double p = std::exp(-mean);
  double left = 1;
  for (int n = 0; n <= max; ++n) {
    double binomial = (n < max ? p : left) * std::ldexp(1, -n);
    for (int k = 0; k <= n; ++k) {
      law[{k, n - k}] += binomial;
      binomial *= static_cast<double>(n - k) / (k + 1);
    }
    left -= p;
    p *= mean / (n + 1);
  }
  return law;
}

// The divergence of two devices' batch, whichever value the other holds, the first device holding
// the one or the other value.
double TrueDelta(double mean, int max, double epsilon) {
  const Law device = DummiesOfADevice(mean, max);
  const Law both = Sum(device, device);
  double most = 0;
  for (const size_t other : {0u, 1u}) {
    const Law rest = OneMoreAt(both, other);
    const Law p = OneMoreAt(rest, 0);
    const Law q = OneMoreAt(rest, 1);
    most = std::max({most, HockeyStick(p, q, epsilon), HockeyStick(q, p, epsilon)});
  }
  return most;
}

TEST(PureDumpTest, RefusesADomainOrDummiesOutOfBounds) {
  const DummyOptions good{.rate = kOne, .honest = 10, .max = 20};
  for (const int64_t domain : {int64_t{1}, (int64_t{1} << 24) + 1}) {
    const absl::Status status = PureDump::Create(good, domain).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr("domain.size"));
  }
  const absl::Status status = PureDump::Create({}, 10).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("pure_dump.dummies.rate is 0"));
}

// Values of an independent implementation.
TEST(PureDumpTest, DeltaMatchesTheReference) {
  const PureDump ten = Make({.rate = 5 * kOne, .honest = 10, .max = 65534}, 5);
  EXPECT_NEAR(*ten.Delta(10, 0.5) / 0.04109216229642952, 1, 1e-8);
  const PureDump more = Make({.rate = 13 * kOne, .honest = 20, .max = 65534}, 2);
  EXPECT_NEAR(*more.Delta(20, 0.5) / 1.5316580653553423e-06, 1, 1e-8);
  const auto rate = static_cast<uint64_t>(std::ldexp(2641.13 * 2 / 1000, kRateBits));
  const PureDump many = Make({.rate = rate, .honest = 1000, .max = 65534}, 2);
  EXPECT_NEAR(*many.Delta(1000, 0.1) / 9.999999176695128e-07, 1, 1e-8);
  EXPECT_NEAR(*many.parameters().dummies, 2641.13, 1e-6);
  EXPECT_EQ(many.parameters().honest, 1000);
}

// The law of two devices' messages written out: delta never claims more than is true, with a cap
// that often bites as well as without.
TEST(PureDumpTest, DeltaIsNeverBelowTheTruth) {
  for (const int max : {1, 2, 3, 6, 30}) {
    for (const double rate : {0.25, 1.5}) {
      const auto units = static_cast<uint64_t>(std::ldexp(rate, kRateBits));
      const PureDump dump = Make({.rate = units, .honest = 2, .max = max}, 2);
      for (const double epsilon : {0.01, 0.1, 0.3, 0.7, 1.0, 1.5, 2.5, 5.0}) {
        const double truth = TrueDelta(rate, max, epsilon);
        EXPECT_GE(*dump.Delta(2, epsilon), truth) << max << " " << rate << " " << epsilon;
        if (max == 30) {
          EXPECT_LE(*dump.Delta(2, epsilon), truth * (1 + 2e-9)) << rate << " " << epsilon;
        }
      }
    }
  }
}

// Two levels of two cells each, with dummies of their own.
PureDump MakeLevels(double bins, double above, int64_t honest, int64_t max) {
  const auto rate = [](double mean) { return static_cast<uint64_t>(std::ldexp(mean, kRateBits)); };
  return PureDump::Create({.honest = honest, .max = max},
                          {{.cells = 2, .rate = rate(bins)}, {.cells = 2, .rate = rate(above)}})
      .value();
}

// The dummies of one device on those four cells: of min(Poisson, max) each is of a level by their
// rates and of either of its cells.
Law LevelDummiesOfADevice(double bins, double above, int max) {
  Law one;
  for (const int cell : {0, 1, 2, 3}) {
    CountVector dummy(4);
    dummy[cell] = 1;
    one[dummy] = (cell < 2 ? bins : above) / (bins + above) / 2;
  }
  const double mean = bins + above;
  Law law;
  Law several = {{CountVector(4), 1}};
  double p = std::exp(-mean);
  double left = 1;
  for (int n = 0; n <= max; ++n) {
    for (const auto& [counts, share] : several) law[counts] += (n < max ? p : left) * share;
    several = Sum(several, one);
    left -= p;
    p *= mean / (n + 1);
  }
  return law;
}

// Two devices, of which one changes its cell on both levels or on one: the divergence written out,
// whatever the other holds. With levels that are as good as alike, and with one that hides hardly
// anything.
TEST(PureDumpTest, DeltaOfLevelsIsNeverBelowTheTruth) {
  for (const int max : {2, 7}) {
    for (const auto& [bins, above] : {std::pair(0.5, 0.75), std::pair(0.25, 1.5)}) {
      const PureDump dump = MakeLevels(bins, above, 2, max);
      const Law device = LevelDummiesOfADevice(bins, above, max);
      const Law both = Sum(device, device);
      for (const double epsilon : {0.1, 0.7, 1.5, 3.0}) {
        double truth = 0, same_above = 0;
        for (const size_t other : {0u, 1u}) {
          const Law rest = OneMoreAt(OneMoreAt(both, other), 2 + other);
          const Law p = OneMoreAt(OneMoreAt(rest, 0), 2);
          const Law q = OneMoreAt(OneMoreAt(rest, 1), 3);
          const Law r = OneMoreAt(OneMoreAt(rest, 1), 2);
          truth = std::max({truth, HockeyStick(p, q, epsilon), HockeyStick(q, p, epsilon)});
          same_above =
              std::max({same_above, HockeyStick(p, r, epsilon), HockeyStick(r, p, epsilon)});
        }
        const double claimed = dump.Delta(2, epsilon).value();
        EXPECT_GE(claimed, truth) << max << " " << bins << " " << epsilon;
        EXPECT_GE(truth, same_above);
        // But for the cap it is the truth: the accountant's grid adds some permille.
        if (max == 7) {
          EXPECT_LE(claimed, truth * 1.005 + 2 * dump.dummies().Charge(2));
        }
      }
    }
  }
}

TEST(PureDumpTest, LossOfLevelsComposesToTheirDelta) {
  const PureDump dump = MakeLevels(0.02, 0.05, 10000, 20);
  const double epsilon = dump.EpsilonAt(10000, 1e-5).value();
  EXPECT_LE(*dump.Delta(10000, epsilon), 1e-5);
  EXPECT_GT(*dump.Delta(10000, epsilon * 0.99), 1e-5);
  const accounting::SubmissionLoss loss = dump.Loss(10000, 1e-9).value();
  EXPECT_NEAR(*accounting::DeltaOver(loss, 1, epsilon) / *dump.Delta(10000, epsilon), 1, 1e-6);
  EXPECT_EQ(*dump.Delta(20000, epsilon), *dump.Delta(10000, epsilon));
  EXPECT_GT(*dump.Delta(5000, epsilon), *dump.Delta(10000, epsilon));
  EXPECT_EQ(dump.Delta(0, 0.5).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(PureDumpTest, SaysTheNoiseOfEveryLevel) {
  const PureDump dump = MakeLevels(0.1, 0.4, 1000, 20);
  EXPECT_EQ(dump.domain_size(), 4);
  EXPECT_EQ(dump.filling(), (Filling{.held = 2, .sent = 2}));
  const std::vector<double> means = dump.parameters().level_dummies;
  ASSERT_EQ(means.size(), 2u);
  EXPECT_NEAR(means[0], 50, 1e-6);
  EXPECT_NEAR(means[1], 200, 1e-6);
  EXPECT_NEAR(*dump.parameters().dummies, 125, 1e-6);
  const std::vector<ModelledCells> models = dump.count_models();
  ASSERT_EQ(models.size(), 2u);
  EXPECT_EQ(models[0].end, 2);
  EXPECT_EQ(models[1].end, 4);
  EXPECT_NEAR(models[0].model.noise_mean, 0.05, 1e-12);
  EXPECT_NEAR(models[1].model.noise_variance, 0.2, 1e-12);
  EXPECT_EQ(dump.count_model().noise_mean, models[0].model.noise_mean);
  EXPECT_TRUE(Make({.rate = kOne, .honest = 10, .max = 20}, 5).parameters().level_dummies.empty());
}

// What devices draw has the law written out (ChiSquareExcess: 1.4e-11).
TEST(PureDumpTest, DrawsDummiesByLevel) {
  constexpr int kDevices = 20000;
  const PureDump dump = MakeLevels(0.3, 0.9, 10, 6);
  SeededRandom random(23);
  std::map<CountVector, int64_t> seen;
  std::vector<SignedReport> noise;
  for (int i = 0; i < kDevices; ++i) {
    dump.DrawNoise(random, &noise);
    CountVector counts(4);
    for (const SignedReport& dummy : noise) ++counts[static_cast<size_t>(dummy.change) - 1];
    ++seen[counts];
  }
  EXPECT_LE(ChiSquareExcess(seen, LevelDummiesOfADevice(0.3, 0.9, 6), kDevices), 0);
}

TEST(PureDumpTest, RefusesLevelsOutOfBounds) {
  const auto refusal = [](const DummyOptions& options, std::vector<DummyLevel> levels) {
    const absl::Status status = PureDump::Create(options, std::move(levels)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  };
  const DummyOptions good{.honest = 10, .max = 20};
  EXPECT_THAT(refusal(good, {{4, kOne}}), HasSubstr("pure_dump.level_rates has 1 rates"));
  EXPECT_THAT(refusal(good, std::vector<DummyLevel>(25, {2, kOne})), HasSubstr("2 to 24"));
  EXPECT_THAT(refusal(good, {{4, kOne}, {2, 0}}), HasSubstr("level_rates[1] is 0"));
  EXPECT_THAT(refusal(good, {{4, ~uint64_t{0}}, {2, kOne}}), HasSubstr("level_rates[0] is 18446"));
  // Together they are more than there may be.
  EXPECT_THAT(refusal(good, {{4, uint64_t{1} << 54}, {2, kOne}}),
              HasSubstr("dummies.rate is 1801"));
  EXPECT_THAT(refusal({.rate = kOne, .honest = 10, .max = 20}, {{4, kOne}, {2, kOne}}),
              HasSubstr("dummies.rate is 1099511627776; it must be absent"));
  EXPECT_THAT(refusal({.honest = 10}, {{4, kOne}, {2, kOne}}), HasSubstr("dummies.max is 0"));
}

TEST(PureDumpTest, MoreSubmissionsChangeNothingAndFewerHideLess) {
  const PureDump dump = Make({.rate = kOne / 4, .honest = 1000, .max = 20}, 4);
  const double at = *dump.Delta(1000, 0.5);
  EXPECT_EQ(*dump.Delta(5000, 0.5), at);
  EXPECT_GT(*dump.Delta(900, 0.5), 1.05 * at);
  // Half of the devices are as good as a task for half of them.
  const PureDump half = Make({.rate = kOne / 4, .honest = 500, .max = 20}, 4);
  EXPECT_EQ(*dump.Delta(500, 0.5), *half.Delta(500, 0.5));
  EXPECT_EQ(dump.Delta(0, 0.5).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(dump.Delta(1000, 0).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(PureDumpTest, EpsilonAndSmallestHonestMeetTheirTarget) {
  const PureDump dump = Make({.rate = kOne / 4, .honest = 4000, .max = 20}, 4);
  for (const double delta : {1e-3, 1e-6, 1e-9}) {
    const double epsilon = dump.EpsilonAt(4000, delta).value();
    EXPECT_LE(*dump.Delta(4000, epsilon), delta);
    EXPECT_GT(*dump.Delta(4000, epsilon * (1 - 1e-5)), delta);
    EXPECT_EQ(*dump.SmallestHonest(epsilon, delta), 4000);
    const absl::Status status = dump.SmallestHonest(epsilon * 0.9, delta).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(status.message()), HasSubstr("sized for 4000 honest"));
  }
  // A cap that bites too often leaves no epsilon at all.
  const PureDump capped = Make({.rate = kOne / 4, .honest = 4000, .max = 1}, 4);
  EXPECT_EQ(capped.EpsilonAt(4000, 1e-6).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(std::isinf(dump.local_epsilon()));
}

TEST(PureDumpTest, AccountsForAnyNumberOfDummies) {
  const PureDump most =
      Make({.rate = uint64_t{1} << 54, .honest = int64_t{1} << 40, .max = 65534}, 2);
  EXPECT_GT(*most.Delta(int64_t{1} << 40, 1e-4), 0);
  EXPECT_LT(*most.Delta(int64_t{1} << 40, 1e-4), 1e-5);
}

TEST(PureDumpTest, CountsAndErrorsFollowTheLaw) {
  const PureDump dump = Make({.rate = kOne / 2, .honest = 1000, .max = 40}, 10);
  EXPECT_NEAR(dump.expected_reports_per_submission(), 1.5, 1e-12);
  EXPECT_EQ(dump.max_reports_per_submission(), 41);
  EXPECT_EQ(dump.report_bytes(), 5u);
  const CountModel model = dump.count_model();
  EXPECT_EQ(model.support.holder, 1);
  EXPECT_EQ(model.support.other, 0);
  EXPECT_NEAR(model.noise_mean, 0.05, 1e-13);
  EXPECT_NEAR(model.noise_variance, 0.05, 1e-13);
  // lambda / (n n_h) for lambda = 50 expected dummies of 1000 devices for each value.
  EXPECT_NEAR(dump.PredictedMse(2000) / (50.0 / (2000.0 * 1000.0)), 1, 1e-12);
}

// Each of 5 values has 8000 expected of 40000, standard deviation 80: 7 of them, 3e-12 each.
TEST(PureDumpTest, FakesAreUniform) {
  const PureDump dump = Make({.rate = kOne, .honest = 10, .max = 20}, 5);
  SeededRandom random(22);
  std::array<int, 5> seen = {};
  for (int i = 0; i < 40000; ++i) {
    std::array<uint8_t, ValueReport::kBytes> bytes;
    dump.DrawFake(random, absl::MakeSpan(bytes));
    ValueReport report;
    ASSERT_TRUE(Read(bytes, &report));
    ASSERT_LT(report.value, 5u);
    ++seen[report.value];
  }
  for (const int count : seen) EXPECT_NEAR(count, 8000, 560);
}

}  // namespace
}  // namespace tombola::mechanism
