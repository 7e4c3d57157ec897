#include "common/json/strings_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tombola {
namespace {

using mechanism::StringPlanRequest;
using ::testing::HasSubstr;

StringPlanRequest Request() {
  return {.plan = {.honest = 1000000, .submissions = 1000000, .epsilon = 1, .delta = 1e-6},
          .symbols = 42,
          .length = 6};
}

TEST(StringsPlanJsonTest, HasARowForEveryWay) {
  const StringPlanRequest request = Request();
  const auto plans = mechanism::PlanStrings(request);
  ASSERT_TRUE(plans.ok()) << plans.status();
  const Json json = StringsPlanJson(
      *plans, mechanism::RecommendedStrings(*plans, mechanism::Left::kSomething), request);
  EXPECT_EQ(json["recommended"], "one_message");
  EXPECT_EQ(json["symbols"], 42);
  EXPECT_EQ(json["length"], 6);
  EXPECT_EQ(json["step"], 3);
  EXPECT_EQ(json["levels"], 2);
  EXPECT_EQ(json["whole"], false);
  EXPECT_TRUE(json["dictionary"].is_null());
  EXPECT_EQ(json["warnings"].size(), 1u);  // of delta, which is 1/users
  ASSERT_EQ(json["candidates"].size(), 3u);
  const Json& one = json["candidates"][0];
  EXPECT_EQ(one["mechanism"], "one_message");
  EXPECT_NEAR(one["holders"], 135, 0.02 * 135);  // the reference's, which has 2 %
  EXPECT_NEAR(one["holders_share"], 135e-6, 3e-6);
  EXPECT_EQ(one["messages_per_user"], 1);
  EXPECT_EQ(one["max_messages_per_user"], 1);
  EXPECT_EQ(one["bytes_per_user"], 54);
  EXPECT_NEAR(one["local_epsilon"], 11, 1);
  const Json& every = json["candidates"][2];
  EXPECT_EQ(every["mechanism"], "every_level");
  EXPECT_TRUE(every["local_epsilon"].is_null());
  EXPECT_GT(every["max_messages_per_user"], every["messages_per_user"]);
  // Whoever sends every level moves an estimate of one by a device only.
  EXPECT_NEAR(every["moved_by_report"], 1, 1e-3);
  EXPECT_LT(every["holders"], one["holders"]);
  EXPECT_EQ(mechanism::RecommendedStrings(*plans, mechanism::Left::kAnything), &plans->back());
}

TEST(StringsPlanJsonTest, OfADictionaryHasNoSteps) {
  StringPlanRequest request = Request();
  request.plan.max_local_epsilon = 8;
  request.whole = true;
  request.dictionary = 50000;
  const auto plans = mechanism::PlanStrings(request);
  ASSERT_TRUE(plans.ok()) << plans.status();
  const Json json = StringsPlanJson(
      *plans, mechanism::RecommendedStrings(*plans, mechanism::Left::kAnything), request);
  EXPECT_EQ(json["recommended"], "one_message");
  EXPECT_TRUE(json["step"].is_null());
  EXPECT_EQ(json["levels"], 1);
  EXPECT_EQ(json["dictionary"], 50000);
  EXPECT_EQ(json["tests"], 256 * 50000);
  const Json& dummies = json["candidates"][1];
  EXPECT_EQ(dummies["feasible"], false);
  EXPECT_TRUE(dummies["holders"].is_null());
  EXPECT_TRUE(dummies["range"].is_null());
  EXPECT_THAT(dummies["reason"], HasSubstr("no local epsilon"));
}

TEST(StringsPlanJsonTest, WarnsOfWhatFindsNothing) {
  StringPlanRequest request = Request();
  request.plan.honest = request.plan.submissions = 1000;
  const auto plans = mechanism::PlanStrings(request);
  ASSERT_TRUE(plans.ok()) << plans.status();
  const auto warnings = StringsPlanWarnings(&plans->front(), request);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings.front(), HasSubstr("% of the devices to be found"));
}

}  // namespace
}  // namespace tombola
