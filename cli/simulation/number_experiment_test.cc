#include "cli/simulation/number_experiment.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "cli/simulation/data.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tombola::simulation {
namespace {

NumberData NormalData(int64_t users, int64_t bins, uint64_t seed = 1) {
  const DataRequest request{.source = "normal", .users = users, .domain = bins, .seed = seed};
  return {.counts = MakeData(request).value().counts};
}

// With a fifth of all devices without a number.
NumberData WithMissing(NumberData data) {
  data.missing = true;
  data.none = data.users() / 4;
  return data;
}

// The middles of the bins as points, below the middle of the range.
NumberData PointsOf(NumberData data) {
  for (int64_t bin = 0; bin < data.bins(); ++bin) {
    data.points.push_back(0.6 * (static_cast<double>(bin) + 0.5) /
                          static_cast<double>(data.bins()));
  }
  return data;
}

std::vector<Row> Simulated(const NumberData& data, const NumberExperiment& experiment) {
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
double LeastDistance(const NumberData& data) {
  double least = static_cast<double>(data.users());
  for (const double fraction : {0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9}) {
    double below = 0;
    for (const int64_t count : data.counts) {
      below += static_cast<double>(count);
      least = std::min(least, std::abs(below - fraction * static_cast<double>(data.users())));
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
  const NumberData data = NormalData(1000000, 125, /*seed=*/3);
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
  const NumberData data = NormalData(20000, 60);
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

// As above, of the shares of all devices that have a number in a range. Randomised responses are
// predicted for devices that are spread evenly over bins and none, which these are not.
TEST(NumberExperimentTest, MeasuresWhatIsPredictedWhereNumbersMayBeMissing) {
  const NumberData data = WithMissing(NormalData(20000, 60));
  NumberExperiment experiment{.branching = 4};
  experiment.experiment = {.mechanisms = {"pure_dump", "correlated"},
                           .epsilons = {1},
                           .deltas = {1e-6},
                           .trials = {.trials = 200, .seed = 4, .threads = 2}};
  for (const Row& row : Simulated(data, experiment)) {
    ASSERT_TRUE(row.feasible) << row.name << ": " << row.reason;
    const Mean& raw = row.errors.raw;
    EXPECT_NEAR(raw.value, row.predicted, 6 * raw.standard_error) << row.name;
    // Projection moves a range by no more than what all bins are off by, and mostly by far less.
    EXPECT_LE(row.errors.pop.value, 1.5 * raw.value) << row.name;
    EXPECT_GE(row.errors.pop.value, 0.1 * raw.value) << row.name;
  }
}

// The squared error of a mean is that of a nearly normal number: over 1000 trials its own mean has
// a relative deviation of sqrt(2 / 1000) = 4.5 %, which the standard error says. 6 of them: 2e-9
// for each of 18 rows. The prediction is that of a ratio whose divisor is off by less than 2 % of
// itself, and so its variance by less than 1e-3.
TEST(NumberExperimentTest, MeansAreOffByWhatIsPredicted) {
  for (const bool missing : {false, true}) {
    for (const int64_t levels : {int64_t{0}, int64_t{3}}) {
      const NumberData bins = NormalData(20000, 60);
      const NumberData data = PointsOf(missing ? WithMissing(bins) : bins);
      NumberExperiment experiment{.mean_only = true, .levels = levels};
      experiment.experiment = {
          .mechanisms = {"pure_dump", "aue", "correlated", "grr", "mix_dump", "laplace"},
          .epsilons = {1},
          .deltas = {1e-6},
          .trials = {.trials = 1000, .seed = 5, .threads = 2}};
      int feasible = 0;
      for (const Row& row : Simulated(data, experiment)) {
        if (!row.feasible) continue;
        ++feasible;
        const Mean& raw = row.errors.raw;
        EXPECT_NEAR(raw.value, row.predicted, 6 * raw.standard_error)
            << row.name << " with " << *row.levels << " levels, missing " << missing;
        EXPECT_EQ(levels == 0 || row.levels == levels, true) << row.name;
        EXPECT_TRUE(std::isnan(row.errors.pop.value));
      }
      EXPECT_GE(feasible, 4);
    }
  }
}

// As the next test, of means.
TEST(NumberExperimentTest, DevicesAgreeWithDrawnCountsOfMeans) {
  const NumberData data = PointsOf(WithMissing(NormalData(2000, 30)));
  NumberExperiment experiment{.mean_only = true, .levels = 3};
  experiment.experiment = {.mechanisms = {"pure_dump"},
                           .epsilons = {2},
                           .deltas = {1e-5},
                           .trials = {.trials = 200, .seed = 6, .threads = 2}};
  const Mean drawn = Simulated(data, experiment).front().errors.raw;
  experiment.experiment.trials.devices = true;
  const Mean real = Simulated(data, experiment).front().errors.raw;
  EXPECT_NEAR(drawn.value, real.value, 6 * std::hypot(drawn.standard_error, real.standard_error));
}

// Drawn counts and devices have one law: their mean errors over 40 trials agree within 6 standard
// errors of their difference, but for a probability of 2e-9.
TEST(NumberExperimentTest, DevicesAgreeWithDrawnCounts) {
  const NumberData data = NormalData(2000, 30);
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
