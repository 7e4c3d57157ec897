#include "common/plan/stream.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/accounting/work.h"
#include "common/plan/stream_nodes.h"
#include "common/scheme/nodes.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tombola::mechanism {
namespace {

using ::testing::HasSubstr;

StreamPlanRequest RequestFor(int64_t periods, int64_t honest = 10000) {
  StreamPlanRequest request{.periods = periods};
  request.plan.honest = request.plan.submissions = honest;
  request.plan.domain_size = 20;
  request.plan.epsilon = 1;
  request.plan.delta = 1e-6;
  return request;
}

StreamCandidate PlannedFor(const std::string& mechanism, StreamStructure structure,
                           StreamPlanRequest request) {
  request.structure = structure;
  const auto candidates = PlanStream(request, mechanism);
  EXPECT_TRUE(candidates.ok()) << candidates.status();
  return candidates->front();
}

// The largest delta of a period, each by itself and exactly.
double LargestDelta(const StreamCandidate& candidate, const PlanRequest& request) {
  std::vector<StreamNode> nodes;
  for (size_t i = 0; i < candidate.nodes.size(); ++i) {
    const auto node = static_cast<int64_t>(i) + 1;
    const int64_t honest = (node - candidate.layout->start(node)) * request.honest;
    nodes.push_back({.scheme = candidate.nodes[i], .honest = honest, .smallest_batch = honest});
  }
  const Nodes made(*candidate.layout, std::move(nodes));
  double largest = 0;
  for (const uint64_t period : made.DistinctPeriods()) {
    const auto delta = made.PeriodDelta(period, request.epsilon);
    EXPECT_TRUE(delta.ok()) << delta.status();
    largest = std::max(largest, *delta);
  }
  EXPECT_LE(largest, *made.WorstDelta(request.epsilon) * (1 + 1e-12));
  EXPECT_GE(largest * 1.01, *made.WorstDelta(request.epsilon));
  return largest;
}

// Against independent code. Plans leave a ten-thousandth of delta unused, and pay for caps.
TEST(StreamPlanTest, HasTheReferenceVariances) {
  struct Row {
    const char* mechanism;
    StreamStructure structure;
    int64_t periods;
    double mean, max;
  };
  const Row rows[] = {
      {"correlated", StreamStructure::kPlain, 24, 121.3943822302809, 233.07721388213938},
      {"correlated", StreamStructure::kBest, 24, 121.3943822302809, 233.07721388213938},
      {"correlated", StreamStructure::kBest, 52, 221.03829688154025, 363.1718780153402},
      {"correlated", StreamStructure::kFenwick, 24, 339.26233830525166, 535.6856768211637},
      {"correlated", StreamStructure::kPlain, 365, 1777.2137558513057, 3544.715961124168},
      {"correlated", StreamStructure::kBest, 365, 667.2922529489177, 989.0049883568364},
      {"correlated", StreamStructure::kBest, 1000, 1044.622743428406, 1461.90949869371},
      {"pure_dump", StreamStructure::kPlain, 24, 533.1816321630195, 1023.7087337529977},
      {"pure_dump", StreamStructure::kBest, 24, 291.6747123768209, 439.93777381944267},
      {"pure_dump", StreamStructure::kFenwick, 24, 314.8484751184494, 396.43785094401517},
      {"pure_dump", StreamStructure::kBest, 52, 416.0481055459854, 597.1604964627343},
      {"pure_dump", StreamStructure::kBest, 365, 841.5397604048817, 1133.507410686992}};
  for (const Row& row : rows) {
    const StreamPlanRequest request = RequestFor(row.periods);
    const StreamCandidate candidate = PlannedFor(row.mechanism, row.structure, request);
    ASSERT_TRUE(candidate.feasible) << candidate.reason;
    EXPECT_NEAR(candidate.variance_mean / row.mean, 1, 1e-4) << row.mechanism << row.periods;
    EXPECT_NEAR(candidate.variance_max / row.max, 1, 1e-4) << row.mechanism << row.periods;
  }
}

// What the kind is for: a year of days.
TEST(StreamPlanTest, OfAYearWithCorrelatedNoiseIsBelowSevenHundred) {
  const StreamCandidate best = PlannedFor("correlated", StreamStructure::kBest, RequestFor(365));
  EXPECT_LE(best.variance_mean, 700);
  EXPECT_LE(LargestDelta(best, RequestFor(365).plan), 1e-6);
  EXPECT_EQ(best.depth, 3);
}

TEST(StreamPlanTest, HoldsInEveryPeriod) {
  for (const auto& [epsilon, delta] : {std::pair(1.0, 1e-6), std::pair(0.5, 1e-9)}) {
    for (const char* const mechanism : {"correlated", "pure_dump", "aue"}) {
      for (const StreamStructure structure :
           {StreamStructure::kPlain, StreamStructure::kFenwick, StreamStructure::kBest}) {
        StreamPlanRequest request = RequestFor(30);
        request.plan.epsilon = epsilon;
        request.plan.delta = delta;
        const StreamCandidate candidate = PlannedFor(mechanism, structure, request);
        ASSERT_TRUE(candidate.feasible) << candidate.reason;
        const double largest = LargestDelta(candidate, request.plan);
        EXPECT_LE(largest, delta) << mechanism << NameOf(structure);
        EXPECT_GE(largest, 0.5 * delta) << mechanism << NameOf(structure);
      }
    }
  }
}

// With a large epsilon variances by the rule alone are 1.11 times above the target.
TEST(StreamPlanTest, RaisesTheNoiseWhereTheRuleIsNotEnough) {
  StreamPlanRequest request = RequestFor(12);
  request.plan.epsilon = 10;
  const StreamCandidate best = PlannedFor("pure_dump", StreamStructure::kBest, request);
  ASSERT_TRUE(best.feasible) << best.reason;
  EXPECT_GT(best.depth, 1);
  EXPECT_LE(LargestDelta(best, request.plan), 1e-6);
}

TEST(StreamPlanTest, SaysThatAueHasTooFewDevicesForANode) {
  const StreamCandidate candidate =
      PlannedFor("aue", StreamStructure::kFenwick, RequestFor(52, 1000));
  EXPECT_FALSE(candidate.feasible);
  EXPECT_THAT(candidate.reason, HasSubstr("even fair coins are too little noise"));
  EXPECT_TRUE(PlannedFor("aue", StreamStructure::kPlain, RequestFor(52, 1000)).feasible);
}

TEST(StreamPlanTest, CountsPlainPeriodsWithRandomisedResponse) {
  const auto candidates = PlanStream(RequestFor(12), "grr");
  ASSERT_TRUE(candidates.ok());
  ASSERT_EQ(candidates->size(), 1);
  EXPECT_EQ(candidates->front().structure, StreamStructure::kPlain);
  EXPECT_TRUE(candidates->front().feasible);
}

TEST(StreamPlanTest, LeavesOutWhatHasMoreMessagesThanAreAllowed) {
  StreamPlanRequest request = RequestFor(52);
  request.plan.max_messages = 4;
  const StreamCandidate best = PlannedFor("pure_dump", StreamStructure::kBest, request);
  EXPECT_FALSE(best.feasible);
  EXPECT_THAT(best.reason, HasSubstr("the cap is 4"));
}

std::vector<StreamCandidate> AllFor(const StreamPlanRequest& request, const char* only = "") {
  auto candidates = PlanStream(request, only);
  EXPECT_TRUE(candidates.ok()) << candidates.status();
  return *std::move(candidates);
}

// A device that fills five cells needs noise for five on each, in every node: five times the
// normal one's, and hardly more of what Poisson noise needs beside it.
TEST(StreamPlanTest, HidesSeveralCellsOfADevice) {
  for (const StreamStructure structure : {StreamStructure::kPlain, StreamStructure::kBest}) {
    const StreamPlanRequest one = RequestFor(24);
    StreamPlanRequest several = one;
    several.plan.filling = {.held = 5, .sent = 5};
    several.certain = true;
    for (const std::string mechanism : {"pure_dump", "aue"}) {
      const StreamCandidate alone = PlannedFor(mechanism, structure, one);
      const StreamCandidate five = PlannedFor(mechanism, structure, several);
      ASSERT_TRUE(five.feasible) << five.reason;
      EXPECT_LE(LargestDelta(five, several.plan), several.plan.delta);
      EXPECT_GT(LargestDelta(five, several.plan), 0.8 * several.plan.delta);
      EXPECT_GT(five.variance_mean, 4.1 * alone.variance_mean);
      EXPECT_LT(five.variance_mean, 5.2 * alone.variance_mean);
    }
  }
  StreamPlanRequest two = RequestFor(24);
  two.plan.filling = {.held = 2, .sent = 2};
  const StreamCandidate correlated = PlannedFor("correlated", StreamStructure::kBest, two);
  ASSERT_TRUE(correlated.feasible) << correlated.reason;
  EXPECT_LE(LargestDelta(correlated, two.plan), two.plan.delta);
}

TEST(StreamChoiceTest, IsATreeWhereCountsMatterAndPlainPeriodsWhereSharesDo) {
  StreamPlanRequest request = RequestFor(52);
  const auto candidates = AllFor(request, "pure_dump");
  const StreamChoice counts = ChooseStream(candidates, request);
  ASSERT_NE(counts.candidate, nullptr);
  EXPECT_EQ(counts.candidate->structure, StreamStructure::kBest);
  EXPECT_THAT(counts.why, HasSubstr("2.72 times less variance"));
  // 42.7 is a tenth of what 10,000 devices vary by at 4.5 %.
  request.plan.frequency = 0.05;
  const StreamChoice shares = ChooseStream(candidates, request);
  EXPECT_EQ(shares.candidate->structure, StreamStructure::kPlain);
  EXPECT_THAT(shares.why, HasSubstr("summing plain periods is better"));
  request.plan.frequency = 0.04;
  EXPECT_EQ(ChooseStream(candidates, request).candidate->structure, StreamStructure::kBest);
}

TEST(StreamChoiceTest, IsPlainPeriodsForDevicesOfManyPeriods) {
  StreamPlanRequest request = RequestFor(52);
  const auto candidates = AllFor(request, "pure_dump");
  request.device_periods = 2;
  EXPECT_EQ(ChooseStream(candidates, request).candidate->structure, StreamStructure::kBest);
  request.device_periods = 4;
  const StreamChoice choice = ChooseStream(candidates, request);
  EXPECT_EQ(choice.candidate->structure, StreamStructure::kPlain);
  EXPECT_THAT(choice.why, HasSubstr("a device of 4 periods"));
}

TEST(StreamChoiceTest, IsWhatUsualDevicesTake) {
  StreamPlanRequest request = RequestFor(365);
  const std::vector<StreamCandidate> candidates = {
      PlannedFor("correlated", StreamStructure::kBest, request),
      PlannedFor("pure_dump", StreamStructure::kBest, request)};
  const StreamChoice usual = ChooseStream(candidates, request);
  EXPECT_EQ(usual.candidate->mechanism, "pure_dump");
  EXPECT_EQ(usual.candidate->structure, StreamStructure::kBest);
  EXPECT_THAT(usual.why, HasSubstr("correlated, best would have 1.26 times less"));
  request.most_messages = 65535;
  EXPECT_EQ(ChooseStream(candidates, request).candidate->mechanism, "correlated");
}

TEST(StreamChoiceTest, SaysNothingOfStructuresThatWereNotPlanned) {
  StreamPlanRequest request = RequestFor(52);
  for (const StreamStructure structure : {StreamStructure::kPlain, StreamStructure::kBest}) {
    request.structure = structure;
    const StreamChoice choice = ChooseStream(AllFor(request, "pure_dump"), request);
    ASSERT_NE(choice.candidate, nullptr);
    EXPECT_EQ(choice.why, absl::StrCat("the least mean variance of the structure ",
                                       NameOf(structure), "; other structures were not planned"));
  }
  request.structure.reset();
  EXPECT_EQ(ChooseStream(AllFor(request, "grr"), request).why, "");
}

TEST(StreamPlanTest, RefusesWhatIsOutOfRange) {
  const auto refusal = [](const StreamPlanRequest& request, const char* only = "") {
    return std::string(PlanStream(request, only).status().message());
  };
  EXPECT_EQ(refusal(RequestFor(0)), "periods must be in [1, 4096], is 0");
  EXPECT_EQ(refusal(RequestFor(4097)), "periods must be in [1, 4096], is 4097");
  EXPECT_THAT(refusal(RequestFor(12), "local_hash"), HasSubstr("must be correlated, pure_dump"));
  StreamPlanRequest request = RequestFor(12);
  request.structure = StreamStructure::kBest;
  EXPECT_THAT(refusal(request, "grr"), HasSubstr("plain structure only"));
  request = RequestFor(12);
  request.device_periods = 0;
  EXPECT_THAT(refusal(request), HasSubstr("device_periods must be in [1, 12]"));
  request.device_periods = 13;
  EXPECT_THAT(refusal(request), HasSubstr("device_periods must be in [1, 12]"));
  request = RequestFor(12);
  request.plan.epsilon = -1;
  EXPECT_THAT(refusal(request), HasSubstr("epsilon is -1"));
  request = RequestFor(12);
  request.plan.domain_size = 1;
  EXPECT_THAT(refusal(request), HasSubstr("domain_size is 1"));
  request = RequestFor(12);
  request.plan.delta = 1e-4;
  EXPECT_THAT(refusal(request), HasSubstr("delta must be below"));
}

TEST(StreamPlanTest, EndsWhereItMayTakeNoMore) {
  accounting::Work work(/*most_points=*/1000);
  StreamPlanRequest request = RequestFor(52);
  request.plan.all_work = &work;
  const StreamCandidate candidate = PlannedFor("correlated", StreamStructure::kBest, request);
  EXPECT_FALSE(candidate.feasible);
  EXPECT_TRUE(work.exhausted());
}

}  // namespace
}  // namespace tombola::mechanism
