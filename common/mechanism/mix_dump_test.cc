#include "common/mechanism/mix_dump.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/accounting/dummies.h"
#include "common/accounting/noise_law.h"
#include "common/table/threshold.h"
#include "tests/support/seeded_random.h"

namespace tombola::mechanism {
namespace {

using ::testing::HasSubstr;

uint64_t Rate(double mean) { return static_cast<uint64_t>(std::ldexp(mean, kRateBits)); }

GrrOptions Response(int64_t domain, double kappa) {
  return {BlanketThreshold(static_cast<double>(domain), kappa), domain};
}

// lambda dummies for each value.
MixDump Make(int64_t honest, int64_t domain, double kappa, double lambda, int64_t max = 40) {
  const double mean = lambda * static_cast<double>(domain) / static_cast<double>(honest);
  return MixDump::Create(Response(domain, kappa), {Rate(mean), honest, max}).value();
}

TEST(MixDumpTest, RefusesEachBrokenField) {
  const auto expect_refused = [](const GrrOptions& response, const DummyOptions& dummies,
                                 const std::string& message) {
    const absl::StatusOr<MixDump> made = MixDump::Create(response, dummies);
    ASSERT_EQ(made.status().code(), absl::StatusCode::kInvalidArgument) << message;
    EXPECT_THAT(std::string(made.status().message()), HasSubstr(message));
  };
  const DummyOptions dummies{1, 1, 1};
  EXPECT_TRUE(MixDump::Create({1, 2}, dummies).ok());
  expect_refused({0, 2}, dummies, "mix_dump.response.blanket_threshold is 0");
  expect_refused({1, 1}, dummies, "domain.size is 1");
  expect_refused({1, 2}, {0, 1, 1}, "mix_dump.dummies.rate is 0");
  expect_refused({1, 2}, {1, 0, 1}, "mix_dump.dummies.honest is 0");
  expect_refused({1, 2}, {1, 1, 0}, "mix_dump.dummies.max is 0");
}

TEST(MixDumpTest, SaysWhatItIs) {
  const MixDump mix_dump = Make(600000, 600, 10574.9, 68.04);
  EXPECT_EQ(std::string(mix_dump.name()), "mix_dump");
  EXPECT_EQ(mix_dump.domain_size(), 600);
  EXPECT_EQ(mix_dump.report_bytes(), 5u);
  EXPECT_EQ(mix_dump.max_reports_per_submission(), 41);
  EXPECT_NEAR(mix_dump.expected_reports_per_submission(), 1.06804, 1e-9);
  EXPECT_NEAR(mix_dump.parameters().dummies.value(), 68.04, 1e-6);
  EXPECT_EQ(mix_dump.parameters().honest, 600000);
  EXPECT_NEAR(mix_dump.local_epsilon(), std::log1p(10574.9), 1e-9);
}

TEST(MixDumpTest, DeltaIsTheAccountantsAndWhatTheCapCosts) {
  const double kappa = 300;
  for (const int64_t max : {4, 40}) {
    const MixDump mix_dump = Make(10000, 100, kappa, 20, max);
    const accounting::Blanket blanket{10000, 100, mix_dump.response().gamma()};
    const double exact =
        accounting::DummiesDelta(blanket, *accounting::PoissonNoise(2000), 0.5).value();
    // Rates are rounded down to 2^-40, means by some units in the last place.
    const double charge = mix_dump.dummies().Charge(10000);
    EXPECT_NEAR(mix_dump.Delta(10000, 0.5).value() / (exact + charge), 1, 1e-6);
  }
  // 10,000 times Pr[Pois(0.2) > 4].
  EXPECT_NEAR(Make(10000, 100, kappa, 20, 4).dummies().Charge(10000), 0.0226, 0.0001);
}

TEST(MixDumpTest, FewerHonestSubmissionsHideLessAndMoreHideNoMore) {
  const MixDump mix_dump = Make(600000, 600, 10574.9, 68.04);
  const double at = mix_dump.Delta(600000, 0.5).value();
  EXPECT_LE(at, 1e-6);
  EXPECT_GE(at, 0.97e-6);
  EXPECT_EQ(mix_dump.Delta(700000, 0.5).value(), at);
  EXPECT_GT(mix_dump.Delta(540000, 0.5).value(), 2 * at);
  EXPECT_EQ(mix_dump.SmallestHonest(0.5, 1.02e-6).value(), 600000);
  const absl::Status refused = mix_dump.SmallestHonest(0.5, 0.9e-6).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("sized for 600000"));
  EXPECT_EQ(mix_dump.Delta(0, 0.5).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(MixDumpTest, EpsilonIsWhereDeltaHoldsAndNeverAboveTheLocalOne) {
  const MixDump mix_dump = Make(20000, 50, 100, 30);
  const double epsilon = mix_dump.EpsilonAt(20000, 1e-6).value();
  EXPECT_LE(mix_dump.Delta(20000, epsilon).value(), 1e-6);
  EXPECT_GT(mix_dump.Delta(20000, epsilon * 0.99).value(), 1e-6);
  EXPECT_EQ(mix_dump.Delta(20000, mix_dump.local_epsilon()).value(), 0);
  // Below what the cap costs nothing but the response is left.
  const MixDump capped = Make(20000, 50, 100, 30, 1);
  ASSERT_GT(capped.dummies().Charge(20000), 1e-6);
  EXPECT_EQ(capped.EpsilonAt(20000, 1e-6).value(), capped.local_epsilon());
}

// [(d-1) q (1-q) + p (1-p) + (N/n)] / (d n (p-q)^2) for a Poisson number of mean N.
TEST(MixDumpTest, ErrorIsThatOfTheResponseAndTheDummies) {
  const double d = 600, n = 600000, kappa = 10574.9, k = kappa + d, lambda = 68.04;
  const double p = (kappa + 1) / k, q = 1 / k;
  const double spread = (d - 1) * q * (1 - q) + p * (1 - p) + lambda * d / n;
  const MixDump mix_dump = Make(600000, 600, kappa, lambda);
  EXPECT_NEAR(mix_dump.PredictedMse(600000) / (spread / (d * n * (p - q) * (p - q))), 1, 1e-8);
  EXPECT_NEAR(mix_dump.PredictedMse(600000) / 5.3433e-10, 1, 0.005);  // by another implementation
}

// Two devices and three values: the law of the counts of all reports, with the very table and cap
// that devices use.
class TwoDevices {
 public:
  using Counts = std::array<int, 3>;
  using Law = std::map<Counts, double>;

  explicit TwoDevices(const MixDump& mix_dump) : mix_dump_(mix_dump) {
    const DummyOptions& options = mix_dump.dummies().options();
    const CountTable table = CountTable::Poisson(options.rate);
    Law dummies = {{{0, 0, 0}, 1.0}};
    for (int64_t number = 0; number <= options.max; ++number) {
      const double below = number == 0 ? 1 : table.Above(static_cast<uint32_t>(number - 1));
      const double above = number == options.max ? 0 : table.Above(static_cast<uint32_t>(number));
      for (const auto& [counts, mass] : dummies) numbers_[counts] += mass * (below - above);
      dummies = Plus(dummies, {1.0 / 3, 1.0 / 3, 1.0 / 3});
    }
  }

  Law View(int victim, int other) const {
    Law law;
    for (const auto& [a, a_mass] : numbers_) {
      for (const auto& [b, b_mass] : numbers_) {
        law[{a[0] + b[0], a[1] + b[1], a[2] + b[2]}] += a_mass * b_mass;
      }
    }
    return Plus(Plus(law, Reported(victim)), Reported(other));
  }

 private:
  std::array<double, 3> Reported(int value) const {
    const Support support = mix_dump_.count_model().support;
    std::array<double, 3> chance;
    chance.fill(support.other);
    chance[static_cast<size_t>(value)] = support.holder;
    return chance;
  }

  static Law Plus(const Law& law, const std::array<double, 3>& chance) {
    Law sum;
    for (const auto& [counts, mass] : law) {
      for (size_t v = 0; v < 3; ++v) {
        Counts more = counts;
        ++more[v];
        sum[more] += mass * chance[v];
      }
    }
    return sum;
  }

  const MixDump& mix_dump_;
  Law numbers_;
};

double Divergence(const TwoDevices::Law& p, const TwoDevices::Law& q, double epsilon) {
  double sum = 0;
  for (const auto& [counts, mass] : p) {
    const auto found = q.find(counts);
    sum += std::max(0.0, mass - std::exp(epsilon) * (found == q.end() ? 0 : found->second));
  }
  return sum;
}

TEST(MixDumpTest, DeltaIsNeverBelowTheTruth) {
  for (const double kappa : {2.0, 40.0}) {
    for (const double mean : {0.3, 1.5}) {
      for (const int64_t max : {2, 7}) {
        const MixDump mix_dump = MixDump::Create(Response(3, kappa), {Rate(mean), 2, max}).value();
        const TwoDevices devices(mix_dump);
        for (const double epsilon : {0.1, 0.5, 1.0, 2.0}) {
          double truth = 0;
          for (int other = 0; other < 3; ++other) {
            const TwoDevices::Law p = devices.View(0, other);
            const TwoDevices::Law q = devices.View(1, other);
            truth = std::max({truth, Divergence(p, q, epsilon), Divergence(q, p, epsilon)});
          }
          const double delta = mix_dump.Delta(2, epsilon).value();
          EXPECT_GE(delta, truth * (1 - 1e-9))
              << kappa << " " << mean << " " << max << " " << epsilon;
          // Not by much: one other device reveals itself, and the cap is charged.
          EXPECT_LE(delta, 1.6 * truth + mix_dump.dummies().Charge(2) + 0.02)
              << kappa << " " << mean << " " << max << " " << epsilon;
        }
      }
    }
  }
}

// 12,000 fakes over 12 values: Pr[chi-square with 11 degrees of freedom > 80] < 1e-10 (Chernoff).
TEST(MixDumpTest, FakesAreUniformOverTheDomain) {
  const MixDump mix_dump = Make(10, 12, 100, 1);
  SeededRandom random(1);
  std::vector<int> counts(12, 0);
  std::vector<uint8_t> bytes(mix_dump.report_bytes());
  for (int i = 0; i < 12000; ++i) {
    mix_dump.DrawFake(random, absl::MakeSpan(bytes));
    ValueReport report;
    ASSERT_TRUE(Read(bytes, &report));
    ASSERT_LT(report.value, 12u);
    ++counts[report.value];
  }
  double chi_square = 0;
  for (const int count : counts) chi_square += (count - 1000.0) * (count - 1000.0) / 1000.0;
  EXPECT_LT(chi_square, 80);
}

}  // namespace
}  // namespace tombola::mechanism
