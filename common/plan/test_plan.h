// What the tests of planners share: a request, and what every plan promises.
#ifndef TOMBOLA_COMMON_PLAN_TEST_PLAN_H_
#define TOMBOLA_COMMON_PLAN_TEST_PLAN_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "common/plan/plan.h"

namespace tombola::mechanism {

// All of the submissions are honest.
inline PlanRequest Request(int64_t users, int64_t domain, double epsilon, double delta) {
  return {.honest = users,
          .submissions = users,
          .domain_size = domain,
          .epsilon = epsilon,
          .delta = delta};
}

// Plans M, and checks that it is for the request's values, meets its target for the honest
// submissions, and keeps to its caps.
template <typename M>
M ValidPlan(const PlanRequest& request) {
  const auto planned = PlanOne(M::kName, request);
  EXPECT_TRUE(planned.ok()) << planned.status();
  const M mechanism = dynamic_cast<const M&>(**planned);
  EXPECT_EQ(mechanism.domain_size(), request.domain_size);
  EXPECT_LE(mechanism.Delta(request.honest, request.epsilon).value(), request.delta);
  EXPECT_LE(mechanism.local_epsilon(), request.max_local_epsilon);
  EXPECT_LE(mechanism.expected_reports_per_submission(), request.max_messages);
  return mechanism;
}

// That no M meets the request, and that the reason says so.
template <typename M>
void ExpectRefused(const PlanRequest& request, const std::string& reason) {
  const absl::Status refused = PlanOne(M::kName, request).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition) << refused;
  EXPECT_THAT(std::string(refused.message()), ::testing::HasSubstr(reason));
}

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_PLAN_TEST_PLAN_H_
