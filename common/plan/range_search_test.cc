#include "common/plan/range_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/status/status.h"
#include "common/table/support.h"

namespace tombola::mechanism {
namespace {

constexpr int64_t kDomain = 600;
constexpr int64_t kReports = 600000;

double Error(double range, double kappa) {
  return AverageSquaredError(UniversalSupport(range, kappa / (kappa + range)), kDomain, kReports);
}

// An accountant whose B varies with the range as B g^slope, bent by `bend`.
struct FakeAccountant {
  double blanket = 0;
  double slope = 0;
  double bend = 0;
  double always = 0;
  int calls = 0;

  double Kappa(double range) const {
    const double bent = bend * std::pow(std::log(range / 300), 2);
    const double b = blanket * std::pow(range, slope) * std::exp(bent);
    return std::max(always, (b + std::sqrt(b * (b + 4 * range))) / 2);
  }
  RangePoint Search(double cap) {
    calls = 0;
    RangeSearchOptions options;
    options.always = always;
    options.cap = cap;
    options.blanket = blanket;
    options.domain_size = static_cast<double>(kDomain);
    return SearchRange(
               options,
               [this](double range) -> absl::StatusOr<double> {
                 ++calls;
                 return Kappa(range);
               },
               Error)
        .value();
  }
  // The least error on a fine grid of all ranges.
  double LeastError(double cap) const {
    double least = std::numeric_limits<double>::infinity();
    for (double range = 2; range < 2e9; range *= 1.002) {
      least = std::min(least, Error(range, std::min(cap, Kappa(range))));
    }
    return least;
  }
};

TEST(RangeSearchTest, FindsTheClosedFormWhenTheCentralLimitIsExact) {
  // n MSE = 1/B + 2/sqrt(B d) up to terms of order 1/g.
  FakeAccountant accountant = {.blanket = 4620, .always = 0.65};
  const RangePoint best = accountant.Search(1e15);
  EXPECT_NEAR(best.error * kReports / (1 / 4620.0 + 2 / std::sqrt(4620.0 * kDomain)), 1, 0.01);
  EXPECT_LE(accountant.calls, 30);
}

TEST(RangeSearchTest, IsWithinHalfAPercentOfAnExhaustiveSearch) {
  for (const double blanket : {1e-4, 0.03, 1.0, 228.0, 4620.0, 1e6}) {
    for (const double slope : {-0.1, 0.0, 0.05}) {
      for (const double bend : {-0.01, 0.0, 0.005}) {
        for (const double cap : {0.5, 3.0, 40.0, 1e4, 1e15}) {
          FakeAccountant accountant = {blanket, slope, bend, /*always=*/0.65};
          const RangePoint best = accountant.Search(cap);
          EXPECT_LE(best.error, accountant.LeastError(cap) * 1.005)
              << "B " << blanket << ", slope " << slope << ", bend " << bend << ", cap " << cap;
          EXPECT_LE(best.kappa, std::min(cap, accountant.Kappa(best.range)) * (1 + 1e-12));
          EXPECT_EQ(best.error, Error(best.range, best.kappa));
          EXPECT_LE(accountant.calls, 40);
        }
      }
    }
  }
}

TEST(RangeSearchTest, AsksNoAccountantWhenTheCapIsBelowEpsilon) {
  FakeAccountant accountant = {.blanket = 4620, .always = 0.65};
  const RangePoint best = accountant.Search(0.5);
  EXPECT_EQ(accountant.calls, 0);
  EXPECT_EQ(best.kappa, 0.5);
}

TEST(RangeSearchTest, PassesTheAccountantsErrorOn) {
  RangeSearchOptions options;
  options.always = 0.1;
  options.cap = 10;
  options.blanket = 1;
  options.domain_size = 10;
  const auto result = SearchRange(
      options, [](double) -> absl::StatusOr<double> { return absl::InternalError("x"); }, Error);
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace tombola::mechanism
