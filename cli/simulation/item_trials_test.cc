#include "cli/simulation/item_trials.h"

#include <cmath>

#include "cli/simulation/item_experiment.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tombola::simulation {
namespace {

using ::testing::HasSubstr;

ItemCells Cells(int64_t values, int64_t levels, int64_t held) {
  return {.values = values, .levels = levels, .filling = {.held = held, .sent = held}};
}

// Pairs by Zipf's law.
ItemData Pairs(int64_t users, int64_t keys, int64_t held) {
  const Levels levels{.low = -1, .high = 1, .count = 2};
  return ItemData(*DrawPopulation({.source = "zipf:1.1", .users = users, .domain = keys, .seed = 3},
                                  held, levels),
                  Cells(keys, 2, held), levels);
}

std::vector<Row> Planned(const ItemData& data, const ItemExperiment& experiment) {
  absl::StatusOr<std::vector<Row>> rows = PlanItemRows(data, experiment);
  EXPECT_TRUE(rows.ok()) << rows.status();
  return rows.ok() ? *rows : std::vector<Row>();
}

ItemExperiment Of(std::vector<std::string> mechanisms, double epsilon, int64_t trials) {
  return {.experiment = {.mechanisms = std::move(mechanisms),
                         .epsilons = {epsilon},
                         .deltas = {1e-6},
                         .trials = {.trials = trials, .seed = 5}}};
}

// A million devices of six pairs each, of 1,000 keys, of which the first 60 are held by a tenth.
TEST(ItemTrialsTest, SharedNoiseGivesAPopularKeyThePredictedDeviation) {
  constexpr int64_t kUsers = 1000000, kHeld = 6, kPopular = 60;
  Population population;
  std::vector<Holding> record(kHeld);
  for (int64_t user = 0; user < kUsers; ++user) {
    for (int64_t i = 0; i < kHeld; ++i) {
      record[i] = {.item = static_cast<uint32_t>((user * kHeld + i) % kPopular), .number = 0.4F};
    }
    population.Add(record);
  }
  const ItemData data(std::move(population), Cells(1000, 2, kHeld),
                      {.low = -1, .high = 1, .count = 2});
  ItemExperiment experiment = Of({"pure_dump"}, 0.5, 1);
  experiment.sent = kHeld;
  const std::vector<Row> rows = Planned(data, experiment);
  ASSERT_TRUE(rows.size() == 1 && rows[0].feasible) << rows[0].reason;
  const ItemCounting counting = {.mechanism = rows[0].mechanism};
  const ItemPrediction prediction = Predict(counting, data);
  EXPECT_EQ(data.truth()[0].held.frequency, 0.1);
  const double predicted = std::sqrt(prediction.squared_errors[0]);
  EXPECT_LT(predicted, 4.0e-5);

  // The error of a key is nearly normal, so that the mean of k squares has a relative deviation of
  // sqrt(2 / k): of 200 trials and 60 keys 1.3 %, and the root of it 0.65 %. 5 % are over 7 of
  // these: 1e-11. Means: 1.3 % in the mean square, of which 10 % are over 7, too.
  constexpr int kTrials = 200;
  Generator random(7);
  double squares = 0, mean_squares = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const ItemAnswer answer = RunItemTrial(counting, data, /*devices=*/false, random);
    for (int64_t key = 0; key < kPopular; ++key) {
      squares += std::pow(answer.shares[key] - 0.1, 2);
      mean_squares += std::pow(answer.means[key] - data.truth()[key].held.mean, 2);
    }
  }
  EXPECT_NEAR(std::sqrt(squares / (kTrials * kPopular)) / predicted, 1, 0.05);
  EXPECT_EQ(prediction.mean_keys.size(), static_cast<size_t>(kPopular));
  EXPECT_NEAR(mean_squares / (kTrials * kPopular) / prediction.mean_squared_error, 1, 0.1);
}

TEST(ItemTrialsTest, SimulatedErrorIsWhatWasPredictedForEveryMechanism) {
  const ItemData data = Pairs(20000, 100, 4);
  ItemExperiment experiment = Of(ComparedMechanisms(), 1, 1200);
  for (const int64_t sent : {4, 1}) {
    SCOPED_TRACE(sent);
    experiment.sent = sent;
    std::vector<Row> rows = Planned(data, experiment);
    ASSERT_TRUE(SimulateItemRows(data, experiment, rows).ok());
    int feasible = 0;
    for (const Row& row : rows) {
      if (!row.feasible) continue;
      SCOPED_TRACE(row.name);
      ++feasible;
      // Means of 1200 trials are nearly normal. The squared error of a share: 6 % are over 6 of its
      // standard errors, 2e-9.
      EXPECT_LT(row.errors.raw.standard_error, 0.01 * row.predicted);
      EXPECT_NEAR(row.errors.raw.value / row.predicted, 1, 0.06);
      EXPECT_LE(row.errors.pop.value, row.errors.raw.value);
      // That of a mean is also off by terms of second order, which are about 3 / 10^2 of it at
      // most where a share is 10 of its deviations.
      EXPECT_LT(row.mean_errors.standard_error, 0.011 * row.mean_predicted);
      EXPECT_NEAR(row.mean_errors.value / row.mean_predicted, 1, 0.1);
    }
    EXPECT_EQ(feasible, sent == 4 ? 5 : 3);  // aue, correlated, and all of two others; and laplace
  }
}

