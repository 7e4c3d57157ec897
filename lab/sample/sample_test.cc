#include <cmath>
#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lab/data/synthetic.h"
#include "lab/sample/draws.h"
#include "lab/sample/trial.h"

namespace tombola::lab {
namespace {

using simulation::Generator;

// 40,000 devices with pairs (0, 0.5), 40,000 with keys 0, 1, 2 and 20,000 without any.
Population Mixed() {
  Population population(4);
  for (int user = 0; user < 100000; ++user) {
    if (user % 5 < 2) {
      population.Add({{{0, 0.5f}}});
    } else if (user % 5 < 4) {
      population.Add({{{0, 0.5f}, {1, -1.0f}, {2, 0.0f}}});
    } else {
      population.Add({});
    }
  }
  return population;
}

// A binomial count is off by six standard deviations with probability 2e-9.
void ExpectCount(int64_t count, double trials, double probability) {
  EXPECT_NEAR(static_cast<double>(count), trials * probability,
              6 * std::sqrt(trials * probability * (1 - probability)) + 1e-9);
}

TEST(PaddedTest, TakesEachPlaceAlike) {
  Generator random(1);
  const Padded drawn = DrawPadded(Mixed(), 2, {}, random);
  EXPECT_EQ(drawn.users, 100000);
  // One of two places of a short record, one of three of a long one; + with (1 + v)/2.
  ExpectCount(drawn.plus[0] + drawn.minus[0], 1e5, 0.4 / 2 + 0.4 / 3);
  ExpectCount(drawn.plus[0], 1e5, (0.4 / 2 + 0.4 / 3) * 0.75);
  EXPECT_EQ(drawn.plus[1], 0);
  ExpectCount(drawn.minus[1], 1e5, 0.4 / 3);
  ExpectCount(drawn.plus[2], 1e5, 0.4 / 3 / 2);
  EXPECT_EQ(drawn.plus[3] + drawn.minus[3], 0);
  ExpectCount(drawn.dummies(), 1e5, 0.4 / 2 + 0.2);
}

TEST(AskedTest, AsksEveryKeyAlikeAndSplitsIntoGroups) {
  Generator random(2);
  const std::vector<Asked> groups = DrawAsked(Mixed(), 2, random);
  int64_t users = 0;
  for (const Asked& group : groups) {
    for (int key = 0; key < 4; ++key) {
      ExpectCount(group.users[key], 1e5, 1.0 / 8);
      users += group.users[key];
    }
    ExpectCount(group.plus[0], 1e5, 0.8 * 0.75 / 8);
    ExpectCount(group.minus[0], 1e5, 0.8 * 0.25 / 8);
    ExpectCount(group.minus[1], 1e5, 0.4 / 8);
    EXPECT_EQ(group.plus[3] + group.minus[3], 0);
  }
  EXPECT_EQ(users, 100000);
}

TEST(KeptTest, KeepsAllOrAUniformChoice) {
  Generator random(3);
  const Kept all = DrawKept(Mixed(), 3, 3, random);
  EXPECT_EQ(all.holders(0), 80000);
  EXPECT_EQ(all.at(1, 0), 40000);
  EXPECT_EQ(all.at(2, 1), 40000);
  EXPECT_DOUBLE_EQ(all.sums[0], 40000);
  ExpectCount(all.at(0, 2), 8e4, 0.5);
  EXPECT_EQ(all.at(0, 0), 0);

  const Kept two = DrawKept(Mixed(), 2, 1, random);
  ExpectCount(two.holders(0) - 40000, 4e4, 2.0 / 3);
  EXPECT_EQ(two.holders(0) - 40000 + two.holders(1) + two.holders(2), 80000);
}

TEST(PilotTest, LeavesItsMembersOut) {
  Generator random(4);
  const Population population = Mixed();
  const Pilot pilot = DrawPilot(population, 0.1, random);
  const int64_t members = std::accumulate(pilot.members.begin(), pilot.members.end(), int64_t{0});
  ExpectCount(members, 1e5, 0.1);
  EXPECT_EQ(std::accumulate(pilot.lengths.begin(), pilot.lengths.end(), int64_t{0}), members);
  EXPECT_EQ(DrawPadded(population, 2, pilot.members, random).users, 100000 - members);
}

TEST(TrialTest, DrawsOnceAndWhateverTheOrder) {
  const Population population = DrawPopulation(Lnr(), 1000, 1);
  Trial first(population, 7), second(population, 7), other(population, 8);
  const Padded& padded = first.padded(5);
  EXPECT_EQ(&padded, &first.padded(5));
  second.kept(3, 2);
  second.asked(1);
  EXPECT_EQ(second.padded(5).plus, padded.plus);
  EXPECT_NE(second.padded(6).plus, padded.plus);
  EXPECT_NE(other.padded(5).plus, padded.plus);
  EXPECT_EQ(first.kept(3, 2).cells, second.kept(3, 2).cells);
}

}  // namespace
}  // namespace tombola::lab
