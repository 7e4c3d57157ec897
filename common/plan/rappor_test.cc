#include "common/mechanism/rappor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/status/status.h"
#include "common/plan/test_plan.h"

namespace tombola::mechanism {
namespace {

using ::testing::HasSubstr;

TEST(RapporPlanTest, TakesTheLargestBudgetThatMeetsTheTarget) {
  const Rappor planned = ValidPlan<Rappor>(Request(10000, 12, 0.28, 1e-6));
  // OUE of this budget has epsilon 0.280 by the reference.
  EXPECT_NEAR(planned.local_epsilon(), 4, 0.05);
  EXPECT_EQ(planned.bloom()->options().hashes, 1);
  EXPECT_EQ(planned.bloom()->options().bits, 16);
  EXPECT_NEAR(planned.count_model().support.holder, 0.5, 1e-9);
  PlanRequest request = Request(10000, 12, 0.28, 1e-6);
  request.max_local_epsilon = 2;
  EXPECT_NEAR(ValidPlan<Rappor>(request).local_epsilon(), 2, 0.01);
  // A larger batch meets what a smaller one does, also where delta hardly falls with the batch.
  const Rappor few = ValidPlan<Rappor>(Request(270, 8, 8, 1e-6));
  EXPECT_LE(few.SmallestHonest(8, 1e-6).value(), 270);
  // Alone it needs nobody.
  EXPECT_LE(ValidPlan<Rappor>(Request(1, 12, 1, 1e-6)).local_epsilon(), 1);
}

TEST(RapporPlanTest, TakesGivenNumbers) {
  PlanRequest request = Request(10000, 12, 0.0237, 1e-6);
  request.rappor = {.bits = 128, .hashes = 2, .prr = 0.5, .irr_p = 0.5, .irr_q = 0.75};
  const Rappor planned = ValidPlan<Rappor>(request);
  EXPECT_EQ(planned.bloom()->options().bits, 128);
  EXPECT_NEAR(planned.local_epsilon(), 1.0743, 1e-4);
  request.epsilon = 0.0233;
  ExpectRefused<Rappor>(request, "by these responses");
  request.epsilon = 1;
  request.max_local_epsilon = 1;
  ExpectRefused<Rappor>(request, "has local epsilon 1.075 by these responses");
  ExpectRefused<Rappor>(Request(1000, 257, 1, 1e-6), "tells at most 256 values apart");
}

TEST(RapporPlanTest, NamesTheNumberThatIsOutOfBounds) {
  const auto refused = [](const RapporNumbers& numbers, const std::string& message) {
    PlanRequest request = Request(1000, 12, 1, 1e-6);
    request.rappor = numbers;
    const absl::Status status = PlanOne(Rappor::kName, request).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << message;
    EXPECT_THAT(std::string(status.message()), HasSubstr(message));
  };
  refused({.bits = 257}, "bits is 257; it must be at least as many as values, and at most 256");
  refused({.bits = 11}, "bits is 11");
  refused({.hashes = 17}, "hashes is 17; it must be in [1, 16]");
  refused({.bits = 12, .hashes = 13}, "hashes is 13; it must be in [1, 12]");
  refused({.prr = 0.5}, "prr, irr_p and irr_q must be given together");
  refused({.prr = 0, .irr_p = 0.5, .irr_q = 0.75}, "prr is 0; it must be in (0, 1)");
  refused({.prr = 1, .irr_p = 0.5, .irr_q = 0.75}, "prr is 1");
  refused({.prr = 0.5, .irr_p = 0.75, .irr_q = 0.75}, "irr_q is 0.75; it must be in (0.75, 1]");
}

TEST(RapporPlanTest, IsPlannedByNameAlone) {
  EXPECT_TRUE(OnlyByName("rappor"));
  EXPECT_FALSE(OnlyByName("grr"));
  const auto candidates = PlanAll(Request(1000, 12, 1, 1e-6), "rappor").value();
  ASSERT_EQ(candidates.size(), 1u);
  EXPECT_TRUE(candidates[0].feasible) << candidates[0].reason;
}

}  // namespace
}  // namespace tombola::mechanism
