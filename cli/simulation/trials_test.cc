#include "cli/simulation/trials.h"

#include <cmath>
#include <limits>

#include "cli/simulation/experiment.h"
#include "common/plan/plan.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tombola::simulation {
namespace {

using ::testing::HasSubstr;

Data Zipf(int64_t users, int64_t domain) {
  return *MakeData({.source = "zipf:1.1", .users = users, .domain = domain, .seed = 3});
}

TEST(TrialsTest, SimulatedErrorIsWhatWasPredictedForEveryMechanism) {
  const Data data = Zipf(600000, 600);
  Experiment experiment = {.mechanisms = ComparedMechanisms(),
                           .epsilons = {0.5},
                           .deltas = {1e-6},
                           .trials = {.trials = 2000, .seed = 5}};
  absl::StatusOr<std::vector<Row>> rows = PlanRows(data, experiment);
  ASSERT_TRUE(rows.ok()) << rows.status();
  ASSERT_TRUE(SimulateRows(data, experiment, *rows).ok());
  EXPECT_EQ(rows->size(), 8u);
  for (const Row& row : *rows) {
    SCOPED_TRACE(row.name);
    ASSERT_TRUE(row.feasible) << row.reason;
    EXPECT_EQ(row.central, row.name == kLaplace);
    // A mean of 2000 trials is nearly normal, and 5 % are over 6 of its standard errors: 2e-9.
    EXPECT_LT(row.errors.raw.standard_error, 0.008 * row.predicted);
    EXPECT_NEAR(row.errors.raw.value / row.predicted, 1, 0.05);
    // The projection never increases the error, but for rounding.
    EXPECT_LE(row.errors.pop.value, (1 + 1e-9) * row.errors.raw.value);
  }
}

struct Target {
  int64_t users, domain;
  double epsilon, delta;
  double max_messages = std::numeric_limits<double>::infinity();
};

class RecommendationTest : public testing::TestWithParam<Target> {};

TEST_P(RecommendationTest, IsTheBestOfThoseSimulated) {
  const Target& target = GetParam();
  const auto candidates = mechanism::PlanAll({.honest = target.users,
                                              .submissions = target.users,
                                              .domain_size = target.domain,
                                              .epsilon = target.epsilon,
                                              .delta = target.delta,
                                              .max_messages = target.max_messages});
  ASSERT_TRUE(candidates.ok()) << candidates.status();
  const mechanism::Candidate* const recommended =
      mechanism::Recommended(*candidates, mechanism::Left::kAnything);
  ASSERT_NE(recommended, nullptr);
  const Data data = Zipf(target.users, target.domain);
  // About the same work for every domain; the more values the less an average over them varies.
  const int64_t trials = std::max<int64_t>(200, 800000 / target.domain);
  double best = std::numeric_limits<double>::infinity(), chosen = best;
  for (const mechanism::Candidate& candidate : *candidates) {
    if (!candidate.feasible || candidate.central) continue;
    const absl::StatusOr<Errors> errors =
        RunTrials(candidate.mechanism, data, {.trials = trials, .seed = 6});
    ASSERT_TRUE(errors.ok()) << errors.status();
    // The planner takes errors within half a percent for alike. Two means that truly differ by no
    // more are over 5 % apart with probability below 1e-9 if each standard error is below 0.5 %:
    // 4.5 % are over 6 of the difference's.
    EXPECT_LT(errors->raw.standard_error, 0.005 * errors->raw.value) << candidate.name;
    best = std::min(best, errors->raw.value);
    if (&candidate == recommended) chosen = errors->raw.value;
  }
  EXPECT_LE(chosen, 1.05 * best) << recommended->name;
}

constexpr Target kTargets[] = {
    {.users = 10000, .domain = 64, .epsilon = 1, .delta = 1e-6},
    {.users = 10000, .domain = 64, .epsilon = 0.2, .delta = 1e-6, .max_messages = 1},
    {.users = 600000, .domain = 600, .epsilon = 0.5, .delta = 1e-6, .max_messages = 1.5},
    {.users = 600000, .domain = 600, .epsilon = 0.5, .delta = 1e-9, .max_messages = 1},
    {.users = 600000, .domain = 600, .epsilon = 0.1, .delta = 1e-6},
    {.users = 3000, .domain = 4096, .epsilon = 1, .delta = 1e-6, .max_messages = 1},
};
INSTANTIATE_TEST_SUITE_P(Grid, RecommendationTest, testing::ValuesIn(kTargets));

TEST(TrialsTest, DoNotDependOnTheNumberOfThreads) {
  const Data data = Zipf(5000, 50);
  const auto grr = mechanism::PlanOne(
      "grr", {.honest = 5000, .submissions = 5000, .domain_size = 50, .epsilon = 1, .delta = 1e-6});
  ASSERT_TRUE(grr.ok()) << grr.status();
  for (const bool devices : {false, true}) {
    const auto one = RunTrials(*grr, data, {.trials = 9, .seed = 7, .devices = devices});
    const auto two =
        RunTrials(*grr, data, {.trials = 9, .seed = 7, .devices = devices, .threads = 2});
    const auto other = RunTrials(*grr, data, {.trials = 9, .seed = 8, .devices = devices});
    ASSERT_TRUE(one.ok() && two.ok() && other.ok());
    EXPECT_EQ(one->raw.value, two->raw.value);
    EXPECT_EQ(one->pop.standard_error, two->pop.standard_error);
    EXPECT_NE(one->raw.value, other->raw.value);
  }
}

TEST(TrialsTest, OneTrialHasNoStandardError) {
  const auto errors = RunLaplaceTrials(1, Zipf(1000, 10), {.trials = 1, .seed = 1});
  ASSERT_TRUE(errors.ok()) << errors.status();
  EXPECT_TRUE(std::isnan(errors->raw.standard_error));
  EXPECT_GT(errors->raw.value, 0);
}

TEST(TrialsTest, RefusesNoTrials) {
  EXPECT_THAT(std::string(RunLaplaceTrials(1, Zipf(1000, 10), {}).status().message()),
              HasSubstr("trials must be from 1"));
}

TEST(ExperimentTest, ARowDoesNotDependOnTheOthers) {
  const Data data = Zipf(5000, 50);
  Experiment all = {.mechanisms = {"grr", "laplace"},
                    .epsilons = {0.5, 1},
                    .deltas = {1e-6},
                    .trials = {.trials = 3, .seed = 9, .threads = 2}};
  Experiment one = all;
  one.mechanisms = {"grr"};
  one.epsilons = {1};
  auto many = PlanRows(data, all), few = PlanRows(data, one);
  ASSERT_TRUE(many.ok() && few.ok());
  ASSERT_TRUE(SimulateRows(data, all, *many).ok());
  ASSERT_TRUE(SimulateRows(data, one, *few).ok());
  ASSERT_EQ(many->size(), 4u);
  EXPECT_EQ(many->at(2).name, "grr");
  EXPECT_EQ(many->at(2).errors.raw.value, few->at(0).errors.raw.value);
  EXPECT_NE(many->at(0).errors.raw.value, few->at(0).errors.raw.value);
}

TEST(ExperimentTest, WhatIsNotFeasibleIsARowThatSaysWhy) {
  const Data data = Zipf(100, 50);
  Experiment experiment = {.mechanisms = {"correlated"},
                           .epsilons = {0.5},
                           .deltas = {1e-6},
                           .method = mechanism::Method::kPublished,
                           .trials = {.trials = 1, .seed = 9}};
  auto rows = PlanRows(data, experiment);
  ASSERT_TRUE(rows.ok()) << rows.status();
  ASSERT_TRUE(SimulateRows(data, experiment, *rows).ok());
  EXPECT_FALSE(rows->at(0).feasible);
  EXPECT_FALSE(rows->at(0).reason.empty());
}

TEST(ExperimentTest, RefusesBadTargets) {
  const Data data = Zipf(100, 50);
  const auto refusal = [&](const Experiment& experiment) {
    return std::string(PlanRows(data, experiment).status().message());
  };
  EXPECT_THAT(refusal({.mechanisms = {"warner"}, .epsilons = {1}, .deltas = {1e-6}}),
              HasSubstr("warner is not one of local_hash, grr"));
  EXPECT_EQ(refusal({.mechanisms = {"laplace"}, .epsilons = {0}, .deltas = {1e-6}}),
            "--epsilon must be above 0");
  EXPECT_EQ(refusal({.mechanisms = {"laplace"}, .epsilons = {1}, .deltas = {1}}),
            "--delta must be in (0, 1)");
}

}  // namespace
}  // namespace tombola::simulation
