#include "common/mechanism/count_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "common/mechanism/law_testing.h"
#include "tests/support/scripted_random.h"
#include "tests/support/seeded_random.h"

namespace tombola::mechanism {
namespace {

using Word128 = CountTable::Word128;

constexpr uint64_t kOne = uint64_t{1} << kRateBits;
// What rounding may take from one weight at 2^-110 or 2^-120 a unit; kError is for all of them.
constexpr long double kUnits = 0x1p-98L;

// FNV-1a over the 16 little-endian bytes of every cumulative sum.
uint64_t Digest(const CountTable& table) {
  uint64_t digest = 0xcbf29ce484222325;
  for (Word128 sum : table.cumulative()) {
    for (int i = 0; i < 16; ++i, sum >>= 8) {
      digest = (digest ^ static_cast<uint8_t>(sum)) * 0x100000001b3;
    }
  }
  return digest;
}

long double Weight(const CountTable& table, uint32_t k) {
  const auto& sums = table.cumulative();
  const size_t i = k - table.least();
  return static_cast<long double>(i == 0 ? sums[0] : sums[i] - sums[i - 1]) /
         static_cast<long double>(sums.back());
}

// The tables of an independent implementation with integers of any size. For each of these it also
// found the total variation to the law, with 300-bit numbers, to be at most 2^-97.
TEST(CountTableTest, EveryMachineHasTheseWeights) {
  const struct {
    uint64_t rate;
    uint32_t least, most;
    uint64_t digest;
  } kPoisson[] = {{1, 0, 2, 0xd6f03659f03e8945},
                  {kOne / 7, 0, 18, 0xf524d819cbb9c227},
                  {3 * kOne / 2, 0, 34, 0x1a6ae741bd6ee433},
                  {136 * kOne, 21, 302, 0x906a8dc7e9405ea4},
                  {16384 * kOne, 14848, 17968, 0xefb58bbf1bf199cd}};
  for (const auto& c : kPoisson) {
    const CountTable table = CountTable::Poisson(c.rate);
    EXPECT_EQ(table.least(), c.least) << c.rate;
    EXPECT_EQ(table.most(), c.most) << c.rate;
    EXPECT_EQ(Digest(table), c.digest) << c.rate;
  }
  const struct {
    uint64_t success;
    uint32_t most;
    uint64_t digest;
  } kLogarithmic[] = {{uint64_t{1} << 44, 6, 0xd18ca6995cceda30},
                      {uint64_t{1} << 63, 113, 0xc4f071da6e1b3443},
                      {17906070004909124658u, 2435, 0x966953d5fc975108},
                      {-(uint64_t{1} << 54), 67267, 0x14738093679f2b86}};
  for (const auto& c : kLogarithmic) {
    const CountTable table = CountTable::Logarithmic(c.success);
    EXPECT_EQ(table.least(), 1u) << c.success;
    EXPECT_EQ(table.most(), c.most) << c.success;
    EXPECT_EQ(Digest(table), c.digest) << c.success;
  }
  // Mean 2^-40: 1, 2^-40 and half of 2^-80, rounded down.
  const CountTable least = CountTable::Poisson(1);
  const auto& sums = least.cumulative();
  EXPECT_TRUE(sums[0] == Word128{1} << 110);
  EXPECT_TRUE(sums[1] - sums[0] == Word128{1} << 70);
  EXPECT_TRUE(sums[2] - sums[1] == Word128{1} << 29);
}

TEST(CountTableTest, PoissonWeightsAreThoseOfTheLaw) {
  for (const double mean : {0.001, 0.3, 1.0, 2.75, 136.1, 5000.5}) {
    const auto rate = static_cast<uint64_t>(std::llround(mean * static_cast<double>(kOne)));
    const long double lambda = std::ldexp(static_cast<long double>(rate), -kRateBits);
    const CountTable table = CountTable::Poisson(rate);
    long double sum = 0;
    for (uint32_t k = table.least(); k <= table.most(); ++k) {
      const long double p =
          std::exp(static_cast<long double>(k) * std::log(lambda) - lambda - std::lgamma(k + 1.0L));
      EXPECT_LE(std::abs(Weight(table, k) - p), 1e-14L * p + kUnits) << mean << " " << k;
      sum += p;
    }
    EXPECT_NEAR(sum, 1, 1e-13) << mean;
    EXPECT_NEAR(table.mean() / static_cast<double>(lambda), 1, 1e-13);
    EXPECT_NEAR(table.variance() / static_cast<double>(lambda), 1, 1e-12);
  }
}

TEST(CountTableTest, LogarithmicWeightsAreThoseOfTheLaw) {
  for (const double p : {0.001, 0.3, 0.75, 0.97, 0.9993}) {
    const auto success = static_cast<uint64_t>(std::ldexp(p, 64));
    const long double exact = std::ldexp(static_cast<long double>(success), -64);
    const long double log_rest = std::log1p(-exact);
    const CountTable table = CountTable::Logarithmic(success);
    long double power = 1;
    for (uint32_t k = 1; k <= table.most(); ++k) {
      power *= exact;
      const long double mass = -power / (k * log_rest);
      EXPECT_LE(std::abs(Weight(table, k) - mass), 1e-14L * mass + kUnits) << p << " " << k;
    }
    const double scale = -1 / static_cast<double>(log_rest);
    const double rest = 1 - p;
    EXPECT_NEAR(table.mean() / (scale * p / rest), 1, 1e-12) << p;
    EXPECT_NEAR(table.variance() / (scale * p * (1 - scale * p) / (rest * rest)), 1, 1e-11) << p;
  }
}

// 3.8 million weights, the most there can be.
TEST(CountTableTest, TheLongestTableIsSound) {
  const CountTable table = CountTable::Logarithmic(-(uint64_t{1} << 48));
  EXPECT_GT(table.most(), 3700000u);
  EXPECT_LT(table.most(), 1u << 23);
  EXPECT_NEAR(table.mean() / (65535 / (16 * std::log(2))), 1, 1e-10);
  EXPECT_TRUE(table.cumulative().back() >> 125 == 0);
}

TEST(CountTableTest, DrawsByTheCumulativeSums) {
  for (const CountTable& table :
       {CountTable::Poisson(3 * kOne / 2), CountTable::Logarithmic(uint64_t{1} << 63),
        CountTable::Poisson(136 * kOne)}) {
    const auto& sums = table.cumulative();
    const int unused = __builtin_clzll(static_cast<uint64_t>((sums.back() - 1) >> 64));
    const auto words = [&](Word128 drawn) {
      return std::vector<uint64_t>{static_cast<uint64_t>(drawn >> 64) << unused,
                                   static_cast<uint64_t>(drawn)};
    };
    for (size_t i = 0; i < sums.size(); i += 1 + sums.size() / 50) {
      ScriptedRandom last(words(sums[i] - 1));
      EXPECT_EQ(table.Draw(last), table.least() + i);
      if (i + 1 == sums.size()) continue;
      ScriptedRandom next(words(sums[i]));
      EXPECT_EQ(table.Draw(next), table.least() + i + 1);
    }
    ScriptedRandom first(words(0));
    EXPECT_EQ(table.Draw(first), table.least());
    // At the total and beyond it draws again.
    std::vector<uint64_t> again = words(sums.back());
    again.insert(again.end(), {~uint64_t{0}, ~uint64_t{0}});
    for (const uint64_t word : words(sums.back() - 1)) again.push_back(word);
    ScriptedRandom rejected(again);
    EXPECT_EQ(table.Draw(rejected), table.most());
  }
}

// Fails by chance with probability 1.4e-11 for each law.
TEST(CountTableTest, DrawsHaveTheLaw) {
  SeededRandom random(20);
  for (const CountTable& table :
       {CountTable::Poisson(3 * kOne / 2), CountTable::Logarithmic(uint64_t{1} << 63)}) {
    constexpr int64_t kSamples = 200000;
    std::map<CountVector, int64_t> seen;
    for (int64_t i = 0; i < kSamples; ++i) ++seen[{static_cast<int>(table.Draw(random))}];
    Law law;
    for (uint32_t k = table.least(); k <= table.most(); ++k) {
      law[{static_cast<int>(k)}] = static_cast<double>(Weight(table, k));
    }
    EXPECT_LT(ChiSquareExcess(seen, law, kSamples), 0);
  }
}

TEST(CountTableTest, AboveIsTheTailAndNeverBelowIt) {
  const CountTable table = CountTable::Poisson(136 * kOne);
  EXPECT_EQ(table.Above(0), 1);
  EXPECT_EQ(table.Above(table.least() - 1), 1);
  EXPECT_EQ(table.Above(table.most()), 0);
  EXPECT_EQ(table.Above(~uint32_t{0}), 0);
  long double tail = 0;
  for (uint32_t k = table.most(); k-- > table.least();) {
    tail += Weight(table, k + 1);
    EXPECT_GE(table.Above(k), static_cast<double>(tail * (1 - 1e-17L)));
    EXPECT_LE(table.Above(k), static_cast<double>(tail) * (1 + 1e-14));
  }
}

}  // namespace
}  // namespace tombola::mechanism
