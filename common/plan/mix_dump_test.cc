#include "common/mechanism/mix_dump.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "common/accounting/noise_search.h"
#include "common/plan/planners.h"

namespace tombola::mechanism {
namespace {

using ::testing::HasSubstr;

PlanRequest Request(int64_t users, int64_t domain, double epsilon, double delta) {
  return {.honest = users,
          .submissions = users,
          .domain_size = domain,
          .epsilon = epsilon,
          .delta = delta};
}

// Plans, and checks what every plan promises.
MixDump Plan(const PlanRequest& request) {
  const auto planned = PlanOne("mix_dump", request);
  EXPECT_TRUE(planned.ok()) << planned.status();
  const MixDump mix_dump = dynamic_cast<const MixDump&>(**planned);
  EXPECT_EQ(mix_dump.domain_size(), request.domain_size);
  EXPECT_EQ(mix_dump.dummies().options().honest, request.honest);
  EXPECT_LE(mix_dump.Delta(request.honest, request.epsilon).value(), request.delta);
  EXPECT_LE(mix_dump.local_epsilon(), request.max_local_epsilon);
  EXPECT_LE(mix_dump.expected_reports_per_submission(), request.max_messages);
  return mix_dump;
}

void ExpectRefused(const PlanRequest& request, const std::string& message) {
  const absl::Status refused = PlanOne("mix_dump", request).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr(message));
}

TEST(MixDumpPlanTest, TakesHalfOfWhatPureDumpNeeds) {
  const double lambda = accounting::SmallestPoissonMean(0.5, 1e-6).value();
  const MixDump planned = Plan(Request(600000, 600, 0.5, 1e-6));
  EXPECT_NEAR(planned.parameters().dummies.value(), lambda / 2, 1e-6 * lambda);
  EXPECT_NEAR(planned.expected_reports_per_submission(), 1 + lambda / 2000, 1e-6);
}

TEST(MixDumpPlanTest, UsesTheBudgetUpAndSpendsNextToNothingOnTheCap) {
  const MixDump planned = Plan(Request(600000, 600, 0.5, 1e-6));
  EXPECT_GT(planned.Delta(600000, 0.5).value(), 0.999e-6);
  EXPECT_LE(planned.dummies().Charge(600000), 1e-10);
  EXPECT_LT(planned.max_reports_per_submission(), 12);
}

// Between randomised response and pure_dump, better with every dummy.
TEST(MixDumpPlanTest, TakesAGivenNumberOfDummies) {
  PlanRequest request = Request(600000, 600, 0.5, 1e-6);
  const double grr = PlanOne("grr", request).value()->PredictedMse(600000);
  double last = grr * 1.001;
  for (const double dummies : {0.01, 30.0, 68.0, 130.0}) {
    request.dummies = dummies;
    const MixDump planned = Plan(request);
    EXPECT_NEAR(planned.parameters().dummies.value(), dummies, 1e-6 * dummies);
    EXPECT_LT(planned.PredictedMse(600000), last);
    last = planned.PredictedMse(600000);
  }
  // More than pure_dump needs: the response need not hide anything.
  request.dummies = 137;
  EXPECT_GT(Plan(request).local_epsilon(), 30);
}

TEST(MixDumpPlanTest, KeepsToTheLocalCapAlsoBelowEpsilon) {
  PlanRequest request = Request(600000, 600, 0.5, 1e-6);
  for (const double cap : {8.0, 2.0, 0.3}) {
    request.max_local_epsilon = cap;
    EXPECT_NEAR(Plan(request).local_epsilon(), cap, 1e-6);
  }
}

TEST(MixDumpPlanTest, SaysHowManyMessagesItNeeds) {
  PlanRequest request = Request(600000, 600, 0.5, 1e-6);
  request.max_messages = 1.07;
  Plan(request);
  request.max_messages = 1.06;
  ExpectRefused(request, "mix_dump needs 1.068");
  request = Request(10, 10000, 0.5, 1e-6);
  ExpectRefused(request, "mix_dump needs 68048.1 draws of noise of each of 10 honest submissions");
  request = Request(1000000000, int64_t{1} << 24, 0.01, 1e-6);
  ExpectRefused(request, "more than are accounted for");
}

TEST(MixDumpPlanTest, ClosedFormsShareTheCoverBetweenDummiesAndResponses) {
  PlanRequest request = Request(600000, 600, 0.5, 1e-6);
  request.method = Method::kPublished;
  const MixDump planned = Plan(request);
  const double cover = 14 * std::log(2e6) / 0.25;
  const double lambda = planned.parameters().dummies.value();
  // Half of what pure_dump needs by the tight accountant: the dummies do not depend on the method.
  EXPECT_NEAR(lambda, 136.096 / 2, 0.01);
  const double k = std::expm1(planned.local_epsilon()) + 600;
  EXPECT_NEAR((599999 / k + lambda) / cover, 1, 1e-9);
  // Nothing is left for a response over so many values.
  request.domain_size = 10000;
  EXPECT_NEAR(Plan(request).local_epsilon(), 0.5, 1e-9);
  request.epsilon = 1.1;
  ExpectRefused(request, "proven for epsilon <= 1");
}

}  // namespace
}  // namespace tombola::mechanism
