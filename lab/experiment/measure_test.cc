#include "lab/experiment/measure.h"

#include <cmath>

#include "cli/simulation/distributions.h"
#include "gtest/gtest.h"
#include "lab/key_value/registry.h"

namespace tombola::lab {
namespace {

// Off by the same everywhere, or by one uniform draw a trial.
class Off final : public Method {
 public:
  Off(double frequency, double mean, bool draws = false)
      : frequency_(frequency), mean_(mean), draws_(draws) {}

  int64_t items() const override { return 1; }
  Estimates Run(Trial& trial, simulation::Generator& noise) const override {
    const double part = draws_ ? simulation::Uniform(noise) : 1;
    Estimates estimates;
    for (const KeyTruth& key : TruthOf(trial.population())) {
      estimates.frequencies.push_back(key.frequency + part * frequency_);
      if (mean_ != 0) estimates.means.push_back(key.mean + mean_);
    }
    return estimates;
  }
  std::optional<double> FrequencyVariance(const KeyShare&) const override { return 0.5; }
  std::optional<double> DifferenceVariance(const KeyShare&) const override { return std::nullopt; }

 private:
  double frequency_, mean_;
  bool draws_;
};

// 20 keys, of which the first 12 are held: key k by k + 1 of 24 devices, each of which holds no
// more than two.
Population Devices() {
  std::vector<std::vector<Pair>> records(24);
  for (int32_t key = 0; key < 12; ++key) {
    for (int32_t i = 0; i <= key; ++i) records[(key * 5 + i) % 24].push_back({key, 0});
  }
  Population population(20);
  for (const std::vector<Pair>& record : records) population.Add(record);
  return population;
}

Line LineOf(std::string name, std::unique_ptr<const Method> method) {
  Line line = {.name = std::move(name)};
  line.points.push_back({.method = std::move(method)});
  return line;
}

TEST(MeasureTest, AveragesOverKeys) {
  std::vector<Line> lines;
  lines.push_back(LineOf("pairs", std::make_unique<Off>(0.1, 0.2)));
  lines.push_back(LineOf("set", std::make_unique<Off>(-0.1, 0)));
  const Population population = Devices();
  const auto errors = Measure(population, lines, {.trials = 3, .seed = 1});
  const Errors& pairs = errors[0][0];
  EXPECT_NEAR(pairs.frequency.value, 0.01, 1e-12);
  EXPECT_NEAR(pairs.frequency.standard_error, 0, 1e-12);
  EXPECT_NEAR(pairs.mean.value, 0.04, 1e-12);
  EXPECT_NEAR(pairs.every_mean.value, 0.04, 1e-12);
  EXPECT_NEAR(pairs.top_frequency.value, 0.01, 1e-12);
  double relative = 0;
  for (int holders = 3; holders <= 12; ++holders) relative += 0.1 * 24 / holders / 10;
  EXPECT_NEAR(pairs.relative[0].value, relative, 1e-12);
  EXPECT_TRUE(std::isnan(pairs.relative[1].value));  // there are only 12 keys that anybody holds
  // Half from the method, and the squared bias of who has more than one pair.
  double bias = 0;
  for (const KeyShare& key : SharesOf(population, 1)) {
    bias += std::pow((key.kept - key.holders) / 24, 2) / 20;
  }
  EXPECT_GT(bias, 0);
  EXPECT_NEAR(pairs.predicted, 0.5 + bias, 1e-12);
  EXPECT_NEAR(Predictor(population).Bias(1), std::sqrt(bias), 1e-12);
  EXPECT_NEAR(errors[1][0].frequency.value, 0.01, 1e-12);
  EXPECT_TRUE(std::isnan(errors[1][0].mean.value));
}

TEST(MeasureTest, StatesTheErrorOfItsAverages) {
  std::vector<Line> lines;
  lines.push_back(LineOf("drawn", std::make_unique<Off>(1, 0, /*draws=*/true)));
  const auto errors = Measure(Devices(), lines, {.trials = 1000, .seed = 1});
  // The square of a uniform number: mean 1/3, variance 4/45. Six standard errors fail with
  // probability 2e-9; a standard error itself is within 10 %, as bounded numbers' are.
  const simulation::Mean& found = errors[0][0].frequency;
  EXPECT_NEAR(found.value, 1.0 / 3, 6 * std::sqrt(4.0 / 45 / 1000));
  EXPECT_NEAR(found.standard_error / std::sqrt(4.0 / 45 / 1000), 1, 0.1);
}

TEST(MeasureTest, DoesNotDependOnThreadsOrOnOtherLines) {
  const Population population = Devices();
  const auto run = [&](int threads, bool alone) {
    std::vector<Line> lines;
    for (const LocalEntry& entry : LocalMethods()) {
      if (alone && entry.name != "kvoh") continue;
      lines.push_back(
          LineOf(std::string(entry.name), entry.make({.keys = 20, .items = 2, .epsilon = 2})));
    }
    const auto errors = Measure(population, lines, {.trials = 7, .seed = 3, .threads = threads});
    for (size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].name == "kvoh") return errors[i][0].frequency.value;
    }
    return 0.0;
  };
  EXPECT_GT(run(1, false), 0);
  EXPECT_EQ(run(1, false), run(3, false));
  EXPECT_EQ(run(1, false), run(2, true));
}

}  // namespace
}  // namespace tombola::lab
