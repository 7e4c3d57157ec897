// What people say of a task about numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "cli/task/request.h"
#include "tests/support/scratch_directory.h"

namespace tombola::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TaskRequestOptions NumberOptions() {
  TaskRequestOptions options;
  options.name = "ages";
  options.kind = "number";
  options.value_range = "0:100";
  options.epsilon = 1;
  options.delta = 1e-6;
  options.users = 1000;
  return options;
}

TEST(NumberRequestTest, HasBinsOfEqualWidth) {
  const auto usual = ToRequest(NumberOptions());
  ASSERT_TRUE(usual.ok()) << usual.status();
  EXPECT_EQ(usual->kind(), v1::KIND_NUMBER);
  EXPECT_EQ(usual->domain_size(), 1024u);
  EXPECT_THAT(usual->numbers().edges(), ElementsAre(0, 100));
  EXPECT_FALSE(usual->has_branching());
  EXPECT_EQ(usual->numbers().sent(), 0u);
  EXPECT_FALSE(usual->numbers().missing());
  TaskRequestOptions options = NumberOptions();
  options.numbers.resolution = 50;
  options.numbers.branching = 0;
  options.numbers.missing = true;
  options.sent = 1;
  const auto said = ToRequest(options);
  ASSERT_TRUE(said.ok()) << said.status();
  EXPECT_EQ(said->domain_size(), 50u);
  EXPECT_TRUE(said->has_branching());
  EXPECT_TRUE(said->numbers().missing());
  EXPECT_EQ(said->numbers().sent(), 1u);
}

TEST(NumberRequestTest, HasTheBinsOfItsEdges) {
  const ScratchDirectory directory;
  TaskRequestOptions options = NumberOptions();
  options.value_range.clear();
  options.numbers.edges_file = directory.File("edges", "0\n0.5\n2e2\n");
  const auto request = ToRequest(options);
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->domain_size(), 2u);
  EXPECT_THAT(request->numbers().edges(), ElementsAre(0, 0.5, 200));
  options.value_range = "0:200";  // said twice
  EXPECT_TRUE(ToRequest(options).ok());
}

TEST(NumberRequestTest, ForMeansAloneHasLevels) {
  TaskRequestOptions options = NumberOptions();
  options.numbers.mean_only = true;
  EXPECT_EQ(ToRequest(options)->domain_size(), 0u);
  options.levels = 5;
  const auto request = ToRequest(options);
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_TRUE(request->numbers().dithered());
  EXPECT_EQ(request->domain_size(), 5u);
}

TEST(NumberRequestTest, NamesTheFlagThatIsWrong) {
  const auto refusal = [](const std::function<void(TaskRequestOptions*)>& change) {
    TaskRequestOptions options = NumberOptions();
    change(&options);
    const absl::Status status = ToRequest(options).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    return std::string(status.message());
  };
  const auto edges = [&](std::vector<double> given) {
    return refusal([&](TaskRequestOptions* o) {
      o->value_range.clear();
      o->numbers.edges = given;
    });
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(refusal([](auto* o) { o->value_range.clear(); }), HasSubstr("--value-range LO:HI"));
  EXPECT_THAT(refusal([](auto* o) { o->value_range = "7"; }), HasSubstr("--value-range must be"));
  for (const char* range : {"5:5", "6:5", "0:inf", "nan:1"}) {
    EXPECT_THAT(refusal([&](auto* o) { o->value_range = range; }), HasSubstr(range));
  }
  EXPECT_THAT(refusal([](auto* o) { o->value_range = "-1.7e308:1.7e308"; }),
              HasSubstr("both in [-1e100, 1e100]"));
  EXPECT_THAT(refusal([](auto* o) { o->value_range = "1:1.0000000000000002"; }),
              HasSubstr("--value-range has no 1024 bins"));
  EXPECT_THAT(refusal([](auto* o) { o->numbers.resolution = 1; }),
              HasSubstr("--resolution must be in [2, 2^24], is 1"));
  EXPECT_THAT(refusal([](auto* o) { o->numbers.resolution = (1 << 24) + 1; }),
              HasSubstr("--resolution"));
  EXPECT_THAT(refusal([](auto* o) { o->numbers.branching = 1; }), HasSubstr("--branching"));
  EXPECT_THAT(refusal([](auto* o) {
                o->numbers.edges = {0, 1, 2}, o->numbers.resolution = 2;
              }),
              HasSubstr("--resolution and --edges"));
  EXPECT_THAT(refusal([](auto* o) {
                o->numbers.edges = {0, 1, 2};
              }),
              HasSubstr("the first and the last of --edges, 0:2"));
  EXPECT_THAT(refusal([](auto* o) { o->numbers.edges_file = ::testing::TempDir(); }),
              ::testing::AllOf(HasSubstr("--edges: "), HasSubstr("must be a file, is a folder")));
  EXPECT_THAT(edges({0, 2, 1}), HasSubstr("line 3 must be above the line before it, 2, is 1"));
  EXPECT_THAT(edges({0, 1, 1}), HasSubstr("line 3"));
  EXPECT_THAT(edges({0, 1, kInfinity}), HasSubstr("line 3 must be in [-1e100, 1e100]"));
  EXPECT_THAT(edges({0, 1}), HasSubstr("three lines"));
  EXPECT_THAT(refusal([](auto* o) { o->levels = 3; }), HasSubstr("--levels"));
  EXPECT_THAT(refusal([](auto* o) { o->domain = 20; }), HasSubstr("--domain"));
  EXPECT_THAT(refusal([](auto* o) { o->max_items = 2; }), HasSubstr("--max-items"));
  EXPECT_THAT(refusal([](auto* o) { o->numbers.mean_only = true, o->numbers.resolution = 9; }),
              HasSubstr("--resolution"));
  EXPECT_THAT(refusal([](auto* o) { o->numbers.mean_only = true, o->levels = 257; }),
              HasSubstr("--levels must be in [2, 256]"));
  EXPECT_THAT(refusal([](auto* o) { o->numbers.mean_only = true, o->numbers.branching = 4; }),
              HasSubstr("--branching"));
  EXPECT_THAT(refusal([](auto* o) {
                o->kind.clear(), o->value_range.clear(), o->domain = 9, o->numbers.missing = true;
              }),
              HasSubstr("are for --kind number"));
}

TEST(NumberRequestTest, NamesTheLineOfItsFile) {
  const ScratchDirectory directory;
  TaskRequestOptions options = NumberOptions();
  options.value_range.clear();
  options.numbers.edges_file = directory.File("edges", "0\nx\n");
  EXPECT_THAT(std::string(ToRequest(options).status().message()),
              HasSubstr("--edges: line 2 must be a number"));
}

TEST(NumberRequestTest, IsReadFromATaskFile) {
  const ScratchDirectory directory;
  const auto options = ReadTaskFile(directory.File("task", R"({"name": "t", "kind": "number",
      "epsilon": 1, "delta": 1e-6, "users": 1000, "edges": [0, 1, 10], "missing": true,
      "branching": 2})"));
  ASSERT_TRUE(options.ok()) << options.status();
  const auto request = ToRequest(*options);
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_THAT(request->numbers().edges(), ElementsAre(0, 1, 10));
  EXPECT_TRUE(request->numbers().missing());
  EXPECT_EQ(request->branching(), 2u);
  const auto wrong = ReadTaskFile(directory.File("wrong", R"({"edges": [0, "1"]})"));
  EXPECT_THAT(std::string(wrong.status().message()), HasSubstr("edges must be a list of numbers"));
}

}  // namespace
}  // namespace tombola::cli
