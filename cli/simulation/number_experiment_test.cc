#include "cli/simulation/number_experiment.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tombola::simulation {
namespace {

Data NormalData(int64_t users, int64_t bins, uint64_t seed = 1) {
  return MakeData({.source = "normal", .users = users, .domain = bins, .seed = seed}).value();
}

std::vector<Row> Simulated(const Data& data, const NumberExperiment& experiment) {
  auto rows = PlanNumberRows(data, experiment);
  EXPECT_TRUE(rows.ok()) << rows.status();
  const absl::Status status = SimulateNumberRows(data, experiment, *rows);
  EXPECT_TRUE(status.ok()) << status;
  return *std::move(rows);
}

TEST(RangeErrorTest, IsTheAverageOverAllRanges) {
  const std::vector<double> truth = {0.4, 0.1, 0.3, 0.2}, shares = {0.35, 0.2, 0.3, 0.25};
  double sum = 0;
  for (size_t begin = 0; begin < truth.size(); ++begin) {
    double off = 0;
    for (size_t end = begin; end < truth.size(); ++end) {
      off += shares[end] - truth[end];
      sum += off * off;
    }
  }
  EXPECT_NEAR(RangeError(shares, truth), sum / 10, 1e-15);
}

TEST(QuantileBinTest, IsTheFirstBinThatReachesTheFraction) {
  const std::vector<double> shares = {0.2, 0.5, -0.1, 0.4};
  EXPECT_EQ(QuantileBin(shares, 0), 0);
  EXPECT_EQ(QuantileBin(shares, 0.3), 1);
  EXPECT_EQ(QuantileBin(shares, 0.65), 1);
  EXPECT_EQ(QuantileBin(shares, 0.8), 3);
  EXPECT_EQ(QuantileBin(shares, 1.5), 3);
}

// How many devices are between a decile or quartile and the nearest edge of a bin.
double LeastDistance(const Data& data) {
  double least = static_cast<double>(data.users);
  for (const double fraction : {0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9}) {
    double below = 0;
    for (const int64_t count : data.counts) {
      below += static_cast<double>(count);
      least = std::min(least, std::abs(below - fraction * static_cast<double>(data.users)));
    }
  }
  return least;
}

// A million devices, 125 bins, epsilon 1: the number of devices below an edge is off by about 15,
// and a quantile is in another bin only if that is more than there are up to the edge. Of this data
// none is nearer than 60.
TEST(NumberExperimentTest, QuantilesAreExactToTheBinInNearlyEveryBatch) {
  NumberExperiment experiment;
  experiment.experiment = {.mechanisms = {"pure_dump", "correlated"},
                           .epsilons = {1},
                           .deltas = {1e-6},
                           .trials = {.trials = 400, .seed = 1, .threads = 2}};
  const Data data = NormalData(1000000, 125, /*seed=*/3);
  ASSERT_GE(LeastDistance(data), 60);
  for (const Row& row : Simulated(data, experiment)) {
    ASSERT_TRUE(row.feasible) << row.name << ": " << row.reason;
    EXPECT_GE(row.quantiles_exact.value, 0.99) << row.name;
  }
}

// The mean of T = 200 trials is within 6 of its standard errors of the prediction, but for a
// probability of 2e-9 a row; that of randomised responses holds for even data, and is within a few
// percent for others.
TEST(NumberExperimentTest, MeasuresWhatIsPredicted) {
  const Data data = NormalData(20000, 60);
  for (const std::optional<int64_t> branching :
       {std::optional<int64_t>(0), std::optional<int64_t>(4)}) {
    NumberExperiment experiment{.branching = branching};
    experiment.experiment = {.mechanisms = {"pure_dump", "aue", "correlated", "grr", "laplace"},
                             .epsilons = {1},
                             .deltas = {1e-6},
                             .trials = {.trials = 200, .seed = 2, .threads = 2}};
    for (const Row& row : Simulated(data, experiment)) {
      if (!row.feasible || (row.name == "grr" && *branching != 0)) continue;
      const Mean& raw = row.errors.raw;
      const double model = row.name == "grr" ? 0.1 * row.predicted : 0;
      EXPECT_NEAR(raw.value, row.predicted, 6 * raw.standard_error + model)
          << row.name << " with branching " << *branching;
    }
  }
}

// Drawn counts and devices have one law: their mean errors over 40 trials agree within 6 standard
// errors of their difference, but for a probability of 2e-9.
TEST(NumberExperimentTest, DevicesAgreeWithDrawnCounts) {
  const Data data = NormalData(2000, 30);
  NumberExperiment experiment{.branching = 5};
  experiment.experiment = {.mechanisms = {"pure_dump"},
                           .epsilons = {2},
                           .deltas = {1e-5},
                           .trials = {.trials = 40, .seed = 3, .threads = 2}};
  const Mean drawn = Simulated(data, experiment).front().errors.raw;
  experiment.experiment.trials.devices = true;
  const Mean real = Simulated(data, experiment).front().errors.raw;
  EXPECT_NEAR(drawn.value, real.value, 6 * std::hypot(drawn.standard_error, real.standard_error));
}

}  // namespace
}  // namespace tombola::simulation
