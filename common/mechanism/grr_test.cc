#include "common/mechanism/grr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "common/accounting/blanket.h"
#include "common/table/threshold.h"
#include "tests/support/seeded_random.h"

namespace tombola::mechanism {
namespace {

using ::testing::HasSubstr;

Grr Make(int64_t domain, double kappa) {
  return Grr::Create({BlanketThreshold(static_cast<double>(domain), kappa), domain}).value();
}

TEST(GrrTest, RefusesEachBrokenField) {
  const auto expect_refused = [](const GrrOptions& options, const std::string& message) {
    const absl::StatusOr<Grr> made = Grr::Create(options);
    ASSERT_EQ(made.status().code(), absl::StatusCode::kInvalidArgument) << message;
    EXPECT_THAT(std::string(made.status().message()), HasSubstr(message));
  };
  expect_refused({0, 10}, "grr.blanket_threshold is 0; it must be at least 1");
  for (const int64_t domain : {int64_t{0}, int64_t{1}, (int64_t{1} << 24) + 1}) {
    expect_refused({1, domain}, "domain.size");
  }
  EXPECT_TRUE(Grr::Create({1, 2}).ok());
  EXPECT_TRUE(Grr::Create({~uint64_t{0}, int64_t{1} << 24}).ok());
}

TEST(GrrTest, SaysWhatItIs) {
  const Grr grr = Make(600, 4965.6);
  EXPECT_EQ(std::string(grr.name()), "grr");
  EXPECT_EQ(grr.domain_size(), 600);
  EXPECT_EQ(grr.report_bytes(), 5u);
  EXPECT_EQ(grr.max_reports_per_submission(), 1);
  EXPECT_EQ(grr.expected_reports_per_submission(), 1);
  EXPECT_EQ(grr.fakes(), 0);
  EXPECT_FALSE(grr.parameters().range.has_value());
  EXPECT_NEAR(grr.local_epsilon(), std::log(4966.6), 1e-12);
  const Support support = grr.count_model().support;
  EXPECT_NEAR(std::log(support.holder / support.other), grr.local_epsilon(), 1e-9);
}

// delta_exact and a bound by 24 bins, by an independent implementation.
TEST(GrrTest, DeltaIsBetweenTheReferenceValues) {
  struct Case {
    int64_t honest, domain;
    double kappa, epsilon, exact, binned;
  };
  for (const Case& c :
       {Case{2, 3, 2, 0.9162907318741551, 0.06, 0.0600001},
        Case{8, 3, 4, 0.9162907318741551, 0.07580894813194762, 0.0758090},
        Case{1000, 100, 60, 0.7, 2.367168098885918e-05, 2.511810558004238e-05},
        Case{10000, 100, 300, 0.5, 0.00095060818374501, 0.000973939930302607},
        Case{600000, 600, 4900, 0.5, 8.566228643247743e-07, 8.67893244105608e-07}}) {
    const double delta = Make(c.domain, c.kappa).Delta(c.honest, c.epsilon).value();
    EXPECT_GE(delta, c.exact * (1 - 1e-9)) << c.honest;
    EXPECT_LE(delta, c.binned) << c.honest;
  }
}

TEST(GrrTest, GuaranteesAgreeWithEachOtherAndWithTheAccountant) {
  const Grr grr = Make(600, 4900);
  EXPECT_EQ(grr.Delta(600000, 0.5).value(),
            accounting::Delta({600000, 600, grr.gamma()}, 0.5).value());
  const int64_t honest = grr.SmallestHonest(0.5, 1e-6).value();
  EXPECT_LE(grr.Delta(honest, 0.5).value(), 1e-6);
  EXPECT_GT(grr.Delta(honest - honest / 50, 0.5).value(), 1e-6);
  EXPECT_LE(grr.EpsilonAt(honest, 1e-6).value(), 0.5 * (1 + 1e-5));
  EXPECT_LE(grr.EpsilonAt(1, 1e-6).value(), grr.local_epsilon());
  EXPECT_EQ(grr.Delta(1, grr.local_epsilon()).value(), 0);
}

// 60,000 draws over 5 values. With 4 degrees of freedom Pr[chi-square > 80] <=
// (20 e^(1 - 20))^2 < 1e-13 (Chernoff).
TEST(GrrTest, RandomisesByItsProbabilities) {
  const Grr grr = Make(5, 3);
  const Support support = grr.count_model().support;
  SeededRandom random(1);
  for (const uint64_t value : {uint64_t{0}, uint64_t{3}}) {
    std::vector<int> counts(5, 0);
    for (int i = 0; i < 60000; ++i) ++counts[grr.Randomise(value, random)];
    double chi_square = 0;
    for (uint64_t v = 0; v < 5; ++v) {
      const double expected = 60000 * (v == value ? support.holder : support.other);
      chi_square += (counts[v] - expected) * (counts[v] - expected) / expected;
    }
    EXPECT_LT(chi_square, 80);
  }
}

// What is drawn from the source is the same whatever the value and whatever comes out.
TEST(GrrTest, DrawsAsMuchForEveryValue) {
  const Grr grr = Make(1024, 3);
  for (const uint64_t value : {uint64_t{0}, uint64_t{1023}}) {
    SeededRandom random(2);
    for (int i = 0; i < 100; ++i) grr.Randomise(value, random);
    EXPECT_EQ(random.draws(), 200);
  }
}

// 12,000 fakes over 12 values: Pr[chi-square with 11 degrees of freedom > 80] < 1e-10 (Chernoff).
TEST(GrrTest, FakesAreUniformOverTheDomain) {
  const Grr grr = Make(12, 100);
  SeededRandom random(3);
  std::vector<int> counts(12, 0);
  for (int i = 0; i < 12000; ++i) {
    std::vector<uint8_t> bytes(grr.report_bytes());
    grr.DrawFake(random, absl::MakeSpan(bytes));
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
