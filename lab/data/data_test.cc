#include <cmath>
#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lab/data/files.h"
#include "lab/data/population.h"
#include "lab/data/synthetic.h"

namespace tombola::lab {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Population Small() {
  Population population(4);
  population.Add({{{0, 1.0f}, {2, -0.5f}}});
  population.Add({});
  population.Add({{{0, 0.5f}, {1, 0.25f}, {2, -1.0f}, {3, 0.0f}}});
  return population;
}

TEST(PopulationTest, CountsHoldersAndMeans) {
  const std::vector<KeyTruth> truth = TruthOf(Small());
  EXPECT_DOUBLE_EQ(truth[0].frequency, 2.0 / 3);
  EXPECT_DOUBLE_EQ(truth[0].mean, 0.75);
  EXPECT_DOUBLE_EQ(truth[2].mean, -0.75);
  EXPECT_DOUBLE_EQ(truth[3].frequency, 1.0 / 3);
  EXPECT_THAT(MostHeld(truth, 3), ElementsAre(0, 2, 1));
  EXPECT_THAT(MostHeld(truth, 10), ElementsAre(0, 2, 1, 3));
}

TEST(PopulationTest, SharesSumTheProbabilitiesOfKeepingAPair) {
  const std::vector<KeyShare> shares = SharesOf(Small(), 3);
  EXPECT_DOUBLE_EQ(shares[0].holders, 2);
  EXPECT_DOUBLE_EQ(shares[0].kept, 1 + 0.75);
  EXPECT_DOUBLE_EQ(shares[0].kept_squares, 1 + 0.5625);
  EXPECT_DOUBLE_EQ(shares[1].kept, 0.75);
  EXPECT_DOUBLE_EQ(shares[1].users, 3);
}

TEST(PopulationTest, QuantilesOfLengthsAreAtLeastOne) {
  const std::vector<int64_t> lengths = LengthsOf(Small());
  EXPECT_THAT(lengths, ElementsAre(1, 0, 1, 0, 1));
  EXPECT_EQ(LengthQuantile(lengths, 0.1), 1);
  EXPECT_EQ(LengthQuantile(lengths, 0.6), 2);
  EXPECT_EQ(LengthQuantile(lengths, 0.9), 4);
}

// The laws sum to the average length, and a population of them has the 90 % length of a million
// devices (30, 31 and 6).
TEST(SyntheticTest, HasTheStatedLengths) {
  struct Row {
    std::vector<KeyLaw> laws;
    double average;
    int64_t ninety;
  };
  for (const Row& row : {Row{Gauss(), 24.755, 30}, {Lnr(), 25.25, 31}, {Sparse(), 3.7427, 6}}) {
    double sum = 0, variance = 0;
    for (const KeyLaw& law : row.laws) {
      sum += law.frequency;
      variance += law.frequency * (1 - law.frequency);
      EXPECT_LE(std::fabs(law.mean), 0.99);
    }
    EXPECT_NEAR(sum, row.average, 2e-3);
    const Population drawn = DrawPopulation(row.laws, 50000, 1);
    // A mean of independent lengths: six standard deviations fail with probability 2e-9.
    EXPECT_NEAR(static_cast<double>(drawn.pairs()) / 50000, sum, 6 * std::sqrt(variance / 50000));
    EXPECT_NEAR(static_cast<double>(LengthQuantile(LengthsOf(drawn), 0.9)),
                static_cast<double>(row.ninety), 0.5);
  }
}

TEST(SyntheticTest, HasTheStatedFrequenciesAndMeans) {
  const std::vector<KeyLaw> laws = Gauss();
  EXPECT_NEAR(laws[49].frequency, 0.5 * std::exp(-0.0003125), 1e-12);
  EXPECT_DOUBLE_EQ(laws[49].mean, 0.99);
  EXPECT_NEAR(Lnr()[24].frequency, 0.125, 1e-12);
  EXPECT_NEAR(Lnr()[24].mean, -0.5, 1e-12);
  EXPECT_NEAR(Sparse()[2].frequency, 0.5 / 3, 1e-12);
  EXPECT_NEAR(Sparse()[2].mean, 0.8 * std::cos(3.0), 1e-12);
  const int64_t users = 50000;
  const std::vector<KeyTruth> truth = TruthOf(DrawPopulation(laws, users, 2));
  for (size_t key = 0; key < laws.size(); ++key) {
    const double f = laws[key].frequency;
    // 200 statements, each off by six standard deviations with probability 2e-9.
    EXPECT_NEAR(truth[key].frequency, f, 6 * std::sqrt(f * (1 - f) / users));
    EXPECT_NEAR(truth[key].mean, laws[key].mean, 6 * 0.2 / std::sqrt(3.0 * f * users));
  }
}

TEST(SyntheticTest, StandInsHaveTheSizeAndSparsityOfWhatTheyStandFor) {
  for (const StandIn& like : {TalkingData(), JData()}) {
    const Population drawn = DrawStandIn(like, 1);
    EXPECT_EQ(drawn.users(), like.users);
    EXPECT_EQ(drawn.keys(), like.keys);
    // A length has a standard deviation of about 14: half a pair is eight of its mean.
    EXPECT_NEAR(static_cast<double>(drawn.pairs()) / static_cast<double>(drawn.users()),
                0.069 * static_cast<double>(like.keys), 0.5);
  }
  const std::vector<int64_t> lengths = LengthsOf(DrawStandIn(TalkingData(), 1));
  const double short_ones = std::accumulate(lengths.begin(), lengths.begin() + 50, 0.0) / 60822;
  EXPECT_THAT(short_ones, DoubleNear(0.97, 0.01));
}

TEST(FilesTest, ReadsKeyValues) {
  const auto read = ParseKeyValues("user,key,value\n7,30,1\n7,10,-0.5\n7,30,0\n9,10,0.25\n", "f");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->users(), 2);
  EXPECT_EQ(read->keys(), 2);
  ASSERT_EQ(read->record(0).size(), 2);
  EXPECT_EQ(read->record(0)[0].key, 0);
  EXPECT_EQ(read->record(0)[0].value, -0.5f);
  EXPECT_EQ(read->record(0)[1].value, 1.0f);  // of a key twice the first
}

