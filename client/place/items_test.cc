#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "client/place/placer.h"
#include "common/kind/item_cells.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/seeded_random.h"
#include "tests/support/test_task.h"

namespace tombola::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

// Six values "v0" to "v5", of which a device holds up to three.
std::shared_ptr<const Task> ItemsTask(v1::Kind kind, bool with_other = false) {
  return MakeTestTask([&](v1::Task* task) {
    task->set_kind(kind);
    task->mutable_domain()->Clear();
    task->mutable_domain()->set_size(6);
    for (int i = 0; i < 6; ++i) task->mutable_domain()->add_labels("v" + std::to_string(i));
    if (with_other) task->mutable_domain()->set_other(5);
    task->mutable_items()->set_max_items(3);
    task->mutable_items()->set_sent(3);
    task->mutable_mechanism()->mutable_grr()->set_blanket_threshold(uint64_t{1} << 63);
    if (kind != v1::KIND_KEY_VALUE) return;
    task->mutable_levels()->set_low(-1);
    task->mutable_levels()->set_high(1);
    task->mutable_levels()->set_count(3);
  });
}

std::vector<uint64_t> Indices(const absl::StatusOr<mechanism::Cells>& cells) {
  EXPECT_TRUE(cells.ok()) << cells.status();
  std::vector<uint64_t> indices;
  for (const mechanism::Cell& cell : *cells) indices.push_back(cell.index);
  return indices;
}

class SetPlacerTest : public ::testing::Test {
 protected:
  absl::StatusOr<mechanism::Cells> Place(const std::vector<std::string>& values,
                                         bool with_other = false) {
    return Placers::BuiltIn()
        .Make(ItemsTask(v1::KIND_SET, with_other))
        ->Place(absl::MakeConstSpan(values), random_);
  }

  SeededRandom random_{1};
};

// The same cells for every node, whose tables are alike.
TEST_F(SetPlacerTest, OfAStreamIsWhatItIsOfABatch) {
  const auto task = MakeTestTask([](v1::Task* wire) {
    MakeStream({0, 0}, wire);
    wire->mutable_domain()->clear_labels();
    wire->mutable_stream()->set_of(v1::KIND_SET);
    wire->mutable_items()->set_max_items(3);
    wire->mutable_items()->set_sent(3);
  });
  const std::vector<std::string> values = {"7", "2"};
  EXPECT_THAT(Indices(Placers::BuiltIn().Make(task)->Place(absl::MakeConstSpan(values), random_)),
              ElementsAre(2, 7, 20));
}

TEST_F(SetPlacerTest, FillsTheValuesCellsAndThenTheFirstPads) {
  EXPECT_THAT(Indices(Place({"v4", "v1"})), UnorderedElementsAre(1, 4, 6));
  EXPECT_THAT(Indices(Place({})), ElementsAre(6, 7, 8));
  EXPECT_THAT(Indices(Place({"v0", "v2", "v3"})), UnorderedElementsAre(0, 2, 3));
}

TEST_F(SetPlacerTest, AValueThatIsThereTwiceCountsOnce) {
  EXPECT_THAT(Indices(Place({"v1", "v1", "v1"})), UnorderedElementsAre(1, 6, 7));
}

// Of four values each is left out with probability 1/4. In 4,000 draws the count of one has a
// standard deviation of 27.4; six of those and half a count miss with probability below 1e-8 for
// each of four.
TEST_F(SetPlacerTest, OfMoreValuesAUniformChoiceIsKept) {
  std::map<uint64_t, int> left_out;
  for (int i = 0; i < 4000; ++i) {
    const std::vector<uint64_t> kept = Indices(Place({"v0", "v1", "v2", "v3"}));
    EXPECT_EQ(std::set<uint64_t>(kept.begin(), kept.end()).size(), 3u);
    for (uint64_t v = 0; v < 4; ++v) {
      if (std::find(kept.begin(), kept.end(), v) == kept.end()) ++left_out[v];
    }
  }
  for (uint64_t v = 0; v < 4; ++v) EXPECT_NEAR(left_out[v], 1000, 165) << v;
}

