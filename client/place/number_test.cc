#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/place/placer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/seeded_random.h"
#include "tests/support/test_task.h"

namespace tombola::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Ten bins from 0 to 5, with branching 3: levels of 10, 4 and 2 nodes, each with one more where a
// number may be missing.
std::shared_ptr<const Task> TreeTask(bool missing) {
  return MakeTestTask([&](v1::Task* task) {
    task->set_kind(v1::KIND_NUMBER);
    task->mutable_domain()->Clear();
    task->mutable_domain()->set_size(10);
    task->mutable_numbers()->add_edges(0);
    task->mutable_numbers()->add_edges(5);
    task->mutable_numbers()->set_branching(3);
    task->mutable_numbers()->set_missing(missing);
    task->mutable_numbers()->set_sent(3);
    task->mutable_mechanism()->mutable_grr()->set_blanket_threshold(uint64_t{1} << 63);
  });
}

std::shared_ptr<const Task> DitheredTask(bool missing) {
  return MakeTestTask([&](v1::Task* task) {
    task->set_kind(v1::KIND_NUMBER);
    task->mutable_domain()->Clear();
    task->mutable_domain()->set_size(5);
    task->mutable_numbers()->add_edges(-1);
    task->mutable_numbers()->add_edges(1);
    task->mutable_numbers()->set_dithered(true);
    task->mutable_numbers()->set_missing(missing);
    task->mutable_numbers()->set_sent(1);
    task->mutable_mechanism()->mutable_grr()->set_blanket_threshold(uint64_t{1} << 63);
  });
}

class NumberPlacerTest : public ::testing::Test {
 protected:
  absl::StatusOr<mechanism::Cells> Place(const std::shared_ptr<const Task>& task,
                                         std::optional<double> number) {
    return Placers::BuiltIn().Make(task)->Place(number, random_);
  }
  std::vector<uint64_t> Indices(const std::shared_ptr<const Task>& task,
                                std::optional<double> number) {
    const auto cells = Place(task, number);
    EXPECT_TRUE(cells.ok()) << cells.status();
    std::vector<uint64_t> indices;
    for (const mechanism::Cell& cell : *cells) indices.push_back(cell.index);
    return indices;
  }
  std::string Refusal(const std::shared_ptr<const Task>& task, std::optional<double> number) {
    const auto placed = Place(task, number);
    EXPECT_TRUE(absl::IsInvalidArgument(placed.status())) << placed.status();
    return std::string(placed.status().message());
  }

  SeededRandom random_{1};
};

TEST_F(NumberPlacerTest, FillsANodeOnEveryLevel) {
  const auto task = TreeTask(/*missing=*/false);
  EXPECT_THAT(Indices(task, 0), ElementsAre(0, 10, 14));
  EXPECT_THAT(Indices(task, 2.25), ElementsAre(4, 11, 14));
  EXPECT_THAT(Indices(task, 0.5), ElementsAre(1, 10, 14));  // an edge is of the bin above it
  EXPECT_THAT(Indices(task, 5), ElementsAre(9, 13, 15));    // but for the last
}

TEST_F(NumberPlacerTest, AMissingNumberFillsTheNodesApart) {
  const auto task = TreeTask(/*missing=*/true);
  EXPECT_THAT(Indices(task, std::nullopt), ElementsAre(10, 15, 18));
  EXPECT_THAT(Indices(task, 5), ElementsAre(9, 14, 17));
  EXPECT_THAT(Indices(DitheredTask(/*missing=*/true), std::nullopt), ElementsAre(5));
  EXPECT_THAT(Refusal(TreeTask(false), std::nullopt), HasSubstr("none may be missing"));
  EXPECT_THAT(Refusal(DitheredTask(false), std::nullopt), HasSubstr("none may be missing"));
}

TEST_F(NumberPlacerTest, RefusesWhatIsNoNumberOfTheTaskAndNamesItsBounds) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double number : {std::nan(""), infinity, -infinity, -0.001, 5.001}) {
    EXPECT_THAT(Refusal(TreeTask(true), number), HasSubstr("must be in [0, 5]")) << number;
  }
  for (const double number : {std::nan(""), infinity, -1.001}) {
    EXPECT_THAT(Refusal(DitheredTask(true), number), HasSubstr("must be in [-1, 1]")) << number;
  }
  const auto placer = Placers::BuiltIn().Make(TreeTask(true));
  EXPECT_TRUE(absl::IsInvalidArgument(placer->Place(absl::string_view("1"), random_).status()));
}

TEST_F(NumberPlacerTest, ANumberOnALevelIsThatLevel) {
  const auto task = DitheredTask(/*missing=*/false);
  EXPECT_THAT(Indices(task, -1), ElementsAre(0));
  EXPECT_THAT(Indices(task, 0.5), ElementsAre(3));
  EXPECT_THAT(Indices(task, 1), ElementsAre(4));
}

// 0.2 is 0 with probability 0.6 and 0.5 with 0.4: of 10,000 draws the standard deviation is 49, and
// six of those and half a count miss with probability below 2e-9.
TEST_F(NumberPlacerTest, ANumberBetweenTwoLevelsBecomesEitherAndKeepsItsMean) {
  const auto task = DitheredTask(/*missing=*/false);
  int up = 0;
  for (int i = 0; i < 10000; ++i) {
    const uint64_t cell = Indices(task, 0.2).front();
    ASSERT_TRUE(cell == 2 || cell == 3);
    up += cell == 3 ? 1 : 0;
  }
  EXPECT_NEAR(up, 4000, 295);
}

}  // namespace
}  // namespace tombola::client
