#include "cli/simulation/record_trials.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/simulation/record_experiment.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tombola::simulation {
namespace {

using ::testing::HasSubstr;

v1::Attribute NumberAttribute(const char* name, double low, double high, uint64_t bins) {
  v1::Attribute attribute;
  attribute.set_name(name);
  attribute.add_edges(low);
  attribute.add_edges(high);
  attribute.set_bins(bins);
  return attribute;
}

// Ages in a tree with an amount, kinds by ages, and all amounts.
v1::Records Purchases(uint32_t max_records, uint32_t max_alike) {
  v1::Records records;
  *records.add_attributes() = NumberAttribute("age", 16, 80, 32);
  v1::Attribute* const kind = records.add_attributes();
  kind->set_name("kind");
  for (const char* const label : {"food", "books", "toys"}) kind->add_labels(label);
  v1::Measure* const amount = records.add_measures();
  amount->set_name("amount");
  amount->mutable_levels()->set_low(0);
  amount->mutable_levels()->set_high(10);
  amount->mutable_levels()->set_count(3);
  records.set_max_records(max_records);
  records.set_max_alike(max_alike);
  v1::View* const ages = records.add_views();
  ages->add_attributes(0);
  ages->add_joined(1);
  ages->set_branching(max_alike == max_records ? 6 : 0);
  ages->set_measure(0);
  v1::View* const both = records.add_views();
  both->add_attributes(0);
  both->add_attributes(1);
  both->add_joined(8);
  both->add_joined(1);
  both->set_branching(0);
  both->set_measure(0);
  v1::View* const all = records.add_views();
  all->set_branching(0);
  all->set_measure(0);
  return records;
}

// Devices with none to `most` records, by a law.
std::shared_ptr<const RecordPopulation> PopulationOf(const v1::Records& asked, int64_t users,
                                                     uint32_t most) {
  v1::Records drawn = asked;
  drawn.set_max_records(most);
  drawn.set_max_alike(most);
  const RecordSchema schema = RecordSchema::Read(drawn).value();
  return std::make_shared<const RecordPopulation>(
      DrawRecords({.source = "zipf:0.7", .users = users, .seed = 3}, schema).value());
}

Experiment ExperimentOf(std::vector<std::string> mechanisms, double epsilon, int64_t trials) {
  return {.mechanisms = std::move(mechanisms),
          .epsilons = {epsilon},
          .deltas = {1e-6},
          .trials = {.trials = trials, .seed = 5, .threads = 2}};
}

std::vector<Row> SimulatedRecords(const std::shared_ptr<const RecordPopulation>& population,
                                  const v1::Records& asked, const Experiment& experiment) {
  auto rows = PlanRecordRows(population, asked, experiment);
  EXPECT_TRUE(rows.ok()) << rows.status();
  const absl::Status status = SimulateRecordRows(experiment, *rows);
  EXPECT_TRUE(status.ok()) << status;
  return *std::move(rows);
}

std::string NameOf(const Row& row, const RecordError& error) {
  const RecordCells& cells = row.record_data->cells();
  return absl::StrCat(row.name, ", ", cells.views[error.view].Describe(cells.schema), ", of ",
                      static_cast<int>(error.of), ", what ", static_cast<int>(error.what));
}

// A mean over T trials is within 6 of its standard errors of its expectation but for a probability
// of about 2e-9; of the squared error of one number, which is that of a chi-square variable, over T
// = 400 trials 1e-7, as its standard error is off by 10 %. There are at most 3 rows of 14 errors:
// 5e-6. Averages are ratios whose divisors are 10 or more standard deviations from 0: their
// variance is larger than predicted by less than 3 / 10^2 of itself, and they are allowed 5 % more.
void ExpectPredicted(const Row& row) {
  ASSERT_TRUE(row.feasible) << row.name << ": " << row.reason;
  EXPECT_NEAR(row.errors.raw.value, row.predicted, 6 * row.errors.raw.standard_error) << row.name;
  EXPECT_TRUE(std::isnan(row.errors.pop.value));
  for (const RecordError& error : row.records->errors) {
    const double model = error.what == RecordError::What::kAverage ? 0.05 * error.predicted : 0;
    EXPECT_NEAR(error.measured.value, error.predicted, 6 * error.measured.standard_error + model)
        << NameOf(row, error);
  }
}

bool Has(const Row& row, size_t view, RecordError::Of of, RecordError::What what) {
  return std::any_of(
      row.records->errors.begin(), row.records->errors.end(), [&](const RecordError& error) {
        return error.view == view && error.of == of && error.what == what && error.answers > 0;
      });
}

TEST(RecordTrialsTest, MeasuresWhatIsPredictedOfCountsSumsAndAverages) {
  const v1::Records asked = Purchases(3, 3);
  const auto population = PopulationOf(asked, 20000, 3);
  for (const Row& row :
       SimulatedRecords(population, asked, ExperimentOf({"pure_dump", "aue", "laplace"}, 2, 400))) {
    ExpectPredicted(row);
    using Of = RecordError::Of;
    using What = RecordError::What;
    EXPECT_TRUE(Has(row, 0, Of::kRanges, What::kCount));
    EXPECT_TRUE(Has(row, 0, Of::kCells, What::kSum));
    EXPECT_FALSE(Has(row, 1, Of::kRanges, What::kCount));
    EXPECT_TRUE(Has(row, 1, Of::kCells, What::kAverage));
    EXPECT_FALSE(Has(row, 2, Of::kCells, What::kCount));
    EXPECT_TRUE(Has(row, 2, Of::kAll, What::kAverage));
  }
}

// Two thirds of the devices have more records than they can say. What they leave out is most of the
// error of a count, and the choice is some of that of an average.
TEST(RecordTrialsTest, ChoosingAmongTooManyRecordsIsPredicted) {
  const v1::Records asked = Purchases(2, 2);
  const auto population = PopulationOf(asked, 5000, 6);
  const auto rows = SimulatedRecords(population, asked, ExperimentOf({"pure_dump"}, 8, 400));
  ASSERT_EQ(rows.size(), 1u);
  ExpectPredicted(rows[0]);
}

// Correlated noise is for devices that fill no cell twice. A count is then of what is let through.
TEST(RecordTrialsTest, WhatMaxAlikeLetsThroughIsCounted) {
  const v1::Records asked = Purchases(3, 1);
  const auto population = PopulationOf(asked, 5000, 5);
  for (const Row& row :
       SimulatedRecords(population, asked, ExperimentOf({"pure_dump", "correlated"}, 4, 400))) {
    ExpectPredicted(row);
    for (const RecordError& error : row.records->errors) {
      EXPECT_EQ(error.of, RecordError::Of::kCells);
    }
  }
}

// The counts of drawn cells and of devices have one law: of each of some 200 cells the means over
// 300 batches are within 6 standard errors of their difference, but for 200 * 2e-9.
TEST(RecordTrialsTest, DevicesFillWhatIsDrawn) {
  const v1::Records asked = Purchases(2, 2);
  const auto population = PopulationOf(asked, 300, 4);
  const RecordData data(population, RecordCells::Read(asked).value());
  constexpr int kTrials = 300;
  const auto cells = static_cast<size_t>(data.cells().cells);
  std::vector<double> drawn(cells), placed(cells), squares(cells);
  Generator random(11);
  for (int trial = 0; trial < kTrials; ++trial) {
    const std::vector<int64_t> filled = data.DrawFilled(random);
    std::vector<int64_t> by_devices(cells);
    for (int64_t user = 0; user < data.users(); ++user) {
      for (const mechanism::Cell& cell : data.Place(user, random)) ++by_devices[cell.index];
    }
    for (size_t cell = 0; cell < cells; ++cell) {
      drawn[cell] += static_cast<double>(filled[cell]) / kTrials;
      placed[cell] += static_cast<double>(by_devices[cell]) / kTrials;
      squares[cell] += std::pow(static_cast<double>(by_devices[cell]), 2) / kTrials;
    }
  }
  for (size_t cell = 0; cell < cells; ++cell) {
    // Of one draw, and at least that of a number that hardly ever is not 0.
    const double variance = std::max(squares[cell] - placed[cell] * placed[cell], 1.0);
    EXPECT_NEAR(drawn[cell], placed[cell], 6 * std::sqrt(2 * variance / kTrials)) << cell;
  }
}

// As RecordTrialsTest's others, between the two ways to draw a batch.
TEST(RecordTrialsTest, TheRealPathHasTheSameErrors) {
  const v1::Records asked = Purchases(2, 2);
  const auto population = PopulationOf(asked, 500, 3);
  Experiment experiment = ExperimentOf({"pure_dump"}, 8, 150);
  const Mean drawn = SimulatedRecords(population, asked, experiment)[0].errors.raw;
  experiment.trials.devices = true;
  const Mean real = SimulatedRecords(population, asked, experiment)[0].errors.raw;
  EXPECT_NEAR(drawn.value, real.value, 6 * std::hypot(drawn.standard_error, real.standard_error));
}

TEST(RecordTrialsTest, WhatDoesNotCountRecordsSaysSo) {
  const v1::Records asked = Purchases(2, 2);
  const auto rows = SimulatedRecords(PopulationOf(asked, 1000, 2), asked,
                                     ExperimentOf({"grr", "local_hash"}, 2, 1));
  ASSERT_EQ(rows.size(), 2u);
  for (const Row& row : rows) {
    EXPECT_FALSE(row.feasible) << row.name;
    EXPECT_THAT(row.reason, HasSubstr(row.name));
  }
}

// Seeds draw the same, and a record has as many fields as the schema says.
TEST(DrawRecordsTest, MakesUpNoneToMaxRecordsOfEachDevice) {
  const v1::Records asked = Purchases(3, 3);
  const auto population = PopulationOf(asked, 2000, 3);
  ASSERT_EQ(population->users(), 2000);
  std::vector<int> sizes(4);
  for (int64_t user = 0; user < population->users(); ++user) {
    const auto rows = population->RowsOf(user);
    ASSERT_LE(rows.size(), 3u);
    ++sizes[rows.size()];
    for (const client::PlacedRow& row : rows) {
      ASSERT_EQ(row.places.size(), 2u);
      ASSERT_TRUE(row.places[0] >= 0 && row.places[0] < 32 && row.places[1] >= 0 &&
                  row.places[1] < 3);
      ASSERT_TRUE(row.numbers[0] >= 0 && row.numbers[0] <= 10);
    }
  }
  // Each with a standard deviation of 20: 7 of them, 1e-11.
  for (const int size : sizes) EXPECT_NEAR(size, 500, 140);
  EXPECT_THAT(std::string(DrawRecords({.source = "zipf:0.7", .users = int64_t{1} << 30},
                                      RecordSchema::Read(asked).value())
                              .status()
                              .message()),
              HasSubstr("--users"));
}

}  // namespace
}  // namespace tombola::simulation
