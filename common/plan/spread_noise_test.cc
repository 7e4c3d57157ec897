#include "common/plan/spread_noise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "common/mechanism/aue.h"
#include "common/mechanism/correlated.h"
#include "common/mechanism/pure_dump.h"
#include "common/plan/planners.h"
#include "common/plan/test_plan.h"

namespace tombola::mechanism {
namespace {

using ::testing::HasSubstr;

using Planner = PlannedMechanism (*)(const PlanRequest&);
const std::vector<Planner>& Planners() {
  static const auto& planners =
      *new std::vector<Planner>{&Plan<PureDump>, &Plan<Aue>, &Plan<Correlated>};
  return planners;
}

std::shared_ptr<const Mechanism> MustPlan(Planner planner, const PlanRequest& request) {
  auto planned = planner(request);
  EXPECT_TRUE(planned.ok()) << planned.status();
  return *planned;
}

void ExpectImpossible(Planner planner, const PlanRequest& request, const std::string& reason) {
  const absl::Status status = planner(request).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(reason));
}

// Errors and messages by an independent implementation. It has a fixed number of dummies for
// pure_dump, whose error is smaller by 1/domain.
TEST(SpreadNoisePlanTest, ErrorsAndMessagesMatchTheReference) {
  const struct {
    int64_t honest, domain_size;
    double epsilon, delta;
    double pure_error, aue_error, correlated_error;
    double dummy_messages, correlated_messages;
  } kCases[] = {
      {600000, 600, 0.1, 1e-6, 7.3242263e-09, 7.3362615e-09, 2.7430213e-09, 3.65, 4.7392150},
      {600000, 600, 0.5, 1e-6, 3.7739311e-10, 3.7803223e-10, 1.0927758e-10, 1.1361, 1.9899256},
      {600000, 600, 1.0, 1e-6, 1.1826552e-10, 1.1848059e-10, 2.6976529e-11, 1.0426, 1.5561314},
      {600000, 600, 0.5, 1e-9, 6.6197819e-10, 6.6307837e-10, 1.0927758e-10, 1.2388, 3.0716593},
      {1000000, 42178, 0.5, 1e-6, 1.3609284e-10, 1.3609344e-10, 3.9339927e-11, 6.7409, 42.753083},
      {602325, 915, 1.0, 1e-9, 1.9837146e-10, 1.9860059e-10, 2.6768670e-11, 1.1095, 2.6607973},
  };
  for (const auto& c : kCases) {
    const PlanRequest request = Request(c.honest, c.domain_size, c.epsilon, c.delta);
    const auto pure = MustPlan(&Plan<PureDump>, request);
    const double values = static_cast<double>(c.domain_size);
    EXPECT_NEAR(pure->PredictedMse(c.honest) * (1 - 1 / values) / c.pure_error, 1, 5e-4);
    EXPECT_NEAR(pure->expected_reports_per_submission() / c.dummy_messages, 1, 5e-3);
    const auto aue = MustPlan(&Plan<Aue>, request);
    EXPECT_NEAR(aue->PredictedMse(c.honest) / c.aue_error, 1, 5e-4);
    EXPECT_NEAR(aue->expected_reports_per_submission() / c.dummy_messages, 1, 5e-3);
    const auto correlated = MustPlan(&Plan<Correlated>, request);
    EXPECT_NEAR(correlated->PredictedMse(c.honest) / c.correlated_error, 1, 1e-6);
    EXPECT_NEAR(correlated->expected_reports_per_submission() / c.correlated_messages, 1, 5e-3);
  }
}

// Values of an independent implementation.
TEST(SpreadNoisePlanTest, DummiesAreThoseOfTheReference) {
  const struct {
    double epsilon, dummies;
  } kCases[] = {{0.1, 2641.129972738182},  {0.2, 726.6875891443923}, {0.3, 343.43775263380144},
                {0.5, 136.09618245688046}, {0.7, 75.87274554501428}, {1.0, 42.654530573041555}};
  for (const auto& c : kCases) {
    const auto planned = MustPlan(&Plan<PureDump>, Request(1000000, 100, c.epsilon, 1e-6));
    EXPECT_GE(*planned->parameters().dummies, c.dummies * (1 - 1e-7)) << c.epsilon;
    EXPECT_LE(*planned->parameters().dummies, c.dummies * (1 + 1e-4)) << c.epsilon;
    EXPECT_EQ(planned->parameters().honest, 1000000);
  }
}

TEST(SpreadNoisePlanTest, EveryPlanMeetsItsTarget) {
  int planned_in_all = 0;
  for (const Planner planner : Planners()) {
    for (const int64_t honest : {int64_t{1}, int64_t{150}, int64_t{3000}, int64_t{1} << 40}) {
      for (const double epsilon : {0.05, 0.5, 2.0, 9.0, 40.0}) {
        for (const double delta : {1e-3, 1e-9}) {
          const PlanRequest request = Request(honest, 3, epsilon, delta);
          const auto planned = planner(request);
          if (!planned.ok()) {
            EXPECT_EQ(planned.status().code(), absl::StatusCode::kFailedPrecondition)
                << planned.status();
            continue;
          }
          ++planned_in_all;
          EXPECT_LE(*(*planned)->Delta(honest, epsilon), delta);
          EXPECT_EQ(*(*planned)->SmallestHonest(epsilon, delta), honest);
          EXPECT_LE(*(*planned)->EpsilonAt(honest, delta), epsilon);
          EXPECT_EQ((*planned)->parameters().honest, honest);
        }
      }
    }
  }
  EXPECT_GE(planned_in_all, 90) << "of 120";
}

// The cap and the tables cost next to nothing, and a smaller cap would cost too much.
TEST(SpreadNoisePlanTest, CapsAreTheSmallestThatCostNothing) {
  const PlanRequest request = Request(600000, 600, 0.5, 1e-6);
  const auto pure = MustPlan(&Plan<PureDump>, request);
  const DummyOptions dummies = dynamic_cast<const PureDump&>(*pure).dummies().options();
  EXPECT_LE(Dummies::Create(dummies, "")->Charge(600000), 1e-12);
  EXPECT_GT(Dummies::Create({dummies.rate, dummies.honest, dummies.max - 1}, "")->Charge(600000),
            1e-12);
  const auto aue = MustPlan(&Plan<Aue>, request);
  const AueOptions coins = dynamic_cast<const Aue&>(*aue).options();
  const double each = 600000 * (1 + std::exp(0.5));
  EXPECT_LE(each * AboveCap(600, coins.coin_threshold, coins.max_dummies), 1e-12);
  EXPECT_GT(each * AboveCap(600, coins.coin_threshold, coins.max_dummies - 1), 1e-12);
  const auto correlated = MustPlan(&Plan<Correlated>, request);
  CorrelatedOptions noise = dynamic_cast<const Correlated&>(*correlated).options();
  EXPECT_LE(each * AboveCap(noise), 1e-12);
  noise.max_noise -= 2;
  EXPECT_GT(each * AboveCap(noise), 1e-12);
}

TEST(SpreadNoisePlanTest, NothingIsLeftForACapOnTheLocalEpsilon) {
  for (const Planner planner : Planners()) {
    PlanRequest request = Request(600000, 600, 0.5, 1e-6);
    request.max_local_epsilon = 8;
    ExpectImpossible(planner, request, "leaves nothing if the shuffler colludes");
    ExpectImpossible(planner, request, "the cap is 8");
  }
}

TEST(SpreadNoisePlanTest, SaysHowManyMessagesItNeeds) {
  PlanRequest request = Request(600000, 600, 0.5, 1e-6);
  request.max_messages = 1.13;
  ExpectImpossible(&Plan<PureDump>, request, "pure_dump needs 1.136");
  ExpectImpossible(&Plan<Aue>, request, "aue needs 1.136");
  ExpectImpossible(&Plan<Correlated>, request, "correlated needs at least 1.183");
  request.max_messages = 1.137;
  EXPECT_TRUE(Plan<PureDump>(request).ok());
  EXPECT_TRUE(Plan<Aue>(request).ok());
}

// Fewer messages for more noise.
TEST(SpreadNoisePlanTest, CorrelatedGivesWayToACapOnMessages) {
  PlanRequest request = Request(600000, 600, 0.5, 1e-6);
  double last = MustPlan(&Plan<Correlated>, request)->PredictedMse(600000);
  for (const double messages : {1.9, 1.6, 1.3, 1.19}) {
    request.max_messages = messages;
    const auto planned = MustPlan(&Plan<Correlated>, request);
    EXPECT_LE(planned->expected_reports_per_submission(), messages);
    EXPECT_GT(planned->expected_reports_per_submission(), messages - 0.1);
    EXPECT_GT(planned->PredictedMse(600000), last);
    last = planned->PredictedMse(600000);
  }
}

TEST(SpreadNoisePlanTest, SaysWhenTooFewDevicesWouldCarryTheNoise) {
  ExpectImpossible(&Plan<Aue>, Request(100, 10, 0.5, 1e-6), "100 honest submissions");
  ExpectImpossible(&Plan<PureDump>, Request(1000, 1 << 24, 0.5, 1e-6), "needs 2.2833");
  ExpectImpossible(&Plan<Correlated>, Request(100, 42178, 0.5, 1e-6), "100 honest submissions");
  ExpectImpossible(&Plan<Correlated>, Request(600000, 600, 1e-3, 1e-6),
                   "epsilon 0.001 is too small");
  ExpectImpossible(&Plan<PureDump>, Request(600000, 600, 1e-6, 1e-6), "dummies for each value");
}

TEST(SpreadNoisePlanTest, PublishedFormsAreTheClosedOnes) {
  PlanRequest request = Request(600000, 600, 0.5, 1e-6);
  request.method = Method::kPublished;
  const auto pure = MustPlan(&Plan<PureDump>, request);
  EXPECT_NEAR(*pure->parameters().dummies / (487491.90001441375 / 600), 1, 1e-9);
  EXPECT_NEAR(pure->PredictedMse(600000) * (1 - 1.0 / 600) / 2.2531454e-09, 1, 1e-6);
  const auto aue = MustPlan(&Plan<Aue>, request);
  EXPECT_NEAR(*aue->parameters().dummies / (0.02026907322544555 * 600000), 1, 1e-9);
  EXPECT_NEAR(aue->PredictedMse(600000) / 3.3097063e-08, 1, 1e-6);
  ExpectImpossible(&Plan<Correlated>, request, "no published form");
  request.epsilon = 2.5;
  ExpectImpossible(&Plan<PureDump>, request, "epsilon <= 1");
  ExpectImpossible(&Plan<Aue>, request, "epsilon < 2");
}

// The noise is sized for the honest submissions; all others only add to it.
TEST(SpreadNoisePlanTest, MoreSubmissionsThanHonestOnesAddNoise) {
  for (const Planner planner : Planners()) {
    PlanRequest request = Request(540000, 600, 0.5, 1e-6);
    request.submissions = 600000;
    const auto planned = MustPlan(planner, request);
    const double error = planned->PredictedMse(600000);
    request.submissions = 540000;
    EXPECT_NEAR(error / MustPlan(planner, request)->PredictedMse(540000), 0.9, 1e-9);
  }
}

}  // namespace
}  // namespace tombola::mechanism
