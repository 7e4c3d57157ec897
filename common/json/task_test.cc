#include "common/json/task.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tests/support/test_task.h"

namespace tombola {
namespace {

std::string FamilyOf(const std::function<void(v1::Task*)>& change) {
  const Json json = TaskJson(*MakeTestTask(change), v1::TaskInfo(), TestTaskStart());
  return json["parameters"].value("family", "none");
}

TEST(TaskJsonTest, NamesTheFamilyOfEveryMechanismThatHashes) {
  EXPECT_EQ(FamilyOf(nullptr), "plane");
  EXPECT_EQ(FamilyOf([](v1::Task* task) {
              const v1::LocalHash hashing = task->mechanism().local_hash();
              *task->mutable_mechanism()->mutable_murs()->mutable_local_hash() = hashing;
              task->mutable_mechanism()->mutable_murs()->set_fakes(3);
            }),
            "plane");
  EXPECT_EQ(FamilyOf([](v1::Task* task) {
              task->mutable_mechanism()->mutable_grr()->set_blanket_threshold(uint64_t{1} << 63);
            }),
            "none");
}

TEST(TaskJsonTest, NamesTheKindAndHowItsIntervalsAreTreated) {
  const Json plain = TaskJson(*MakeTestTask(), v1::TaskInfo(), TestTaskStart());
  EXPECT_EQ(plain["kind"], "histogram");
  EXPECT_EQ(plain["merge_periods"], false);
  for (const bool merge : {false, true}) {
    const auto task = MakeTestTask([merge](v1::Task* proto) {
      proto->mutable_batch_policy()->set_interval(600);
      proto->mutable_batch_policy()->set_merge_periods(merge);
    });
    const Json json = TaskJson(*task, v1::TaskInfo(), TestTaskStart() + absl::Minutes(15));
    EXPECT_EQ(json["interval_seconds"], 600);
    EXPECT_EQ(json["merge_periods"], merge);
    EXPECT_EQ(json["periods"].is_null(), merge);
    EXPECT_EQ(json["present_period"], merge ? Json() : Json(2));
  }
}

TEST(TaskJsonTest, NamesTheLevelsOfKeyValuePairs) {
  EXPECT_TRUE(TaskJson(*MakeTestTask(), v1::TaskInfo(), TestTaskStart())["levels"].is_null());
  const auto pairs = MakeTestTask([](v1::Task* proto) {
    proto->set_kind(v1::KIND_KEY_VALUE);
    proto->mutable_items()->set_max_items(4);
    proto->mutable_items()->set_sent(4);
    proto->mutable_levels()->set_low(-1.5);
    proto->mutable_levels()->set_high(5);
    proto->mutable_levels()->set_count(3);
    proto->mutable_mechanism()->mutable_grr()->set_blanket_threshold(uint64_t{1} << 63);
  });
  const Json levels = TaskJson(*pairs, v1::TaskInfo(), TestTaskStart())["levels"];
  EXPECT_EQ(levels, (Json{{"low", -1.5}, {"high", 5}, {"count", 3}}));
}

TEST(TaskJsonTest, NamesTheBinsOfNumbers) {
  EXPECT_TRUE(TaskJson(*MakeTestTask(), v1::TaskInfo(), TestTaskStart())["numbers"].is_null());
  const auto json_of = [](const std::function<void(v1::Numbers*)>& change) {
    const auto task = MakeTestTask([&](v1::Task* proto) {
      proto->set_kind(v1::KIND_NUMBER);
      proto->mutable_domain()->Clear();
      proto->mutable_domain()->set_size(4);
      proto->mutable_numbers()->set_sent(1);
      change(proto->mutable_numbers());
      proto->mutable_mechanism()->mutable_grr()->set_blanket_threshold(uint64_t{1} << 63);
    });
    return TaskJson(*task, v1::TaskInfo(), TestTaskStart())["numbers"];
  };
  EXPECT_EQ(json_of([](v1::Numbers* numbers) {
              numbers->add_edges(-1.5);
              numbers->add_edges(5);
              numbers->set_branching(2);
              numbers->set_missing(true);
            }),
            (Json{{"low", -1.5},
                  {"high", 5},
                  {"bins", 4},
                  {"equal", true},
                  {"edges", nullptr},
                  {"branching", 2},
                  {"levels", 2},
                  {"missing", true},
                  {"dithered", false}}));
  const Json unequal = json_of([](v1::Numbers* numbers) {
    for (const double edge : {0.0, 1.0, 2.0, 4.0, 8.0}) numbers->add_edges(edge);
  });
  EXPECT_EQ(unequal["edges"], (Json{0.0, 1.0, 2.0, 4.0, 8.0}));
  EXPECT_EQ(unequal["equal"], false);
  EXPECT_EQ(unequal["levels"], 1);
}

TEST(TaskJsonTest, ListsFewEdgesAndATaskByItselfHasAll) {
  for (const int edges : {100, 101}) {
    const auto task = MakeTestTask([edges](v1::Task* proto) {
      proto->set_kind(v1::KIND_NUMBER);
      proto->mutable_domain()->Clear();
      proto->mutable_domain()->set_size(static_cast<uint64_t>(edges) - 1);
      proto->mutable_numbers()->set_sent(1);
      for (int i = 0; i < edges; ++i) proto->mutable_numbers()->add_edges(i * i);
      proto->mutable_mechanism()->mutable_grr()->set_blanket_threshold(uint64_t{1} << 63);
    });
    const Json listed = TaskJson(*task, v1::TaskInfo(), TestTaskStart())["numbers"];
    EXPECT_EQ(listed["edges"].is_null(), edges > 100);
    EXPECT_EQ(listed["equal"], false);
    const Json whole = WholeTaskJson(*task, v1::TaskInfo(), TestTaskStart())["numbers"];
    EXPECT_EQ(whole["edges"].size(), static_cast<size_t>(edges));
  }
}

TEST(TaskJsonTest, ListsFewLabelsOfRecordsAndATaskByItselfHasAll) {
  for (const int labels : {97, 98}) {
    const auto task = MakeTestTask([labels](v1::Task* proto) {
      proto->set_kind(v1::KIND_RECORDS);
      proto->mutable_domain()->Clear();
      v1::Records& records = *proto->mutable_records();
      for (const auto& [name, of] : {std::pair("kind", 3), std::pair("city", labels)}) {
        v1::Attribute& attribute = *records.add_attributes();
        attribute.set_name(name);
        for (int i = 0; i < of; ++i) attribute.add_labels(std::to_string(i));
      }
      records.set_max_records(1);
      records.set_max_alike(1);
      v1::View& view = *records.add_views();
      view.add_attributes(0);
      view.add_joined(1);
      view.set_branching(0);
      proto->mutable_domain()->set_size(4);
      v1::Dummies& dummies = *proto->mutable_mechanism()->mutable_pure_dump()->mutable_dummies();
      dummies.set_rate(uint64_t{20} << 40);
      dummies.set_honest(1000);
      dummies.set_max(200);
    });
    const auto attributes = [](const Json& json) { return json["records"]["attributes"]; };
    const Json listed = attributes(TaskJson(*task, v1::TaskInfo(), TestTaskStart()));
    EXPECT_EQ(listed[1]["values"], labels);
    for (const Json& attribute : listed) EXPECT_EQ(attribute["labels"].is_null(), labels > 97);
    const Json whole = attributes(WholeTaskJson(*task, v1::TaskInfo(), TestTaskStart()));
    EXPECT_EQ(whole[1]["labels"].size(), static_cast<size_t>(labels));
  }
}

// They may take a while to compute, and the collector has said them.
TEST(TaskJsonTest, HasTheTotalsOfTheInfo) {
  v1::TaskInfo info;
  info.set_total_epsilon(1.5);
  info.set_total_delta(1e-6);
  info.set_total_reason("they compose");
  const Json json = TaskJson(*MakeTestTask(), info, TestTaskStart());
  EXPECT_EQ(json["total_epsilon"], 1.5);
  EXPECT_EQ(json["total_delta"], 1e-6);
  EXPECT_EQ(json["total_reason"], "they compose");
  EXPECT_TRUE(json["warning"].is_null());
  info.set_total_epsilon(std::numeric_limits<double>::infinity());
  info.clear_total_reason();
  info.set_warning("too much");
  const Json nothing = TaskJson(*MakeTestTask(), info, TestTaskStart());
  EXPECT_TRUE(nothing["total_epsilon"].is_null());
  EXPECT_TRUE(nothing["total_reason"].is_null());
  EXPECT_EQ(nothing["warning"], "too much");
}

TEST(TaskJsonTest, SaysWhichPeriodsOfAStreamAreCountedTogether) {
  EXPECT_TRUE(TaskJson(*MakeTestTask(), v1::TaskInfo(), TestTaskStart())["stream"].is_null());
  const auto task = MakeTestTask([](v1::Task* proto) { MakeStream({0, 0, 2, 0}, proto); });
  const Json listed = TaskJson(*task, v1::TaskInfo(), TestTaskStart())["stream"];
  EXPECT_EQ(listed["periods"], 4);
  EXPECT_EQ(listed["structure"], "fenwick");
  EXPECT_EQ(listed["most_nodes"], 3);
  EXPECT_EQ(listed["mean_nodes"], 2);
  EXPECT_TRUE(listed["nodes"].is_null());
  const Json nodes = WholeTaskJson(*task, v1::TaskInfo(), TestTaskStart())["stream"]["nodes"];
  ASSERT_EQ(nodes.size(), 4);
  EXPECT_EQ(nodes[3]["node"], 4);
  EXPECT_EQ(nodes[3]["first"], 1);
  EXPECT_EQ(nodes[3]["needed"], 20);
  EXPECT_EQ(nodes[3]["honest"], 20);
  EXPECT_GT(nodes[3]["messages_per_user"], 1);
  EXPECT_EQ(nodes[2]["first"], 3);
}

}  // namespace
}  // namespace tombola
