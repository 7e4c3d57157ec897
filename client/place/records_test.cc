#include "client/place/records.h"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "client/encode/submission.h"
#include "client/place/placer.h"
#include "common/kind/records.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/seeded_random.h"
#include "tests/support/test_task.h"

namespace tombola::client {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

// Up to three records of an age, 0 to 10 in five bins, a city and an amount, 0 to 10 in three
// levels. The ages as a tree of three levels, of cells 0 to 12; ages in pairs of bins by city, with
// the amount, of cells from 13 on.
std::shared_ptr<const Task> RecordsTask(const std::function<void(v1::Task*)>& change =
                                            [](v1::Task*) {}) {
  return MakeTestTask([&](v1::Task* task) {
    task->set_kind(v1::KIND_RECORDS);
    task->mutable_domain()->Clear();
    task->mutable_domain()->set_size(13 + 30);
    v1::Records* const records = task->mutable_records();
    v1::Attribute* const age = records->add_attributes();
    age->set_name("age");
    age->add_edges(0);
    age->add_edges(10);
    age->set_bins(5);
    v1::Attribute* const city = records->add_attributes();
    city->set_name("city");
    for (const char* label : {"Oslo", "Bergen", "Bodo"}) city->add_labels(label);
    v1::Measure* const amount = records->add_measures();
    amount->set_name("amount");
    amount->mutable_levels()->set_high(10);
    amount->mutable_levels()->set_count(3);
    records->set_max_records(3);
    records->set_max_alike(3);
    v1::View* const ages = records->add_views();
    ages->add_attributes(0);
    ages->add_joined(1);
    ages->set_branching(2);
    v1::View* const both = records->add_views();
    both->add_attributes(0);
    both->add_attributes(1);
    both->add_joined(2);
    both->add_joined(1);
    both->set_branching(0);
    both->set_measure(0);
    v1::Dummies* const dummies = task->mutable_mechanism()->mutable_pure_dump()->mutable_dummies();
    dummies->set_rate(uint64_t{3} << 40);
    dummies->set_honest(500);
    dummies->set_max(100);
    change(task);
  });
}

// The same where a leaf counts one record of a device: flat views, of cells 0 to 7 and from 8 on,
// and three pads in each.
std::shared_ptr<const Task> TaskOfDistinct() {
  return RecordsTask([](v1::Task* task) {
    task->mutable_domain()->set_size(5 + 3 + (9 + 3) * 3);
    task->mutable_records()->set_max_alike(1);
    task->mutable_records()->mutable_views(0)->set_branching(0);
  });
}

Row RowOf(double age, const std::string& city, double amount) {
  return {{"age", age}, {"city", city}, {"amount", amount}};
}

class RecordsPlacerTest : public ::testing::Test {
 protected:
  absl::StatusOr<mechanism::Cells> Place(const std::vector<Row>& rows) {
    return placer_->Place(absl::MakeConstSpan(rows), random_);
  }
  std::vector<uint64_t> Indices(const std::vector<Row>& rows) {
    const auto cells = Place(rows);
    EXPECT_TRUE(cells.ok()) << cells.status();
    std::vector<uint64_t> indices;
    for (const mechanism::Cell& cell : *cells) indices.push_back(cell.index);
    return indices;
  }
  std::string Refusal(const Row& row) {
    const auto placed = Place({RowOf(1, "Oslo", 1), row});
    EXPECT_TRUE(absl::IsInvalidArgument(placed.status())) << placed.status();
    return std::string(placed.status().message());
  }

