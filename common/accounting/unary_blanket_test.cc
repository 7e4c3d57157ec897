#include "common/accounting/unary_blanket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace tombola::accounting {
namespace {

using ::testing::HasSubstr;

// A small batch, the patterns of bits that values set, and what an independent program found: the
// worst divergence over all data sets, and the exact formula.
struct Small {
  int64_t honest;
  double risen, kept;
  int64_t hashes;
  double epsilon;
  std::vector<unsigned> patterns;
  double worst, formula;

  UnaryReports reports() const { return {honest, hashes, risen, kept}; }
};

const std::vector<Small>& SmallBatches() {
  static const auto* const batches = new std::vector<Small>{
      {2, 0.25, 0.75, 1, 0.3, {1, 2, 4}, 0.42638428502009323, 0.4400506446910312},
      {3, 0.25, 0.6, 1, 0.3, {1, 2, 4}, 0.19823761685657132, 0.22962315555753604},
      {3, 0.4, 0.6, 2, 0.3, {3, 12, 5}, 0.1025321073433969, 0.15635867157534925},
      {3, 0.3, 0.6, 2, 0.6, {3, 12, 6}, 0.14666978721080662, 0.2548117243001181}};
  return *batches;
}

double Delta(const UnaryReports& reports, double epsilon) {
  const absl::StatusOr<double> delta = UnaryDelta(reports, epsilon);
  EXPECT_TRUE(delta.ok()) << delta.status();
  return *delta;
}

TEST(UnaryDeltaTest, IsTheExactFormulaInSmallBatches) {
  for (const Small& small : SmallBatches()) {
    const double delta = Delta(small.reports(), small.epsilon);
    EXPECT_GE(delta, small.worst);
    EXPECT_NEAR(delta / std::min(small.formula, 1.0), 1, 1e-7) << small.honest;
  }
}

// The law of a report of a value, over all vectors of bits.
std::vector<double> LawOf(unsigned pattern, int bits, const UnaryReports& reports) {
  std::vector<double> law;
  for (unsigned out = 0; out < 1u << bits; ++out) {
    double mass = 1;
    for (int bit = 0; bit < bits; ++bit) {
      const double one = (pattern >> bit & 1) != 0 ? reports.kept : reports.risen;
      mass *= (out >> bit & 1) != 0 ? one : 1 - one;
    }
    law.push_back(mass);
  }
  return law;
}

// The multiset of reports, as how often each was sent, with the probability of each.
using Multisets = std::map<std::vector<int>, double>;
Multisets Shuffled(const std::vector<unsigned>& values, int bits, const UnaryReports& reports) {
  Multisets all = {{std::vector<int>(size_t{1} << bits, 0), 1.0}};
  for (const unsigned value : values) {
    const std::vector<double> law = LawOf(value, bits, reports);
    Multisets next;
    for (const auto& [counts, mass] : all) {
      for (size_t out = 0; out < law.size(); ++out) {
        std::vector<int> more = counts;
        ++more[out];
        next[more] += mass * law[out];
      }
    }
    all = std::move(next);
  }
  return all;
}

double Divergence(const Multisets& a, const Multisets& b, double epsilon) {
  double delta = 0;
  for (const auto& [counts, mass] : a) {
    delta += std::max(0.0, mass - std::exp(epsilon) * b.at(counts));
  }
  return delta;
}

// Every data set of three values and every two victims, both of which the others may hold too.
TEST(UnaryDeltaTest, IsNeverBelowTheWorstDataSet) {
  for (const Small& small : SmallBatches()) {
    const int bits =
        std::bit_width(*std::max_element(small.patterns.begin(), small.patterns.end()));
    double worst = 0;
    for (const unsigned first : small.patterns) {
      for (const unsigned second : small.patterns) {
        if (small.honest == 2 && second != first) continue;
        for (const unsigned a : small.patterns) {
          for (const unsigned b : small.patterns) {
            if (a == b) continue;
            std::vector<unsigned> with_a = {a, first};
            std::vector<unsigned> with_b = {b, first};
            if (small.honest == 3) {
              with_a.push_back(second);
              with_b.push_back(second);
            }
            worst =
                std::max(worst, Divergence(Shuffled(with_a, bits, small.reports()),
                                           Shuffled(with_b, bits, small.reports()), small.epsilon));
          }
        }
      }
    }
    EXPECT_NEAR(worst, small.worst, 1e-9);
    EXPECT_GE(Delta(small.reports(), small.epsilon), worst);
  }
}

TEST(UnaryGivenMessagesTest, IsTheReference) {
  struct Case {
    int64_t m;
    double risen, kept;
    int64_t hashes;
    double epsilon, divergence;
  };
  for (const Case& c : {Case{5, 0.5625, 0.6875, 2, 0.3, 0.01204525384065946},
                        Case{12, 0.5625, 0.6875, 2, 0.3, 0.0013621888733108447},
                        Case{20, 0.2689, 0.5, 1, 0.4, 0.0004524276261267913}}) {
    const double divergence =
        UnaryGivenMessages(c.m, {.hashes = c.hashes, .risen = c.risen, .kept = c.kept}, c.epsilon);
    EXPECT_NEAR(divergence / c.divergence, 1, 1e-6) << c.m;
  }
}

// gamma/m E[(X_1 + ... + X_m)_+] where the two patterns share bits, over all outcomes.
double WithSharedBits(int64_t m, int64_t shared, const UnaryReports& reports, double epsilon) {
  const auto law = [&](int64_t bits, int64_t ones) {
    return std::exp(std::lgamma(bits + 1.0) - std::lgamma(ones + 1.0) -
                    std::lgamma(bits - ones + 1.0)) *
           std::pow(reports.risen, ones) * std::pow(1 - reports.risen, bits - ones);
  };
  const double rho = reports.kept * (1 - reports.risen) / (reports.risen * (1 - reports.kept));
  const int64_t own = reports.hashes - shared;
  std::vector<std::pair<double, double>> terms;
  for (int64_t a = 0; a <= own; ++a) {
    for (int64_t b = 0; b <= own; ++b) {
      for (int64_t c = 0; c <= shared; ++c) {
        terms.push_back(
            {std::pow(rho, c) * (std::pow(rho, a) - std::exp(epsilon) * std::pow(rho, b)),
             law(own, a) * law(own, b) * law(shared, c)});
      }
    }
  }
  std::vector<std::pair<double, double>> sums = {{0.0, 1.0}};
  for (int64_t i = 0; i < m; ++i) {
    std::vector<std::pair<double, double>> next;
    for (const auto& [sum, mass] : sums) {
      for (const auto& [term, share] : terms) next.push_back({sum + term, mass * share});
    }
    sums = std::move(next);
  }
  double excess = 0;
  for (const auto& [sum, mass] : sums) excess += mass * std::max(0.0, sum);
  return BlanketOf(reports) / static_cast<double>(m) * excess;
}

TEST(UnaryGivenMessagesTest, SharedBitsAreNeverWorse) {
  for (const int64_t hashes : {2, 3, 4}) {
    for (const auto& [risen, kept] : {std::pair{0.3, 0.6}, {0.5625, 0.6875}, {0.05, 0.5}}) {
      const UnaryReports reports = {.hashes = hashes, .risen = risen, .kept = kept};
      for (const double epsilon : {0.05, 0.4, 1.5}) {
        for (int64_t m = 1; m <= (hashes == 2 ? 4 : 3); ++m) {
          const double worst = UnaryGivenMessages(m, reports, epsilon);
          EXPECT_NEAR(WithSharedBits(m, 0, reports, epsilon), worst, 1e-10 * worst);
          for (int64_t shared = 1; shared < hashes; ++shared) {
            EXPECT_LE(WithSharedBits(m, shared, reports, epsilon), worst * (1 + 1e-10))
                << hashes << " " << shared << " " << m;
          }
        }
      }
    }
  }
}

// The largest batch that is summed exactly, by the grid: at most a percent above, never below.
TEST(UnaryGivenMessagesTest, OnAGridIsALittleAboveTheExactOne) {
  for (const double epsilon : {0.05, 0.2, 0.5}) {
    const UnaryReports reports = {.hashes = 1, .risen = 0.5625, .kept = 0.6875};
    // Sums of 1,999 terms of one bit are exact, of 2,000 not.
    const double exact = UnaryGivenMessages(1999, reports, epsilon);
    const double grid = UnaryGivenMessages(2000, reports, epsilon);
    if (exact < 1e-30) continue;
    // In between delta falls by about theta^2 / 2 of one report among as many, in logarithm.
    EXPECT_LT(std::abs(std::log(grid / exact)), 0.03) << epsilon;
  }
}

TEST(UnaryDeltaTest, IsTheExpectationOverMessages) {
  const UnaryReports reports = {.honest = 3000, .hashes = 2, .risen = 0.5625, .kept = 0.6875};
  const double blanket = BlanketOf(reports);
  for (const double epsilon : {0.02, 0.05}) {
    double expected = 0;
    double mass_seen = 0;
    // Bins of 8 messages, each at its middle.
    for (int64_t m = 1; m <= 3000; m += 8) {
      double mass = 0;
      for (int64_t k = m; k < m + 8; ++k) {
        mass += std::exp(std::lgamma(3000.0) - std::lgamma(static_cast<double>(k)) -
                         std::lgamma(3001.0 - static_cast<double>(k)) +
                         static_cast<double>(k - 1) * std::log(blanket) +
                         static_cast<double>(3000 - k) * std::log1p(-blanket));
      }
      if (mass < 1e-9) continue;
      mass_seen += mass;
      expected += mass * UnaryGivenMessages(m + 4, reports, epsilon);
    }
    EXPECT_NEAR(mass_seen, 1, 1e-6);
    EXPECT_NEAR(Delta(reports, epsilon) / expected, 1, 0.01) << epsilon;
  }
}

TEST(UnaryDeltaTest, FallsWithEpsilonAndWithTheBatch) {
  UnaryReports reports = {.honest = 500, .hashes = 2, .risen = 0.4, .kept = 0.6};
  double last = 1;
  for (const double epsilon : {0.05, 0.1, 0.2, 0.4, 0.8, 1.2}) {
    const double delta = Delta(reports, epsilon);
    EXPECT_LT(delta, last) << epsilon;
    last = delta;
  }
  EXPECT_EQ(Delta(reports, LocalEpsilon(reports)), 0);
  last = 1;
  for (const int64_t honest : {1, 2, 5, 20, 60, 100, 1000, 10000}) {
    reports.honest = honest;
    const double delta = Delta(reports, 0.2);
    EXPECT_LE(delta, last) << honest;
    last = delta;
  }
}

// Coins so far apart that the ratios are spread over thirteen decimals.
TEST(UnaryEpsilonTest, IsFoundWhereRatiosAreFarApart) {
  const UnaryReports reports = {.honest = 100000, .hashes = 1, .risen = 1e-13, .kept = 0.5};
  const absl::StatusOr<double> epsilon = UnaryEpsilon(reports, 1e-6);
  ASSERT_TRUE(epsilon.ok()) << epsilon.status();
  EXPECT_LE(*epsilon, LocalEpsilon(reports));
}

TEST(UnaryReportsTest, NameTheFieldThatIsOutOfBounds) {
  const UnaryReports valid = {.honest = 10, .hashes = 2, .risen = 0.4, .kept = 0.6};
  EXPECT_TRUE(Validate(valid).ok());
  const auto refused = [](UnaryReports reports, const char* message) {
    const absl::Status status = UnaryDelta(reports, 1).status();
    ASSERT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << message;
    EXPECT_THAT(status.message(), HasSubstr(message));
  };
  UnaryReports reports = valid;
  reports.honest = 0;
  refused(reports, "honest must be in [1, 2^30], is 0");
  reports = valid;
  reports.hashes = 257;
  refused(reports, "hashes must be in [1, 256], is 257");
  reports = valid;
  reports.risen = 0;
  refused(reports, "risen must be in (0, 1), is 0");
  reports = valid;
  reports.kept = 0.4;
  refused(reports, "kept must be in (0.4, 1), is 0.4");
  reports = {.honest = 10, .hashes = 256, .risen = 0.01, .kept = 0.99};
  refused(reports, "the local epsilon must be at most 700");
  EXPECT_FALSE(UnaryDelta(valid, 0).ok());
  EXPECT_FALSE(UnaryEpsilon(valid, 0).ok());
}

}  // namespace
}  // namespace tombola::accounting
