// Caps on tuples that are alike: the noise of the reference, and devices one by one.
#include "lab/joins/capped.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "cli/simulation/distributions.h"
#include "common/random/random_source.h"
#include "gtest/gtest.h"
#include "lab/joins/counted.h"
#include "lab/joins/decompose.h"
#include "lab/joins/grid.h"
#include "lab/sample/test_moments.h"

namespace tombola::lab {
namespace {

using simulation::Generator;

constexpr int64_t kUsers = 500;
// As in key_value/simulation_test.cc: 1e-8 for each of some hundred statements.
constexpr double kSigmas = 5.73;

// 0 to 6 tuples, many of them alike.
StarData AlikeData() {
  StarData data({4, 6, 3});
  for (int64_t user = 0; user < kUsers; ++user) {
    std::vector<JoinedTuple> tuples((user * 3 + user / 5) % 7);
    for (size_t i = 0; i < tuples.size(); ++i) {
      tuples[i] = {.product = static_cast<uint8_t>((user + i / 3 * 2) % 6),
                   .fact = static_cast<uint8_t>((user / 3 + i / 4) % 3),
                   .amount = 60};
    }
    data.Add(static_cast<uint8_t>(user * user % 4), tuples);
  }
  return data;
}

CappedJoin JoinOf(int asked, int64_t tau, int64_t cap, const Places& cells) {
  return {.setting = {.places = {4, 6, 3}, .asked = asked, .users = kUsers, .tau = tau},
          .cap = cap,
          .cells = cells,
          .mean = 40};
}

int32_t CellAt(int32_t places, int32_t cells, int32_t place) {
  int32_t cell = 0;
  while (!GridCell(places, cells, cell).Holds(place)) ++cell;
  return cell;
}

// What every device counts, a uniform choice of a uniform choice; then noise on every cell.
double CountOnce(const CappedJoin& join, const StarData& data, const JoinQuery& query,
                 Generator& random) {
  std::map<Places, double> counts;
  for (int64_t user = 0; user < data.users(); ++user) {
    std::vector<JoinedTuple> tuples(data.joined(user).begin(), data.joined(user).end());
    std::map<Places, int64_t> mine;
    for (int64_t i = 0; i < join.setting.tau && !tuples.empty(); ++i) {
      const size_t at = UniformBelow(tuples.size(), random);
      Places cell = CellOf(data.profile(user), tuples[at], join.setting.asked);
      for (int axis = 0; axis < join.setting.asked; ++axis) {
        cell[axis] = CellAt(join.setting.places[axis], join.cells[axis], cell[axis]);
      }
      if (mine[cell]++ < join.cap) counts[cell] += 1;
      tuples.erase(tuples.begin() + static_cast<int64_t>(at));
    }
  }
  double answer = 0;
  for (const GridPart& part : GridPartsOf(join.setting.places, join.cells, query)) {
    answer += part.weight * counts[part.cell];
    for (int end = 0; end < 2; ++end) {
      answer +=
          part.weight * (static_cast<double>(simulation::Poisson(join.mean, random)) - join.mean);
    }
  }
  return answer;
}

TEST(CappedJoinTest, RunsHaveTheStatedLaw) {
  constexpr int kRuns = 3000;
  const StarData data = AlikeData();
  const JoinQuery queries[] = {{1, {Interval{1, 3}, {0, 1}, {0, 1}}},
                               {2, {Interval{0, 3}, {1, 5}, {0, 1}}},
                               {3, {Interval{0, 3}, {1, 4}, {1, 3}}}};
  for (const JoinQuery& query : queries) {
    for (const int64_t tau : {2, 4, 6}) {
      for (const int64_t cap : {1, 2, 3}) {
        if (cap > tau) continue;
        // Coarser than the places along the second axis.
        const CappedJoin join =
            JoinOf(query.asked, tau, cap, {4, query.asked > 1 ? 4 : 1, query.asked > 2 ? 3 : 1});
        const CappedLaw law = LawOf(join, data, query);
        Moments drawn;
        Generator random(7);
        for (int run = 0; run < kRuns; ++run) drawn.Add(CountOnce(join, data, query, random));
        SCOPED_TRACE(testing::Message() << query.asked << ", " << tau << ", " << cap);
        EXPECT_NEAR(drawn.mean(), law.count, kSigmas * std::sqrt(law.variance / kRuns));
        // Sums of many independent numbers, nearly normal.
        EXPECT_NEAR(drawn.variance() / law.variance, 1, kSigmas * std::sqrt(2.1 / kRuns));
      }
    }
  }
}

TEST(CappedJoinTest, WithoutACapEveryTupleCounts) {
  const StarData data = AlikeData();
  JoinQuery query = {2, {Interval{0, 3}, {1, 5}, {0, 1}}};
  const CappedJoin join = JoinOf(2, 6, 6, {4, 6, 1});
  EXPECT_NEAR(LawOf(join, data, query).count, TruthOf(data, query).count, 1e-9);
  EXPECT_NEAR(CountedShare(join, data), 1, 1e-12);
  double least = 0;
  for (const int64_t cap : {1, 2, 3}) {
    const double share = CountedShare(JoinOf(2, 6, cap, {4, 6, 1}), data);
    EXPECT_GT(share, least);
    least = share;
  }
  EXPECT_LT(least, 1 + 1e-12);
}

// From an independent accountant.
TEST(CappedJoinTest, HasTheReferenceNoise) {
  EXPECT_NEAR(*SmallestPoissonMeanOfUnits(1, 1e-6, 1, 10, 1) / 358.0959036534406, 1, 1e-3);
  EXPECT_NEAR(*SmallestPoissonMeanOfUnits(0.5, 9.998261428764946e-7, 1, 10, 2) / 2598.7, 1, 1e-3);
  EXPECT_NEAR(*SmallestPoissonMeanOfUnits(0.8, 2.690065202038356e-5, 1, 7, 3) / 700, 1, 1e-3);
}

TEST(CappedJoinTest, ACapCostsLessNoiseAndMoreCells) {
  const JoinSetting setting = {
      .places = {125, 125, 125}, .asked = 2, .users = 1000000, .tau = 10, .epsilon = 2};
  double mean = 0;
  for (const int64_t cap : {1, 2, 3, 5, 10}) {
    const auto join = PlanCappedJoin(setting, cap, 1e-6);
    ASSERT_TRUE(join.ok()) << join.status();
    EXPECT_GT(join->mean, mean);
    EXPECT_LE(join->messages, kMostMessages);
    mean = join->mean;
  }
  EXPECT_EQ(PlanCappedJoin(setting, 11, 1e-6).status().message(), "cap must be from 1 to 10");
}

}  // namespace
}  // namespace tombola::lab
