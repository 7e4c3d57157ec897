#include "cli/simulate/output.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "common/disk/whole_file.h"
#include "common/plan/plan.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/scratch_directory.h"

namespace tombola::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kReason[] = "the closed form, \"K\", needs more users";

SimulationSetup Common() {
  return {.data = "zipf:1.1", .users = 3000, .domain = 20, .method = "tight", .trials = 5};
}

// grr at two epsilons, local_hash at one, laplace after one trial, and one that is not feasible.
std::vector<simulation::Row> Rows() {
  std::vector<simulation::Row> rows;
  const auto add = [&](const std::string& name, double epsilon, double raw) {
    simulation::Row row = {.name = name, .epsilon = epsilon, .delta = 1e-6};
    row.feasible = true;
    row.central = name == "laplace";
    row.predicted = 2 * raw;
    row.errors = {.raw = {raw, raw / 50}, .pop = {raw / 2, raw / 100}};
    if (!row.central) {
      row.mechanism = *mechanism::PlanOne(
          name,
          {.honest = 3000, .submissions = 3000, .domain_size = 20, .epsilon = 1, .delta = 1e-6});
    }
    rows.push_back(row);
  };
  add("grr", 1, 1e-6);
  add("grr", 0.5, 4e-6);
  add("local_hash", 1, 2e-6);
  add("laplace", 1, 1e-7);
  rows.back().errors.raw.standard_error = NAN;
  rows.push_back({.name = "aue", .epsilon = 1, .delta = 1e-6, .reason = kReason});
  return rows;
}

TEST(SimulateOutputTest, JsonHasTheContractsMembers) {
  const Json json = SimulationJson(Common(), Rows());
  EXPECT_EQ(json["users"], 3000);
  ASSERT_EQ(json["rows"].size(), 5u);
  const Json& grr = json["rows"][0];
  EXPECT_EQ(grr["mechanism"], "grr");
  EXPECT_EQ(grr["epsilon"], 1.0);
  EXPECT_EQ(grr["delta"], 1e-6);
  EXPECT_EQ(grr["method"], "tight");
  EXPECT_EQ(grr["mse_raw"], 1e-6);
  EXPECT_EQ(grr["mse_pop"], 5e-7);
  EXPECT_EQ(grr["mse_predicted"], 2e-6);
  EXPECT_EQ(grr["trials"], 5);
  EXPECT_EQ(grr["messages_per_user"], 1.0);
  EXPECT_EQ(grr["central"], false);
  EXPECT_GT(grr["parameters"]["local_epsilon"], 1.0);
  const Json& laplace = json["rows"][3];
  EXPECT_EQ(laplace["central"], true);
  EXPECT_TRUE(laplace["mse_raw_stderr"].is_null());
  EXPECT_TRUE(laplace["messages_per_user"].is_null());
}

TEST(SimulateOutputTest, WhatIsNotFeasibleHasNoErrors) {
  const Json aue = SimulationJson(Common(), Rows())["rows"][4];
  EXPECT_EQ(aue["feasible"], false);
  EXPECT_EQ(aue["reason"], kReason);
  for (const char* member : {"mse_raw", "mse_pop", "mse_predicted", "mse_raw_stderr"}) {
    EXPECT_TRUE(aue[member].is_null()) << member;
  }
  EXPECT_EQ(aue["trials"], 0);
  EXPECT_THAT(SimulationTable(Common(), Rows()), HasSubstr("not feasible: the closed form"));
  EXPECT_THAT(SimulationCsv(Common(), Rows()),
              HasSubstr("aue,1,1e-06,tight,false,false,,,,,,0,,"
                        "\"the closed form, \"\"K\"\", needs more users\"\n"));
}

TEST(SimulateOutputTest, ChartsAddPostProcessedLocalHashToTheRawErrors) {
  const std::vector<ChartFile> charts = SimulationCharts(Common(), Rows());
  ASSERT_EQ(charts.size(), 2u);
  EXPECT_EQ(charts[0].name, "mse-raw-delta-1e-06.svg");
  EXPECT_THAT(charts[0].svg, HasSubstr("local_hash (HP-SM)"));
  EXPECT_THAT(charts[0].svg, HasSubstr("local_hash + POP (HP-SDP)"));
  EXPECT_THAT(charts[0].svg, HasSubstr("zipf:1.1, delta 1e-06, tight accounting"));
  // Epsilons ascend though the rows did not: 0.5 with the larger error comes first, at x = 84.
  EXPECT_THAT(charts[0].svg, HasSubstr("class=\"line s2\" d=\"M84.0"));
  EXPECT_EQ(charts[1].name, "mse-pop-delta-1e-06.svg");
  EXPECT_THAT(charts[1].svg, Not(HasSubstr("HP-SM")));
  EXPECT_THAT(charts[1].svg, Not(HasSubstr("aue")));
}

TEST(SimulateOutputTest, WritesFiles) {
  const ScratchDirectory directory;
  const std::string out = directory.path() + "/deep/out";
  ASSERT_TRUE(WriteSimulation(out, Common(), Rows()).ok());
  EXPECT_EQ(*ReadSmallFile(out + "/simulation.csv"), SimulationCsv(Common(), Rows()));
  EXPECT_THAT(*ReadSmallFile(out + "/mse-pop-delta-1e-06.svg"), HasSubstr("</svg>"));
}

}  // namespace
}  // namespace tombola::cli
