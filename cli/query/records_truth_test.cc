#include "cli/query/records_truth.h"

#include <cmath>
#include <string>
#include <vector>

#include "cli/query/estimate_lines.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tombola::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

// A price from 0 to 40 and a kind, with an amount.
RecordSchema Schema() {
  v1::Records wire;
  v1::Attribute* const price = wire.add_attributes();
  price->set_name("price");
  price->add_edges(0);
  price->add_edges(40);
  price->set_bins(4);
  v1::Attribute* const kind = wire.add_attributes();
  kind->set_name("kind");
  kind->add_labels("food");
  kind->add_labels("books");
  v1::Measure* const amount = wire.add_measures();
  amount->set_name("amount");
  amount->mutable_levels()->set_low(0);
  amount->mutable_levels()->set_high(10);
  amount->mutable_levels()->set_count(3);
  wire.set_max_records(2);
  wire.set_max_alike(2);
  return RecordSchema::Read(wire).value();
}

void AddCell(double low, double high, const char* kind, v1::Aggregates* body) {
  v1::AggregateCell* const cell = body->add_cells();
  v1::NumberRange* const range = cell->add_values()->mutable_range();
  range->set_low(low);
  range->set_high(high);
  cell->add_values()->set_label(kind);
}

Row Bought(double price, const char* kind, double amount) {
  return {{.name = "price", .value = price},
          {.name = "kind", .value = std::string(kind)},
          {.name = "amount", .value = amount}};
}

TEST(RecordsTruthTest, CountsWhatMeetsAllConditions) {
  v1::Aggregates body;
  body.set_measure("amount");
  v1::Condition* const price = body.add_where();
  price->set_attribute("price");
  price->mutable_range()->set_low(10);
  price->mutable_range()->set_high(40);
  v1::Condition* const kind = body.add_where();
  kind->set_attribute("kind");
  kind->add_labels("books");
  const RecordSchema schema = Schema();
  RecordsTruth truth(body, schema);
  // The last edge is included, another end is not; the first end is.
  for (const Row& row : {Bought(40, "books", 3), Bought(10, "books", 4), Bought(9.9, "books", 1),
                         Bought(20, "food", 1)}) {
    truth.Add(row);
  }
  truth.Add({{.name = "kind", .value = std::string("books")}});
  const NumbersTruth known = truth.Take().numbers.value();
  EXPECT_EQ(known.count, 2);
  EXPECT_EQ(known.sum, 7);
  EXPECT_EQ(known.mean, 3.5);
}

TEST(RecordsTruthTest, FindsTheCellOfEveryRow) {
  v1::Aggregates body;
  body.set_measure("amount");
  body.add_by("price");
  body.add_by("kind");
  for (const double low : {0.0, 20.0}) {
    AddCell(low, low + 20, "food", &body);
    AddCell(low, low + 20, "books", &body);
  }
  const RecordSchema schema = Schema();
  RecordsTruth truth(body, schema);
  for (const Row& row : {Bought(0, "food", 1), Bought(20, "food", 2), Bought(40, "books", 3),
                         Bought(25, "books", 5), Bought(19.9, "food", 2)}) {
    truth.Add(row);
  }
  const Truth known = truth.Take();
  ASSERT_EQ(known.cells.size(), 4u);
  std::vector<double> counts, sums;
  for (const NumbersTruth& cell : known.cells) {
    counts.push_back(cell.count);
    sums.push_back(cell.sum);
  }
  EXPECT_THAT(counts, ElementsAre(2, 0, 1, 2));
  EXPECT_THAT(sums, ElementsAre(3, 0, 2, 8));
  EXPECT_EQ(known.cells[3].mean, 4);
  EXPECT_TRUE(std::isnan(known.cells[1].mean));
}

TEST(RecordsTruthTest, QuantilesAreNumbersThatThereAre) {
  v1::Aggregates body;
  body.add_by("price");
  for (const double fraction : {0.0, 0.5, 0.51, 1.0}) body.add_fractions(fraction);
  const RecordSchema schema = Schema();
  RecordsTruth truth(body, schema);
  for (const double price : {30.0, 1.0, 20.0, 4.0}) truth.Add(Bought(price, "food", 1));
  EXPECT_THAT(truth.Take().numbers->quantiles, ElementsAre(1, 4, 20, 30));
}

TEST(EstimateLinesTest, AFlagStandsWhereTheTruthIsOutside) {
  v1::Estimate estimate;
  estimate.set_value(10);
  estimate.set_low(8);
  estimate.set_high(12);
  const double inside = 12, outside = 12.5;
  EXPECT_THAT(EstimateLine("sum", estimate, &inside), Not(HasSubstr("!")));
  EXPECT_THAT(EstimateLine("sum", estimate, &outside), EndsWith("12.5 !\n"));
  EXPECT_THAT(EstimateLine("sum", estimate, nullptr), EndsWith("8 to 12\n"));
}

}  // namespace
}  // namespace tombola::cli
