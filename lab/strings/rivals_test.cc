// The published ways to find strings, by what they find where it is known, and how far sketches are
// off.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lab/oracle/oracle.h"
#include "lab/strings/ngrams.h"
#include "lab/strings/prefixes.h"
#include "lab/strings/sketches.h"
#include "lab/strings/succinct.h"

namespace tombola::lab {
namespace {

const std::string kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";

// The r-th string is held by devices in proportion to 1/r.
StringPopulation ByRank(const std::vector<std::string>& texts, int64_t devices) {
  double sum = 0;
  for (size_t r = 1; r <= texts.size(); ++r) sum += 1 / static_cast<double>(r);
  StringPopulation population;
  for (size_t r = 1; r <= texts.size(); ++r) {
    const int64_t count = std::llround(static_cast<double>(devices) / static_cast<double>(r) / sum);
    population.strings.push_back({texts[r - 1], count});
    population.devices += count;
  }
  return population;
}

std::vector<std::string> Names(int many) {
  std::vector<std::string> names;
  for (int i = 1; i <= many; ++i) names.push_back(absl::StrCat("s", i, "x"));
  return names;
}

TEST(PrefixCodeTest, KeepsWhatItHasCharactersFor) {
  const PrefixCode bytes;
  EXPECT_EQ(TextOf(PackedOf("ab", bytes), bytes), "ab");
  EXPECT_EQ(TextOf(PackedOf("abcdefgh", bytes), bytes), "abcdef");
  const PrefixCode letters = {.symbol_bits = 5, .symbols = 20, .characters = "abcdefgh"};
  EXPECT_EQ(letters.bits(), 100);
  EXPECT_EQ(TextOf(PackedOf("bad-head", letters), letters), "bad?head");
  EXPECT_EQ(TextOf(PackedOf("", letters), letters), "");
  // Prefixes come first.
  EXPECT_EQ(PackedOf("had", letters) >> 85, PackedOf("hadca", letters) >> 85);
}

TEST(PemTest, FindsLongStringsToo) {
  const PrefixCode code = {.symbol_bits = 6, .symbols = 20, .characters = kLetters};
  std::vector<std::string> long_names = Names(20);
  for (std::string& name : long_names) name += "longertext";
  const StringPopulation population = ByRank(long_names, 1000000);
  simulation::Generator random(3);
  const auto found = FindByPem(population, code, {.first = 12, .step = 12}, 8, 10, random);
  const StringScore score = ScoreOf(population, found);
  EXPECT_EQ(score.found, 10);
  EXPECT_EQ(score.held_by_nobody, 0);
}

TEST(HadamardTransformTest, TwiceIsTheSizeTimesWhatItWas) {
  std::vector<double> values = {3, -1, 4, 1, -5, 9, 2, 6};
  const std::vector<double> before = values;
  HadamardTransform(values);
  EXPECT_EQ(values[0], 19);
  EXPECT_EQ(values[1], 3 + 1 + 4 - 1 - 5 - 9 + 2 - 6);
  HadamardTransform(values);
  for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], 8 * before[i]);
}

// A symbol is read right if its correlation, sqrt(n / symbols) f tanh(epsilon / 4) deviations of
// chance, exceeds 255 others, whose largest is below 6 with probability 1 - 3e-7. The first three
// have 36, 18 and 12; what nobody holds exceeds the threshold with probability 0.05.
TEST(SuccinctTest, FindsWhatIsHeavyEnough) {
  const StringPopulation population = ByRank(Names(60), 300000);
  simulation::Generator random(5);
  const StringScore score =
      ScoreOf(population, FindBySuccinct(population, PrefixCode(), 4, random));
  EXPECT_GE(score.found, 3);
  EXPECT_LE(score.found, 30);
  EXPECT_EQ(score.held_by_nobody, 0);
}