TEST_F(SetPlacerTest, AValueOutsideTheDomainIsRefusedByNameOrIsTheOtherOne) {
  EXPECT_THAT(std::string(Place({"v1", "x"}).status().message()), HasSubstr("\"x\""));
  EXPECT_THAT(Indices(Place({"v1", "x", "y"}, /*with_other=*/true)), UnorderedElementsAre(1, 5, 6));
}

TEST_F(SetPlacerTest, ARecordOfAnotherKindIsRefused) {
  const auto placer = Placers::BuiltIn().Make(ItemsTask(v1::KIND_SET));
  EXPECT_TRUE(absl::IsInvalidArgument(placer->Place(absl::string_view("v1"), random_).status()));
}

class KeyValuePlacerTest : public ::testing::Test {
 protected:
  absl::StatusOr<mechanism::Cells> Place(const std::vector<KeyValue>& pairs,
                                         bool with_other = false) {
    return Placers::BuiltIn()
        .Make(ItemsTask(v1::KIND_KEY_VALUE, with_other))
        ->Place(absl::MakeConstSpan(pairs), random_);
  }
  std::string Refusal(const std::vector<KeyValue>& pairs) {
    const auto placed = Place(pairs);
    EXPECT_TRUE(absl::IsInvalidArgument(placed.status())) << placed.status();
    return std::string(placed.status().message());
  }

  SeededRandom random_{2};
};

TEST_F(KeyValuePlacerTest, ANumberOnALevelIsThatLevelsCell) {
  EXPECT_THAT(Indices(Place({{"v0", -1}, {"v1", 0}, {"v5", 1}})),
              UnorderedElementsAre(0, 3 + 1, 15 + 2));
  EXPECT_THAT(Indices(Place({{"v2", 0}})), UnorderedElementsAre(7, 18, 19));
}

// 0.4 is 0 with probability 0.6 and 1 with 0.4: of 10,000 draws the standard deviation is 49, and
// six of those and half a count miss with probability below 2e-9.
TEST_F(KeyValuePlacerTest, ANumberBetweenTwoLevelsBecomesEitherAndKeepsItsMean) {
  int up = 0;
  for (int i = 0; i < 10000; ++i) {
    const uint64_t cell = Indices(Place({{"v0", 0.4}})).front();
    ASSERT_TRUE(cell == 1 || cell == 2);
    up += cell == 2 ? 1 : 0;
  }
  EXPECT_NEAR(up, 4000, 295);
}

TEST_F(KeyValuePlacerTest, RefusesWhatIsNoPairOfTheTask) {
  EXPECT_THAT(Refusal({{"v0", std::nan("")}}), HasSubstr("\"v0\""));
  EXPECT_THAT(Refusal({{"v0", 1.5}}), HasSubstr("must be in [-1, 1]"));
  EXPECT_THAT(Refusal({{"v0", -1e9}}), HasSubstr("\"v0\""));
  EXPECT_THAT(Refusal({{"x", 0}}), HasSubstr("\"x\""));
  EXPECT_THAT(Refusal({{"v3", 0}, {"v3", 0.5}}), HasSubstr("\"v3\" is there twice"));
}

TEST_F(KeyValuePlacerTest, TheSamePairTwiceIsOneAndOfOthersOneIsDrawn) {
  EXPECT_THAT(Indices(Place({{"v3", 1}, {"v3", 1}})), UnorderedElementsAre(11, 18, 19));
  std::set<uint64_t> seen;
  for (int i = 0; i < 200; ++i) {  // either is missed with probability 2^-199
    const std::vector<uint64_t> cells = Indices(Place({{"x", -1}, {"y", 1}}, /*with_other=*/true));
    ASSERT_THAT(cells, ElementsAre(::testing::AnyOf(15, 17), 18, 19));
    seen.insert(cells.front());
  }
  EXPECT_EQ(seen.size(), 2u);
}

}  // namespace
}  // namespace tombola::client