  const std::shared_ptr<const Task> task_ = RecordsTask();
  const std::unique_ptr<Placer> placer_ = Placers::BuiltIn().Make(task_);
  SeededRandom random_{1};
};

TEST_F(RecordsPlacerTest, ARecordIsANodeOnEveryLevelOfEveryViewAndTheRestIsApart) {
  // Bin 3 of the ages is node 1 of the pairs and node 0 of the fours; the amount is on a level.
  const int both = 13 + (1 * 3 + 2) * 3 + 2;
  const int none = 13 + 9 * 3;
  EXPECT_THAT(Indices({RowOf(7, "Bodo", 10)}), ElementsAre(3, 6 + 1, 10 + 0,  //
                                                           5, 6 + 3, 10 + 2,  //
                                                           5, 6 + 3, 10 + 2,  //
                                                           both, none, none));
  EXPECT_THAT(Indices({}), ElementsAre(5, 9, 12, 5, 9, 12, 5, 9, 12, none, none, none));
}

TEST_F(RecordsPlacerTest, RecordsThatAreAlikeFillTheSameCellAsOftenAsThereAreSome) {
  const std::vector<uint64_t> cells = Indices(std::vector<Row>(3, RowOf(0, "Oslo", 0)));
  EXPECT_THAT(cells, ElementsAre(0, 6, 10, 0, 6, 10, 0, 6, 10, 13, 13, 13));
}

TEST_F(RecordsPlacerTest, OtherFieldsAreNotLookedAt) {
  Row row = RowOf(0, "Oslo", 0);
  row.push_back({"note", "x"});
  EXPECT_TRUE(Place({row}).ok());
}

// The law of what is sent is that of a fixed number of reports of one length and of noise that is
// drawn from the same words: so it is the same number for the same seed.
TEST_F(RecordsPlacerTest, WhatIsSentHasOneLawWhateverTheNumberOfRecords) {
  const SubmissionEncoder encoder(task_->kind().tables());
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    std::set<std::pair<int64_t, size_t>> sizes;
    for (size_t records = 0; records <= 3; ++records) {
      const auto cells = Place(std::vector<Row>(records, RowOf(3, "Oslo", 4)));
      ASSERT_EQ(cells->size(), 12u);
      SeededRandom random(seed);
      std::string reports;
      const int64_t count = encoder.Encode(*cells, random, &reports);
      EXPECT_EQ(reports.size(), static_cast<size_t>(count) * task_->scheme()->report_bytes());
      sizes.emplace(count, reports.size());
    }
    EXPECT_EQ(sizes.size(), 1u) << seed;
  }
}

// Of four records each is left out with probability 1/4. In 4,000 draws the count of one has a
// standard deviation of 27.4; six of those and half a count miss with probability below 1e-8 for
// each of four.
TEST_F(RecordsPlacerTest, OfMoreRecordsAUniformChoiceIsKept) {
  std::map<uint64_t, int> kept;
  for (int i = 0; i < 4000; ++i) {
    const std::vector<uint64_t> cells = Indices(
        {RowOf(0, "Oslo", 0), RowOf(2, "Oslo", 0), RowOf(4, "Oslo", 0), RowOf(6, "Oslo", 0)});
    ASSERT_EQ(cells.size(), 12u);
    for (const size_t row : {0u, 3u, 6u}) ++kept[cells[row]];
  }
  for (uint64_t bin = 0; bin < 4; ++bin) EXPECT_NEAR(kept[bin], 3000, 165) << bin;
}

// 2 is 0.4 of the way from level 0 to level 1: of 4,000 so many have a standard deviation of 31.
TEST_F(RecordsPlacerTest, AMeasureKeepsItsMean) {
  int up = 0;
  for (int i = 0; i < 4000; ++i) {
    const uint64_t cell = Indices({RowOf(0, "Oslo", 2)})[9];
    ASSERT_TRUE(cell == 13 || cell == 14) << cell;
    up += cell == 14 ? 1 : 0;
  }
  EXPECT_NEAR(up, 1600, 190);
}