// 20,000 devices hold one string. The estimate of one that nobody holds is off by the noise of 64
// cells, n p (1 - p) / (p - q)^2 in all, and by those who share its cells, who are n / buckets on
// average, binomial over the rows. The mean over 2,000 such strings has a deviation of at most
// 1/sqrt(2000) + 1/sqrt(buckets) of one's, the latter for the noise of whole rows; six of these
// fail with probability 2e-9.
void ExpectNoBias(const Sketch& sketch, const Oracle& cell, double devices) {
  const double buckets = static_cast<double>(sketch.buckets);
  const double rows = static_cast<double>(sketch.rows);
  const double noise = devices * devices * cell.Variance(0, devices);
  const double shared = devices * devices / rows / buckets;
  const double deviation = std::sqrt(noise + shared) * buckets / (buckets - 1);
  double sum = 0, squares = 0;
  constexpr int kAbsent = 2000;
  for (int i = 0; i < kAbsent; ++i) {
    const double of = HoldersOf(absl::StrCat("absent", i), sketch, std::llround(devices));
    sum += of;
    squares += of * of;
  }
  EXPECT_NEAR(sum / kAbsent, 0, 6 * deviation * (1 / std::sqrt(kAbsent) + 1 / std::sqrt(buckets)));
  // Of 2,000 alike squares a mean is within a fifth, had they normal laws; rows are shared by all.
  EXPECT_NEAR(std::sqrt(squares / kAbsent) / deviation, 1, 0.4);
  const double held = HoldersOf("held", sketch, std::llround(devices));
  EXPECT_NEAR(held, devices,
              6 * devices * std::sqrt(cell.Variance(1, devices)) + 6 * std::sqrt(noise));
}

TEST(SketchTest, EstimatesAreUnbiasedAndAsFarOffAsTheyShould) {
  const StringPopulation population = {.strings = {{"held", 20000}}, .devices = 20000};
  for (const double epsilon : {1.0, 3.0}) {
    simulation::Generator random(7);
    ExpectNoBias(CountMeanSketch(population, epsilon, random), Sue(epsilon), 20000);
    ExpectNoBias(OrrSketch(population, epsilon, random),
                 Grr(static_cast<double>(OrrBuckets(epsilon)), epsilon), 20000);
  }
}

TEST(SketchTest, FindTheTopWhereEpsilonIsLarge) {
  const StringPopulation population = ByRank(Names(200), 1000000);
  simulation::Generator random(9);
  for (const Sketch& sketch :
       {CountMeanSketch(population, 8, random), OrrSketch(population, 8, random)}) {
    const StringScore score = ScoreOf(population, LargestOf(sketch, population, 32));
    EXPECT_EQ(score.found, 32);
    EXPECT_GE(score.f1[0], 0.85);
  }
}

// Of 100,000 devices a fifth to a fifteenth hold the first five strings: at epsilon 12 their
// n-grams stand out everywhere.
TEST(NgramTest, BuildsStringsFromPairsOfNgrams) {
  const StringPopulation population =
      ByRank({"google", "ebay", "yahoo", "mapque", "myspac", "face", "amazon", "hotmai"}, 100000);
  simulation::Generator random(11);
  const NgramSetting setting = {.characters = kLetters, .length = 6, .part = RapporPart(12.0 / 3)};
  const auto found = FindByNgrams(population, setting, random);
  const StringScore score = ScoreOf(population, found);
  EXPECT_EQ(score.held_by_nobody, 0);
  ASSERT_GE(score.found, 3);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(found[i].text, population.strings[i].text);
    EXPECT_NEAR(found[i].devices / static_cast<double>(population.strings[i].devices), 1, 0.15);
  }
}

// No n-gram stands out, so that no string can be built.
TEST(NgramTest, FindsNothingWhereNothingStandsOut) {
  simulation::Generator random(13);
  const NgramSetting setting = {.characters = "ab", .length = 6, .part = RapporPart(0.01)};
  EXPECT_TRUE(FindByNgrams(ByRank(Names(60), 2000), setting, random).empty());
}

}  // namespace
}  // namespace tombola::lab
