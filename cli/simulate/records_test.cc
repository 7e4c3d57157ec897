#include "cli/simulate/records.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/simulate/output.h"
#include "cli/simulation/record_experiment.h"
#include "common/disk/whole_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/scratch_directory.h"

namespace tombola::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A schema with a table of products, and a file of devices.
class MakeRecordsTest : public testing::Test {
 protected:
  MakeRecordsTest() {
    Write("products.csv", "product,price,kind\n1,2.5,food\n2,12,books\n");
    Write("schema.json", R"({
      "attributes": [{"name": "age", "low": 16, "high": 80, "bins": 4},
                     {"name": "price", "low": 0, "high": 40, "bins": 8},
                     {"name": "kind", "labels": ["food", "books"]}],
      "measures": [{"name": "amount", "low": 0, "high": 10}],
      "max_records": 2,
      "questions": [["age"], {"attributes": ["price", "kind"], "measure": "amount"}],
      "joins": [{"table": "products.csv", "key": "product"}]})");
  }

  std::string In(const std::string& name) const { return directory_.path() + "/" + name; }
  void Write(const std::string& name, const std::string& content) const {
    std::ofstream(In(name)) << content;
  }
  absl::StatusOr<SimulatedRecords> Read(const std::string& lines,
                                        std::optional<int64_t> users = std::nullopt) const {
    Write("lines.json", lines);
    return MakeRecords({.source = "file:" + In("lines.json"), .users = users}, In("schema.json"));
  }
  std::string Refusal(const std::string& lines, std::optional<int64_t> users = std::nullopt) const {
    return std::string(Read(lines, users).status().message());
  }

 private:
  const ScratchDirectory directory_;
};

constexpr char kTwo[] =
    R"({"profile": {"age": 31}, "rows": [{"product": 2, "amount": 1.5}, {"product": 9, "amount": 2}]})";

TEST_F(MakeRecordsTest, JoinsRowsAsReportDoes) {
  const auto records = Read(std::string(kTwo) + "\n\n[]\n" + kTwo + "\n");
  ASSERT_TRUE(records.ok()) << records.status();
  EXPECT_EQ(records->max_records, 2);
  ASSERT_EQ(records->population->users(), 3);
  // Product 9 is in no table.
  ASSERT_EQ(records->population->rows(), 2);
  const auto rows = records->population->RowsOf(2);
  EXPECT_EQ(rows[0].places, (std::vector<int64_t>{0, 2, 1}));
  EXPECT_EQ(rows[0].numbers, std::vector<double>{1.5});
  EXPECT_EQ(Read(std::string(kTwo) + "\n[]\n", 1)->population->users(), 1);
}

TEST_F(MakeRecordsTest, NamesTheLineThatIsWrong) {
  EXPECT_THAT(Refusal("[]\n{\"product\": 1}\n"), AllOf(HasSubstr("line 2"), HasSubstr("age")));
  EXPECT_THAT(Refusal("[]\n\nnonsense\n"), HasSubstr("line 3"));
  for (const char* const wrong :
       {R"({"profile": {"age": 31}, "row": []})", R"({"profile": {"age": 31}})",
        R"({"rows": [{"product": 2, "amount": 1.5}]})", R"({"profile": 31, "rows": []})",
        R"({"profile": {"age": [31]}, "rows": []})", R"({"profile": {"age": 31}, "rows": [[]]})"}) {
    EXPECT_THAT(Refusal(wrong), HasSubstr("\"profile\": {...}, \"rows\": [...]")) << wrong;
  }
  EXPECT_THAT(Refusal(R"({"profile": {"age": 31, "age": 32}, "rows": []})"),
              HasSubstr("\"age\" is there twice"));
  EXPECT_THAT(Refusal(R"({"profile": {"age": 31}, "rows": [{"product": 2, "product": 1}]})"),
              HasSubstr("\"product\" is there twice"));
  EXPECT_THAT(Refusal("[]\n", 2), HasSubstr("has 1 lines; 2 are needed"));
  EXPECT_THAT(Refusal(""), HasSubstr("has 0 lines"));
  EXPECT_THAT(std::string(MakeRecords({.source = "uniform"}, In("schema.json")).status().message()),
              HasSubstr("--users"));
  EXPECT_THAT(
      std::string(
          MakeRecords({.source = "uniform", .users = 10}, In("products.csv")).status().message()),
      HasSubstr("--schema"));
}

TEST_F(MakeRecordsTest, EveryViewHasItsErrorsInEveryForm) {
  const auto records =
      MakeRecords({.source = "zipf:1.1", .users = 2000, .seed = 1}, In("schema.json"));
  ASSERT_TRUE(records.ok()) << records.status();
  const simulation::Experiment experiment = {.mechanisms = {"pure_dump", "grr"},
                                             .epsilons = {4},
                                             .deltas = {1e-6},
                                             .trials = {.trials = 3, .seed = 1}};
  auto rows = simulation::PlanRecordRows(records->population, records->asked, experiment);
  ASSERT_TRUE(rows.ok()) << rows.status();
  ASSERT_TRUE(simulation::SimulateRecordRows(experiment, *rows).ok());
  const SimulationSetup setup = {.data = "zipf:1.1",
                                 .users = 2000,
                                 .method = "tight",
                                 .trials = 3,
                                 .kind = "records",
                                 .max_records = 2};

  const Json json = SimulationJson(setup, *rows);
  EXPECT_EQ(json["max_records"], 2);
  EXPECT_TRUE(json["domain"].is_null());
  const Json& row = json["rows"][0];
  EXPECT_GT(row["mse_raw"], 0.0);
  EXPECT_TRUE(row["mse_pop"].is_null());
  ASSERT_EQ(row["views"].size(), 2u);
  EXPECT_EQ(row["views"][1]["errors"][0]["of"], "cells");
  EXPECT_EQ(row["views"][1]["errors"][1]["what"], "sum");
  for (const Json& view : row["views"]) {
    for (const Json& error : view["errors"]) {
      EXPECT_GT(error["mse"], 0.0) << view;
      EXPECT_GT(error["mse_predicted"], 0.0) << view;
    }
  }
  EXPECT_FALSE(json["rows"][1]["feasible"]);
  EXPECT_TRUE(json["rows"][1]["views"].empty());

  const std::string table = SimulationTable(setup, *rows);
  EXPECT_THAT(table, HasSubstr("up to 2 records each"));
  EXPECT_THAT(table, HasSubstr("price by kind with amount, 8 x 2 cells"));
  EXPECT_THAT(table, Not(HasSubstr("nan")));

  ASSERT_TRUE(WriteSimulation(In("out"), setup, *rows).ok());
  EXPECT_THAT(*ReadSmallFile(In("out/views.csv")),
              HasSubstr("pure_dump,4,1e-06,\"price by kind with amount, 8 x 2 cells\",cells,avg,"));
  EXPECT_EQ(SimulationCharts(setup, *rows).size(), 1u);
}

}  // namespace
}  // namespace tombola::cli
