#include "common/plan/records.h"

#include <cmath>
#include <functional>
#include <string>

#include "common/accounting/noise_search.h"
#include "common/plan/plan.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tombola::mechanism {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Ages in 100 bins, prices in 512, one of three cities and an amount.
v1::Records Schema() {
  v1::Records records;
  const auto number = [&](const char* name, uint64_t bins) {
    v1::Attribute* const attribute = records.add_attributes();
    attribute->set_name(name);
    attribute->add_edges(0);
    attribute->add_edges(100);
    attribute->set_bins(bins);
  };
  number("age", 100);
  number("price", 512);
  v1::Attribute* const city = records.add_attributes();
  city->set_name("city");
  for (const char* label : {"Oslo", "Bergen", "Bodo"}) city->add_labels(label);
  v1::Measure* const amount = records.add_measures();
  amount->set_name("amount");
  amount->mutable_levels()->set_high(10);
  amount->mutable_levels()->set_count(3);
  records.set_max_records(4);
  return records;
}

v1::View* AddView(v1::Records* records, const std::vector<uint32_t>& attributes) {
  v1::View* const view = records->add_views();
  for (const uint32_t place : attributes) view->add_attributes(place);
  return view;
}

const PlanRequest kRequest{.honest = 100000, .submissions = 100000, .epsilon = 1, .delta = 1e-6};

TEST(RecordsPlanTest, ANumberByItselfGetsATreeAndAGridIsAsFineAsMessagesAllow) {
  v1::Records asked = Schema();
  AddView(&asked, {0});
  AddView(&asked, {2});
  AddView(&asked, {0, 1})->set_measure(0);
  const auto planned = PlanViews(asked, kRequest);
  ASSERT_TRUE(planned.ok()) << planned.status();
  EXPECT_GE(planned->views(0).branching(), 2u);
  EXPECT_THAT(planned->views(0).joined(), ElementsAre(1));
  EXPECT_EQ(planned->views(1).branching(), 0u);
  EXPECT_TRUE(planned->views(1).has_branching());
  EXPECT_EQ(planned->views(2).branching(), 0u);
  EXPECT_GT(planned->views(2).joined(1), 1u);
  const auto cells = RecordCells::Read(*planned);
  ASSERT_TRUE(cells.ok()) << cells.status();
  const auto candidates = PlanRecords(*cells, kRequest);
  ASSERT_TRUE(candidates.ok()) << candidates.status();
  const Candidate* const best = Recommended(*candidates, Left::kAnything);
  ASSERT_NE(best, nullptr);
  EXPECT_LE(best->mechanism->expected_reports_per_submission(), 1.2 * kUsualRecordMessages);
  EXPECT_LE(*best->mechanism->Delta(100000, 1), 1e-6);
  EXPECT_EQ(best->mechanism->filling().units, 4);
  EXPECT_EQ(best->mechanism->filling().cells(),
            cells->views[0].tree.levels() + cells->views[1].tree.levels() + 1);
  const std::vector<ViewCost> costs = CostsOf(*cells, *best->mechanism, 100000);
  ASSERT_EQ(costs.size(), 3u);
  double shares = 0, messages = 0;
  for (const ViewCost& cost : costs) {
    shares += cost.share;
    messages += cost.messages;
    EXPECT_GT(cost.cell_deviation, 0);
    EXPECT_GT(cost.range_deviation, 0);
  }
  EXPECT_NEAR(shares, 1, 1e-9);
  EXPECT_NEAR(messages, best->mechanism->expected_reports_per_submission(), 1e-6);
}