// Devices hold up to 6 things and say 3 of them.
TEST(ItemTrialsTest, WhatDevicesLeaveOutIsPredicted) {
  const Levels none{.low = -1, .high = 1, .count = 1};
  const ItemData data(
      *DrawPopulation({.source = "uniform", .users = 3000, .domain = 20, .seed = 3}, 6, none),
      Cells(20, 1, 3), none);
  std::vector<Row> rows = Planned(data, Of({"pure_dump", "grr"}, 1, 1000));
  ItemExperiment experiment = Of({}, 1, 1000);
  ASSERT_TRUE(SimulateItemRows(data, experiment, rows).ok());
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    ASSERT_TRUE(row.feasible) << row.reason;
    EXPECT_LT(row.errors.raw.standard_error, 0.008 * row.predicted);
    EXPECT_NEAR(row.errors.raw.value / row.predicted, 1, 0.05);  // over 6 standard errors: 2e-9
  }
}

TEST(ItemTrialsTest, DevicesAgreeWithDrawnCounts) {
  const ItemData data = Pairs(3000, 50, 4);
  for (const int64_t sent : {4, 2}) {
    SCOPED_TRACE(sent);
    ItemExperiment experiment = Of({"pure_dump", "grr"}, 1, 150);
    experiment.sent = sent;
    experiment.experiment.trials.devices = true;
    std::vector<Row> rows = Planned(data, experiment);
    ASSERT_TRUE(SimulateItemRows(data, experiment, rows).ok());
    for (const Row& row : rows) {
      SCOPED_TRACE(row.name);
      ASSERT_TRUE(row.feasible) << row.reason;
      // Over 6 of the standard errors: 2e-9.
      EXPECT_LT(row.errors.raw.standard_error, 0.033 * row.predicted);
      EXPECT_NEAR(row.errors.raw.value / row.predicted, 1, 0.2);
    }
  }
}

TEST(ItemTrialsTest, AllDevicesFillEveryPlace) {
  const ItemData data = Pairs(500, 20, 4);
  Generator random(1);
  std::vector<uint64_t> cells;
  std::vector<int64_t> pads(4);
  for (int64_t user = 0; user < data.users(); ++user) {
    data.Place(user, random, &cells);
    ASSERT_EQ(cells.size(), 4u);
    for (const uint64_t cell : cells) {
      if (cell >= data.cells().Pad(0)) ++pads[cell - data.cells().Pad(0)];
    }
  }
  const std::vector<int64_t> filled = data.DrawFilled(random);
  int64_t sum = 0;
  for (const int64_t count : filled) sum += count;
  EXPECT_EQ(sum, 4 * data.users());
  // Pads are filled without chance: nobody holds nothing, so the last one is empty.
  for (int64_t j = 0; j < 4; ++j) EXPECT_EQ(filled[data.cells().Pad(j)], pads[j]) << j;
  EXPECT_EQ(pads[3], 0);
}

TEST(ItemExperimentTest, SaysWhatIsForDevicesThatHoldOneThing) {
  const ItemData data = Pairs(20000, 20, 4);
  ItemExperiment experiment = Of({"local_hash", "aue"}, 1, 1);
  experiment.sent = 2;
  const std::vector<Row> rows = Planned(data, experiment);
  EXPECT_FALSE(rows[0].feasible);
  EXPECT_THAT(rows[0].reason, HasSubstr("for devices that fill one cell"));
  EXPECT_FALSE(rows[1].feasible);
  EXPECT_THAT(rows[1].reason, HasSubstr("sends all 4 cells"));
}

TEST(ItemExperimentTest, RefusesBadNumbers) {
  const ItemData data = Pairs(500, 20, 4);
  ItemExperiment experiment = Of({"aue"}, 1, 1);
  experiment.sent = 3;
  EXPECT_EQ(PlanItemRows(data, experiment).status().message(), "--sent must divide --max-items");
  experiment.sent = 4;
  experiment.frequency = 2;
  EXPECT_EQ(PlanItemRows(data, experiment).status().message(), "--frequency must be in [0, 1]");
}

TEST(PopulationTest, DrawsDistinctThingsEvenFromALawThatHasOneAlmostSurely) {
  const Levels none{.low = -1, .high = 1, .count = 1};
  const auto population =
      DrawPopulation({.source = "zipf:20", .users = 100, .domain = 8, .seed = 1}, 8, none);
  ASSERT_TRUE(population.ok()) << population.status();
  for (int64_t user = 0; user < 100; ++user) {
    std::vector<bool> seen(8);
    for (const Holding& holding : population->record(user)) {
      EXPECT_FALSE(seen[holding.item]);
      seen[holding.item] = true;
    }
  }
}

TEST(PopulationTest, RefusesMoreThanFits) {
  const Levels none{.low = -1, .high = 1, .count = 1};
  EXPECT_THAT(
      std::string(DrawPopulation({.source = "uniform", .users = 50000001, .domain = 8}, 2, none)
                      .status()
                      .message()),
      HasSubstr("--users times --max-items must be at most"));
}

}  // namespace
}  // namespace tombola::simulation