TEST(DistinctRecordsTest, NoCellIsFilledTwiceAndPadsMakeUpForWhatIsLeftOut) {
  const std::shared_ptr<const Task> task = TaskOfDistinct();
  const std::unique_ptr<Placer> placer = Placers::BuiltIn().Make(task);
  SeededRandom random(2);
  const auto cells_of = [&](const std::vector<Row>& rows) {
    const auto cells = placer->Place(absl::MakeConstSpan(rows), random);
    EXPECT_TRUE(cells.ok()) << cells.status();
    std::vector<uint64_t> indices;
    for (const mechanism::Cell& cell : *cells) indices.push_back(cell.index);
    return indices;
  };
  const uint64_t pads = 8 + 9 * 3;
  EXPECT_THAT(cells_of({}), ElementsAre(5, 6, 7, pads, pads + 3, pads + 6));
  EXPECT_THAT(cells_of(std::vector<Row>(3, RowOf(0, "Oslo", 0))),
              ElementsAre(0, 5, 6, 8, pads, pads + 3));
  // Two of the ages are one bin; as pairs of bins by city all three are apart.
  for (int i = 0; i < 100; ++i) {
    const std::vector<uint64_t> cells =
        cells_of({RowOf(0, "Oslo", 0), RowOf(1, "Bodo", 0), RowOf(9, "Oslo", 0)});
    EXPECT_EQ(std::set<uint64_t>(cells.begin(), cells.end()).size(), 6u);
    EXPECT_THAT(std::vector<uint64_t>(cells.begin(), cells.begin() + 3),
                UnorderedElementsAre(0, 4, 5));
    EXPECT_THAT(std::vector<uint64_t>(cells.begin() + 3, cells.end()),
                UnorderedElementsAre(8, 8 + 2 * 3, 8 + 2 * 9));
  }
}

// Which of two records that are alike is kept is even: of 4,000 a standard deviation of 32.
TEST(DistinctRecordsTest, OfRecordsThatAreAlikeAUniformChoiceIsKept) {
  const std::shared_ptr<const Task> task = TaskOfDistinct();
  const std::unique_ptr<Placer> placer = Placers::BuiltIn().Make(task);
  SeededRandom random(3);
  const std::vector<Row> rows = {RowOf(0, "Oslo", 0), RowOf(0, "Oslo", 10)};
  int first = 0;
  for (int i = 0; i < 4000; ++i) {
    const auto cells = placer->Place(absl::MakeConstSpan(rows), random);
    ASSERT_TRUE(cells.ok()) << cells.status();
    const uint64_t cell = (*cells)[3].index;
    ASSERT_TRUE(cell == 8 || cell == 10) << cell;
    first += cell == 8 ? 1 : 0;
  }
  EXPECT_NEAR(first, 2000, 6 * 32);
}

TEST_F(RecordsPlacerTest, RefusesWhatDoesNotFitAndNamesItWithItsBounds) {
  EXPECT_THAT(Refusal(RowOf(11, "Oslo", 1)),
              AllOf(HasSubstr("record 2"), HasSubstr("\"age\" is 11"), HasSubstr("[0, 10]")));
  EXPECT_THAT(Refusal(RowOf(1, "Rome", 1)),
              AllOf(HasSubstr("\"city\" is \"Rome\""), HasSubstr("one of its 3 labels")));
  EXPECT_THAT(Refusal(RowOf(1, "Oslo", -1)), AllOf(HasSubstr("\"amount\""), HasSubstr("[0, 10]")));
  EXPECT_THAT(Refusal({{"age", 1.0}, {"amount", 1.0}}), HasSubstr("\"city\" is missing"));
  EXPECT_THAT(Refusal({{"age", "x"}, {"city", "Oslo"}, {"amount", 1.0}}), HasSubstr("\"age\""));
  Row twice = RowOf(1, "Oslo", 1);
  twice.push_back({"age", 2.0});
  EXPECT_THAT(Refusal(twice), HasSubstr("there twice"));
  const std::vector<std::string> set;
  EXPECT_FALSE(placer_->Place(absl::MakeConstSpan(set), random_).ok());
}

}  // namespace
}  // namespace tombola::client
