// What the published reports of strings give away: their laws over small cases, value by value.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "common/accounting/rappor.h"
#include "lab/oracle/oracle.h"
#include "lab/strings/ngrams.h"
#include "lab/strings/prefixes.h"
#include "lab/strings/sketches.h"
#include "lab/strings/succinct.h"

namespace tombola::lab {
namespace {

constexpr double kEpsilons[] = {0.5, 1, 4};

// A report's law: of each value the probability of each report, which sum to one.
using Law = std::vector<std::vector<double>>;

// The least epsilon of it.
double EpsilonOf(const Law& law) {
  double worst = 0;
  for (const std::vector<double>& a : law) {
    double sum = 0;
    for (const double probability : a) sum += probability;
    EXPECT_NEAR(sum, 1, 1e-12);
    for (const std::vector<double>& b : law) {
      for (size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::log(a[i] / b[i]));
    }
  }
  return worst;
}

// Two messages that are drawn each by itself.
Law Both(const Law& first, const Law& second) {
  Law both;
  for (size_t value = 0; value < first.size(); ++value) {
    std::vector<double>& of = both.emplace_back();
    for (const double a : first[value]) {
      for (const double b : second[value]) of.push_back(a * b);
    }
  }
  return both;
}

double SignOf(uint32_t row, uint32_t column) { return __builtin_parity(row & column) ? -1 : 1; }

// A coordinate of a Hadamard matrix of four rows, drawn uniformly, and its sign, of value's row; a
// value of none says a coin.
std::vector<double> SignedCoordinate(int value, double sign) {
  std::vector<double> law;
  for (uint32_t column = 0; column < 4; ++column) {
    const double plus = value < 0                                          ? 0.5
                        : SignOf(static_cast<uint32_t>(value), column) > 0 ? sign
                                                                           : 1 - sign;
    law.push_back(plus / 4);
    law.push_back((1 - plus) / 4);
  }
  return law;
}

// One bit for each of three values.
std::vector<double> Bits(int value, const Oracle& oracle) {
  std::vector<double> law;
  for (uint32_t pattern = 0; pattern < 8; ++pattern) {
    double probability = 1;
    for (int bit = 0; bit < 3; ++bit) {
      const double one = bit == value ? oracle.holder : oracle.other;
      probability *= (pattern >> bit & 1) != 0 ? one : 1 - one;
    }
    law.push_back(probability);
  }
  return law;
}

Law OfValues(int values, const std::function<std::vector<double>(int)>& of) {
  Law law;
  for (int value = 0; value < values; ++value) law.push_back(of(value));
  return law;
}

TEST(StringPrivacyTest, OneBitOfTreeHistHasEpsilon) {
  for (const double epsilon : kEpsilons) {
    const double sign = OneBit(epsilon).holder;
    EXPECT_NEAR(EpsilonOf(OfValues(4, [&](int v) { return SignedCoordinate(v, sign); })), epsilon,
                1e-9);
  }
}

// Values 0 and 1 are in the first channel, 2 and 3 in the second.
Law SuccinctOf(double sign, double oracle) {
  const auto in = [&](int channel) {
    return OfValues(
        4, [&](int v) { return SignedCoordinate(v / 2 == channel ? 1 + v % 2 : -1, sign); });
  };
  const Law whole = OfValues(4, [&](int v) { return SignedCoordinate(v, oracle); });
  return Both(Both(in(0), in(1)), whole);
}

// As printed, with a third each for two channels and for the oracle, it leaves a third unused.
TEST(StringPrivacyTest, SHistHasEpsilonWithAHalfForEachOfItsParts) {
  for (const double epsilon : kEpsilons) {
    const SuccinctLaw law = SuccinctLawOf(epsilon);
    EXPECT_NEAR(EpsilonOf(SuccinctOf(law.sign, law.oracle.holder)), epsilon, 1e-9);
    const double third = OneBit(epsilon / 3).holder;
    EXPECT_NEAR(EpsilonOf(SuccinctOf(third, third)), 2 * epsilon / 3, 1e-9);
  }
}

TEST(StringPrivacyTest, TheCountMeanSketchHasEpsilon) {
  for (const double epsilon : kEpsilons) {
    EXPECT_NEAR(EpsilonOf(OfValues(3, [&](int v) { return Bits(v, Sue(epsilon)); })), epsilon,
                1e-9);
  }
}

// PEM's too, whose buckets are of a function of the report's own.
TEST(StringPrivacyTest, ABucketByRandomisedResponseHasEpsilon) {
  for (const double epsilon : kEpsilons) {
    for (const int64_t buckets : {OrrBuckets(epsilon), OlhRange(epsilon)}) {
      const Oracle response = Grr(static_cast<double>(buckets), epsilon);
      const Law law = OfValues(static_cast<int>(buckets), [&](int v) {
        std::vector<double> of(static_cast<size_t>(buckets), response.other);
        of[static_cast<size_t>(v)] = response.holder;
        return of;
      });
      EXPECT_NEAR(EpsilonOf(law), epsilon, 1e-9);
    }
  }
}

// A device whose string is no candidate sets no bit: the last value.
TEST(StringPrivacyTest, BothPhasesOfLdpMinerTogetherHaveEpsilon) {
  for (const double epsilon : kEpsilons) {
    const double sign = OneBit(epsilon / 2).holder;
    const Law first = OfValues(4, [&](int v) { return SignedCoordinate(v, sign); });
    const Law second = OfValues(4, [&](int v) { return Bits(v < 3 ? v : -1, Sue(epsilon / 2)); });
    EXPECT_NEAR(EpsilonOf(Both(first, second)), epsilon, 1e-9);
  }
}

TEST(StringPrivacyTest, ThePartsOfExtendedRapporTogetherHaveEpsilon) {
  for (const double epsilon : kEpsilons) {
    const accounting::Rappor part = RapporPart(epsilon / 3).rappor;
    const double of_three = 3 * accounting::LocalEpsilonOf(part, 1);
    EXPECT_LE(of_three, epsilon);
    EXPECT_GE(of_three, epsilon * (1 - 1e-6));
  }
}

}  // namespace
}  // namespace tombola::lab
