#include "common/json/stream_plan.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tombola {
namespace {

using mechanism::StreamPlanRequest;

TEST(StreamPlanJsonTest, HasARowForEveryMechanismAndStructure) {
  StreamPlanRequest request{.periods = 12, .device_periods = 2};
  request.plan.honest = request.plan.submissions = 200;
  request.plan.domain_size = 20;
  request.plan.epsilon = 1;
  request.plan.delta = 1e-6;
  const auto candidates = mechanism::PlanStream(request);
  ASSERT_TRUE(candidates.ok()) << candidates.status();
  const Json json =
      StreamPlanJson(*candidates, mechanism::ChooseStream(*candidates, request), request);
  EXPECT_TRUE(json["recommended"].is_string());
  EXPECT_TRUE(json["structure"].is_string());
  ASSERT_EQ(json["candidates"].size(), 10);
  const Json& plain = json["candidates"][0];
  EXPECT_EQ(plain["mechanism"], "correlated");
  EXPECT_EQ(plain["structure"], "plain");
  EXPECT_EQ(plain["feasible"], true);
  EXPECT_EQ(plain["depth"], 1);
  EXPECT_GT(plain["variance_max"], plain["variance_mean"]);
  // Two batches at the target's delta cost less than a group.
  EXPECT_EQ(plain["total_delta"], 1e-6);
  EXPECT_LT(plain["total_epsilon"], 2);
  // Of aue in a tree, 200 devices toss too few coins.
  const Json& none = json["candidates"][7];
  EXPECT_EQ(none["mechanism"], "aue");
  EXPECT_EQ(none["feasible"], false);
  EXPECT_TRUE(none["variance_mean"].is_null());
  EXPECT_TRUE(none["total_epsilon"].is_null());
  EXPECT_FALSE(none["reason"].get<std::string>().empty());
}

TEST(StreamPlanJsonTest, OfADeviceOfOnePeriodHasNothingBesideTheTarget) {
  StreamPlanRequest request{.periods = 3};
  request.plan.honest = request.plan.submissions = 2000;
  request.plan.domain_size = 20;
  request.plan.epsilon = 1;
  request.plan.delta = 1e-6;
  const auto candidates = mechanism::PlanStream(request, "pure_dump");
  ASSERT_TRUE(candidates.ok()) << candidates.status();
  const Json json = StreamPlanJson(*candidates, {}, request);
  EXPECT_TRUE(json["recommended"].is_null());
  EXPECT_TRUE(json["candidates"][0]["total_epsilon"].is_null());
}

}  // namespace
}  // namespace tombola
