#include "cli/stream/question.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/stream/describe.h"
#include "nlohmann/json.hpp"
#include "tests/support/seeded_random.h"

namespace tombola::cli {
namespace {

using stream::Method;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

StreamFlags Year() { return {.epsilon = 1, .periods = 365}; }

TEST(StreamQuestionTest, StructuresHaveTheNamesOfMethods) {
  EXPECT_THAT(StructureNames(),
              ElementsAre("auto", "plain", "fenwick", "best", "k_ary", "square_root", "blt"));
}

TEST(StreamQuestionTest, WhatWasNotSaidIsSafe) {
  const stream::TotalsOptions options = *NewStream(Year());
  EXPECT_EQ(options.question.delta, 0);
  EXPECT_EQ(options.question.sensitivity, 1);
  EXPECT_EQ(options.question.intervals, 1);
  EXPECT_EQ(options.largest, 1);
  EXPECT_TRUE(options.question.adaptive);
  EXPECT_FALSE(options.question.method.has_value());
}

// A record may be all of an increment unless something else is said.
TEST(StreamQuestionTest, TheSensitivityIsTheLargestIncrement) {
  StreamFlags flags = Year();
  flags.most = 500;
  EXPECT_EQ(NewStream(flags)->question.sensitivity, 500);
  flags.sensitivity = 1;
  EXPECT_EQ(NewStream(flags)->question.sensitivity, 1);
  EXPECT_EQ(NewStream(flags)->largest, 500);
}

TEST(StreamQuestionTest, NamesTheLargestIncrementWhereItIsTheSensitivity) {
  StreamFlags flags = Year();
  flags.most = int64_t{1} << 31;
  EXPECT_TRUE(NewStream(flags).ok());
  flags.most = int64_t{1} << 32;
  EXPECT_THAT(NewStream(flags).status().message(),
              HasSubstr("--most must be in [1, 2^31] without --sensitivity"));
  flags.sensitivity = 1;
  EXPECT_TRUE(NewStream(flags).ok());
}

TEST(StreamQuestionTest, KAryIsForIncrementsThatDependOnNothing) {
  StreamFlags flags = Year();
  flags.fixed = true;
  EXPECT_FALSE(NewStream(flags)->question.adaptive);
  flags = Year();
  flags.structure = "k_ary";
  EXPECT_FALSE(NewStream(flags)->question.adaptive);
  EXPECT_EQ(NewStream(flags)->question.method, Method::kKAry);
  flags.structure = "blt";
  EXPECT_TRUE(NewStream(flags)->question.adaptive);
}

TEST(StreamQuestionTest, NamesWhatIsMissing) {
  EXPECT_THAT(NewStream({.periods = 3}).status().message(), HasSubstr("--epsilon"));
  EXPECT_THAT(NewStream({.epsilon = 1}).status().message(), HasSubstr("--periods"));
  EXPECT_THAT(NewStream({.epsilon = 1, .periods = 3, .unbounded = true}).status().message(),
              HasSubstr("--unbounded"));
  StreamFlags flags = Year();
  flags.structure = "tree";
  EXPECT_THAT(NewStream(flags).status().message(), HasSubstr("--structure"));
}

TEST(StreamQuestionTest, FlagsOfAStreamThatThereIsSayTheSameOrNothing) {
  StreamFlags began = {.epsilon = 0.5,
                       .delta = 1e-6,
                       .periods = 52,
                       .user_periods = 2,
                       .most = 9,
                       .sensitivity = 3,
                       .structure = "blt"};
  const stream::TotalsOptions options = *NewStream(began);
  EXPECT_TRUE(CheckAgrees({}, options).ok());
  EXPECT_TRUE(CheckAgrees(began, options).ok());
  const auto refusal = [&](auto change) {
    StreamFlags flags = began;
    change(flags);
    return std::string(CheckAgrees(flags, options).message());
  };
  EXPECT_EQ(refusal([](StreamFlags& flags) { flags.epsilon = 1; }),
            "--epsilon must be 0.5, as this stream began, is 1");
  EXPECT_THAT(refusal([](StreamFlags& flags) { flags.delta = 0; }), HasSubstr("--delta"));
  EXPECT_THAT(refusal([](StreamFlags& flags) { flags.periods = 53; }), HasSubstr("--periods"));
  EXPECT_THAT(refusal([](StreamFlags& flags) { flags.user_periods = 1; }),
              HasSubstr("--user-periods"));
  EXPECT_THAT(refusal([](StreamFlags& flags) { flags.most = 8; }), HasSubstr("--most"));
  EXPECT_THAT(refusal([](StreamFlags& flags) { flags.sensitivity = 1; }),
              HasSubstr("--sensitivity"));
  EXPECT_THAT(refusal([](StreamFlags& flags) { flags.structure = "auto"; }),
              HasSubstr("--structure must be blt"));
  EXPECT_THAT(refusal([](StreamFlags& flags) { flags.unbounded = true; }),
              HasSubstr("--unbounded"));
  EXPECT_THAT(refusal([](StreamFlags& flags) { flags.fixed = true; }), HasSubstr("--fixed"));
  EXPECT_THAT(
      CheckAgrees(began, *NewStream({.epsilon = 0.5, .delta = 1e-6, .unbounded = true})).message(),
      HasSubstr("--periods"));
}

Json Described(const StreamFlags& flags) {
  const stream::TotalsOptions options = *NewStream(flags);
  SeededRandom seed(1);
  const auto totals = *stream::RunningTotals::Create(options, &seed);
  return ToJson(*DescribeStream(options, *totals));
}

// Values of values_streams_strings.json, "trusted": N = 365 at epsilon 1.
TEST(StreamDescriptionTest, PredictsTheVarianceOfTotals) {
  StreamFlags flags = Year();
  Json said = Described(flags);
  EXPECT_EQ(said["structure"], "best");
  EXPECT_NEAR(said["variance_mean"].get<double>(), 133.12926851112354, 1e-4);
  EXPECT_NEAR(said["variance_max"].get<double>(), 195.53312818769032, 1e-4);
  EXPECT_EQ(said["delta"], 0);
  flags.structure = "fenwick";
  said = Described(flags);
  EXPECT_NEAR(said["variance_mean"].get<double>(), 306.10694509893966, 1e-4);
  EXPECT_NEAR(said["variance_max"].get<double>(), 653.0064228161984, 1e-4);
  flags.structure = "square_root";
  flags.delta = 1e-6;
  said = Described(flags);
  // And rounding to whole numbers.
  EXPECT_NEAR(said["variance_mean"].get<double>() - 1.0 / 12, 138.0886572984962, 1e-2);
  EXPECT_EQ(said["delta"], 1e-6);
  flags.structure = "blt";
  EXPECT_NEAR(Described(flags)["variance_max"].get<double>(), 154.838, 0.3);
}

TEST(StreamDescriptionTest, SaysWhatBlocksCost) {
  const stream::TotalsOptions options = *NewStream({.epsilon = 1, .unbounded = true});
  SeededRandom seed(1);
  const auto totals = *stream::RunningTotals::Create(options, &seed);
  const std::string text = ToText(*DescribeStream(options, *totals));
  EXPECT_THAT(text, HasSubstr("no last period"));
  EXPECT_THAT(text, HasSubstr("epsilon is that of one block"));
  EXPECT_THAT(text, HasSubstr("over the first 1023 periods"));
  EXPECT_TRUE(Described({.epsilon = 1, .unbounded = true})["periods"].is_null());
}

}  // namespace
}  // namespace tombola::cli