// One flat view, so that a cell is off by the noise of so many units, less what is known of all.
TEST(RecordsPlanTest, ACellIsOffByTheNoiseOfItsUnits) {
  v1::Records asked = Schema();
  AddView(&asked, {2});
  const auto cells = RecordCells::Read(*PlanViews(asked, kRequest));
  const auto candidates = PlanRecords(*cells, kRequest, "pure_dump");
  const Candidate* const best = Recommended(*candidates, Left::kAnything);
  ASSERT_NE(best, nullptr);
  const double mean = *accounting::SmallestPoissonMean(1, 1e-6, 1, /*work=*/nullptr, 4);
  const double cell = CostsOf(*cells, *best->mechanism, 100000)[0].cell_deviation;
  EXPECT_NEAR(cell * cell / (mean * 3 / 4), 1, 0.01);
}

TEST(RecordsPlanTest, WhatASchemaSaysIsKept) {
  v1::Records asked = Schema();
  v1::View* const view = AddView(&asked, {0});
  view->add_joined(5);
  view->set_branching(0);
  const auto planned = PlanViews(asked, kRequest);
  ASSERT_TRUE(planned.ok()) << planned.status();
  EXPECT_THAT(planned->views(0).joined(), ElementsAre(5));
  EXPECT_EQ(planned->views(0).branching(), 0u);
}

TEST(RecordsPlanTest, OnlyMechanismsWithANoiseOfTheirOwnCountRecords) {
  v1::Records asked = Schema();
  asked.set_max_records(1);
  AddView(&asked, {2});
  const auto cells = RecordCells::Read(*PlanViews(asked, kRequest));
  const auto candidates = PlanRecords(*cells, kRequest);
  ASSERT_TRUE(candidates.ok()) << candidates.status();
  for (const Candidate& candidate : *candidates) {
    if (candidate.central) continue;
    const bool counts =
        candidate.name == "pure_dump" || candidate.name == "aue" || candidate.name == "correlated";
    EXPECT_EQ(candidate.feasible, counts) << candidate.name << candidate.reason;
  }
}

TEST(RecordsPlanTest, NoCorrelatedNoiseHidesSeveralRecordsInOneCell) {
  v1::Records asked = Schema();
  asked.set_max_records(2);
  AddView(&asked, {2});
  for (const uint64_t alike : {1, 2}) {
    asked.set_max_alike(alike);
    const auto cells = RecordCells::Read(*PlanViews(asked, kRequest));
    ASSERT_TRUE(cells.ok()) << cells.status();
    EXPECT_EQ(cells->cells, 3 + 2 / static_cast<int64_t>(alike));
    const auto candidates = PlanRecords(*cells, kRequest, "correlated");
    ASSERT_TRUE(candidates.ok()) << candidates.status();
    EXPECT_EQ(Recommended(*candidates, Left::kAnything) != nullptr, alike == 1) << alike;
  }
}

TEST(RecordsPlanTest, ViewsAreFlatWhereRecordsThatAreAlikeAreLeftOut) {
  v1::Records asked = Schema();
  asked.set_max_alike(2);
  AddView(&asked, {0});
  const auto planned = PlanViews(asked, kRequest);
  ASSERT_TRUE(planned.ok()) << planned.status();
  EXPECT_EQ(planned->views(0).branching(), 0u);
  asked.mutable_views(0)->set_branching(4);
  EXPECT_THAT(PlanViews(asked, kRequest).status().message(), HasSubstr("branching"));
}

