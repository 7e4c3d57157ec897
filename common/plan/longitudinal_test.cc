#include "common/plan/longitudinal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "absl/status/status.h"
#include "common/mechanism/every.h"
#include "common/plan/test_plan.h"

namespace tombola::mechanism {
namespace {

using ::testing::HasSubstr;

LongitudinalRequest Over(int64_t reports, int64_t users, double epsilon) {
  return {.plan = Request(users, 20, epsilon, 1e-6), .reports = reports};
}

double DeviationOf(const LongitudinalCandidate& made) { return std::sqrt(made.candidate.mse); }

// Of an independent implementation, to 1 %: the deviation of a share of 20 values.
TEST(LongitudinalTest, FreshNoiseHasTheReferenceErrors) {
  struct Case {
    const char* name;
    int64_t reports, users;
    double epsilon, deviation;
  };
  for (const Case& c : {Case{"pure_dump", 30, 10000, 1, 0.003273859012467248},
                        Case{"pure_dump", 365, 10000, 4, 0.003226558041190166},
                        Case{"grr", 30, 10000, 1, 0.003904874264655646}}) {
    const auto made = PlanFresh(c.name, Over(c.reports, c.users, c.epsilon));
    ASSERT_TRUE(made.ok()) << made.status();
    EXPECT_NEAR(DeviationOf(*made) / c.deviation, 1, 0.01) << c.name << " " << c.reports;
    EXPECT_LT(made->epsilon, c.epsilon / std::sqrt(static_cast<double>(c.reports)) * 1.3);
  }
}

// V = (d - 2 + e^epsilon) / (e^epsilon - 1)^2, whoever else is there.
TEST(LongitudinalTest, MemosHaveTheErrorOfWhatTheySayByThemselves) {
  const auto grr = PlanMemo("grr", Over(365, 10000, 4));
  ASSERT_TRUE(grr.ok()) << grr.status();
  // Of a value that nobody holds; the plan's own is averaged over values that some hold.
  const double none = EstimateVariance(grr->candidate.mechanism->count_model(),
                                       {.submissions = 10000}, /*frequency=*/0);
  EXPECT_NEAR(std::sqrt(none) / 0.0015896919570440324, 1, 0.01);
  EXPECT_LE(*grr->candidate.mechanism->memo_epsilon(), 4);
  EXPECT_EQ(grr->epsilon, 4);
  LongitudinalRequest two = Over(365, 10000, 4);
  two.values = 2;
  EXPECT_NEAR(*PlanMemo("grr", two)->candidate.mechanism->memo_epsilon(), 2, 1e-6);
  // 4 e / (e - 1)^2 by the best code; a plane of five buckets comes near.
  const auto hashed = PlanMemo("local_hash", Over(365, 10000, 1));
  ASSERT_TRUE(hashed.ok()) << hashed.status();
  EXPECT_LT(DeviationOf(*hashed), 1.1 * 0.01919034751334944);
  const auto rappor = PlanMemo("rappor", Over(365, 10000, 1));
  ASSERT_TRUE(rappor.ok()) << rappor.status();
  EXPECT_LE(*rappor->candidate.mechanism->memo_epsilon(), 1);
  EXPECT_NEAR(*rappor->candidate.mechanism->memo_epsilon(), 1, 1e-6);
}

TEST(LongitudinalTest, RefusesWhatCannotBe) {
  const auto refused = [](const absl::Status& status, absl::StatusCode code, const char* message) {
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(message));
  };
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  constexpr auto kCannot = absl::StatusCode::kFailedPrecondition;
  refused(PlanFresh("grr", Over(1, 1000, 1)).status(), kInvalid,
          "submissions_per_device is 1; it must be in [2, 1000]");
  LongitudinalRequest request = Over(5, 1000, 1);
  request.values = 6;
  refused(PlanMemo("grr", request).status(), kInvalid, "distinct_values is 6");
  for (const char* name : {"pure_dump", "aue", "correlated", "murs", "mix_dump"}) {
    refused(PlanMemo(name, Over(5, 1000, 1)).status(), kCannot,
            "has nothing that a device could keep");
  }
  refused(PlanFresh("rappor", Over(5, 1000, 1)).status(), kCannot, "rappor keeps its memo");
  request = Over(5, 1000, 4);
  request.plan.rappor = {.hashes = 2, .prr = 0.5, .irr_p = 0.5, .irr_q = 0.75};
  refused(PlanMemo("rappor", request).status(), kCannot, "has epsilon 4.395 of a memo");
}

}  // namespace
}  // namespace tombola::mechanism