TEST(FilesTest, NamesTheLineThatIsWrong) {
  const auto why = [](absl::string_view text) {
    return std::string(ParseKeyValues(text, "f").status().message());
  };
  EXPECT_THAT(why("key,value\n"), HasSubstr("f, line 1: must be user,key,value"));
  EXPECT_THAT(why("user,key,value\n1,2\n"), HasSubstr("line 2: must have three fields"));
  EXPECT_THAT(why("user,key,value\nx,2,0\n"), HasSubstr("line 2: user"));
  EXPECT_THAT(why("user,key,value\n1,x,0\n"), HasSubstr("line 2: key"));
  EXPECT_THAT(why("user,key,value\n1,2,0\n1,3,1.5\n"), HasSubstr("line 3: value must be in"));
  EXPECT_THAT(why("user,key,value\n1,2,nan\n"), HasSubstr("line 2: value must be in"));
  EXPECT_THAT(why("user,key,value\n"), HasSubstr("holds no pair"));
  EXPECT_THAT(std::string(ParseSets("1 2\n3 x\n", ' ', "f").status().message()),
              HasSubstr("line 2: items must be whole numbers"));
}

TEST(FilesTest, ReadsSets) {
  const auto read = ParseSets("5 3 5\n3\n\n9 5\n", ' ', "f");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->users(), 3);
  EXPECT_EQ(read->keys(), 3);
  EXPECT_EQ(read->record(0).size(), 2);
  EXPECT_EQ(read->record(2)[1].key, 2);
}

TEST(FilesTest, SaysWhichFileIsMissing) {
  const absl::Status status = ReadClothing("/nowhere").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("clothing_user_key_value.csv"));
}

}  // namespace
}  // namespace tombola::lab