TEST(RecordsPlanTest, RefusesEachFieldOutOfItsBoundsByName) {
  const auto refusal = [](const std::function<void(v1::Records*)>& change) {
    v1::Records asked = Schema();
    AddView(&asked, {0, 2});
    change(&asked);
    const auto planned = PlanViews(asked, kRequest);
    EXPECT_TRUE(absl::IsInvalidArgument(planned.status())) << planned.status();
    return std::string(planned.status().message());
  };
  using Records = v1::Records;
  EXPECT_THAT(refusal([](Records* r) { r->set_max_records(0); }),
              StartsWith("schema: max_records is 0"));
  EXPECT_THAT(refusal([](Records* r) { r->set_max_records(1001); }), HasSubstr("1000"));
  EXPECT_THAT(refusal([](Records* r) { r->set_max_alike(3); }), HasSubstr("max_alike is 3"));
  EXPECT_THAT(refusal([](Records* r) { r->clear_attributes(); }), HasSubstr("attributes"));
  EXPECT_THAT(refusal([](Records* r) { r->clear_views(); }), StartsWith("schema: questions has 0"));
  EXPECT_THAT(refusal([](Records* r) { r->mutable_attributes(0)->set_name("a b"); }),
              HasSubstr("\"a b\""));
  EXPECT_THAT(refusal([](Records* r) { r->mutable_measures(0)->set_name("age"); }),
              HasSubstr("\"age\""));
  EXPECT_THAT(refusal([](Records* r) { r->mutable_attributes(0)->set_bins(1); }),
              HasSubstr("attribute age.bins"));
  EXPECT_THAT(refusal([](Records* r) { r->mutable_attributes(0)->set_edges(1, -1); }),
              HasSubstr("attribute age.edges"));
  EXPECT_THAT(refusal([](Records* r) { r->mutable_attributes(0)->add_labels("x"); }),
              HasSubstr("attribute age.labels"));
  EXPECT_THAT(refusal([](Records* r) { r->mutable_attributes(2)->add_labels("Oslo"); }),
              HasSubstr("\"Oslo\" is there twice"));
  EXPECT_THAT(refusal([](Records* r) { r->mutable_attributes(2)->set_bins(3); }),
              HasSubstr("attribute city.bins"));
  EXPECT_THAT(refusal([](Records* r) { r->mutable_measures(0)->mutable_levels()->set_count(1); }),
              HasSubstr("measure amount: levels is 1"));
  EXPECT_THAT(refusal([](Records* r) { r->mutable_views(0)->set_attributes(1, 0); }),
              HasSubstr("ascending"));
  EXPECT_THAT(refusal([](Records* r) { r->mutable_views(0)->add_attributes(9); }),
              HasSubstr("places"));
  EXPECT_THAT(refusal([](Records* r) { r->mutable_views(0)->set_branching(4); }),
              HasSubstr("branching"));
  EXPECT_THAT(refusal([](Records* r) { r->mutable_views(0)->set_measure(1); }),
              HasSubstr("measure"));
  EXPECT_THAT(refusal([](Records* r) {
                r->mutable_views(0)->add_joined(1);
                r->mutable_views(0)->add_joined(2);
              }),
              HasSubstr("city"));
  EXPECT_THAT(refusal([](Records* r) {
                r->set_max_records(1000);
                for (uint32_t i = 0; i < 5; ++i) AddView(r, {2});
              }),
              HasSubstr("max_records must be at most"));
  // 9 bins and as many pads: of 20 records that are never alike some would have no cell.
  EXPECT_THAT(refusal([](Records* r) {
                r->set_max_records(20);
                r->set_max_alike(1);
                r->mutable_attributes(0)->set_bins(9);
                r->clear_views();
                AddView(r, {0});
              }),
              AllOf(HasSubstr("max_records must be "), HasSubstr("half of the 29 cells")));
}

// Before anything is planned that would take as long as there are views and attributes.
TEST(RecordsPlanTest, RefusesMoreViewsThanATaskHas) {
  v1::Records asked = Schema();
  for (int i = 0; i < 100'000; ++i) AddView(&asked, {0});
  EXPECT_THAT(std::string(PlanViews(asked, kRequest).status().message()),
              HasSubstr("questions has 100000 of them; it must have 1 to 64"));
  asked.clear_views();
  AddView(&asked, std::vector<uint32_t>(100'000, 0));
  EXPECT_THAT(std::string(PlanViews(asked, kRequest).status().message()),
              HasSubstr("questions.attributes has 100000 of them; at most 3"));
}

}  // namespace
}  // namespace tombola::mechanism
