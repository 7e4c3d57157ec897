#include "common/json/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tombola {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> NumberWarnings(int64_t users, double epsilon, bool dithered) {
  const mechanism::NumberPlanRequest request{
      .plan = {.honest = users, .submissions = users, .epsilon = epsilon, .delta = 1e-6},
      .bins = dithered ? 3 : 64,
      .dithered = dithered,
      .branching = dithered ? std::nullopt : std::optional<int64_t>(0)};
  const auto candidates = mechanism::PlanNumber(request, "grr");
  EXPECT_TRUE(candidates.ok()) << candidates.status();
  return NumberPlanWarnings(mechanism::Recommended(*candidates, mechanism::Left::kAnything),
                            request);
}

TEST(NumberPlanWarningsTest, WarnWhereAGuessWouldDo) {
  EXPECT_THAT(NumberWarnings(10, 0.1, /*dithered=*/false),
              ElementsAre(HasSubstr("one half for every range is never off by more than 50 %")));
  EXPECT_THAT(NumberWarnings(10, 0.1, /*dithered=*/true),
              ElementsAre(HasSubstr("the middle of the range is never off by more than 50 %")));
  EXPECT_THAT(NumberWarnings(20000, 1, /*dithered=*/false), IsEmpty());
  EXPECT_THAT(NumberWarnings(20000, 1, /*dithered=*/true), IsEmpty());
}

TEST(NumberPlanWarningsTest, AreThoseOfAllPlansToo) {
  mechanism::NumberPlanRequest request;
  request.plan.submissions = 1000;
  request.plan.delta = 0.01;
  EXPECT_THAT(NumberPlanWarnings(nullptr, request), ElementsAre(HasSubstr("not below 1/users")));
}

}  // namespace
}  // namespace tombola
