#include <cmath>
#include <string>
#include <vector>

#include "common/accounting/blanket.h"
#include "common/accounting/noise_search.h"
#include "common/accounting/submission_loss.h"
#include "common/plan/plan.h"
#include "common/table/count_model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tombola::mechanism {
namespace {

using ::testing::HasSubstr;

// So many keys of `levels` cells each, of which a device holds `held`.
PlanRequest RequestFor(int64_t users, int64_t keys, int64_t levels, int64_t held, double epsilon,
                       double delta) {
  return {.honest = users,
          .submissions = users,
          .domain_size = keys * levels + held,
          .filling = {.held = held, .sent = held},
          .epsilon = epsilon,
          .delta = delta};
}

double KeyDeviation(const Mechanism& mechanism, int64_t levels, int64_t users, double frequency) {
  return std::sqrt(
      EstimateVariance(Joined(mechanism.count_model(), levels), {.submissions = users}, frequency));
}

// A million devices, 1,000 keys at two levels, 6 of them a device: shared noise against one sampled
// response.
TEST(ItemsPlanTest, SharedNoiseIsAsAccurateAsTheReferenceAndFarBetterThanSampling) {
  const PlanRequest request = RequestFor(1000000, 1000, 2, 6, 0.5, 1e-6);
  const auto all = PlanOne("pure_dump", request);
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_LE(KeyDeviation(**all, 2, 1000000, 0.1), 4.0e-5);
  EXPECT_NEAR((*all)->expected_reports_per_submission(), 7.6, 0.05);
  PlanRequest one = request;
  one.filling.sent = 1;
  const auto sampled = PlanOne("grr", one);
  ASSERT_TRUE(sampled.ok()) << sampled.status();
  EXPECT_NEAR(KeyDeviation(**sampled, 2, 1000000, 0.1) / 7.26e-4, 1, 0.02);
  EXPECT_TRUE(std::isfinite((*sampled)->local_epsilon()));
  EXPECT_TRUE(std::isinf((*all)->local_epsilon()));
}

// Predictions of an independent implementation: variances of a rare cell.
TEST(ItemsPlanTest, PredictedErrorsAreTheReference) {
  const auto variance = [](const char* name, PlanRequest request, double frequency) {
    const auto planned = PlanOne(name, request);
    EXPECT_TRUE(planned.ok()) << planned.status();
    return EstimateVariance((*planned)->count_model(), {.submissions = request.submissions},
                            frequency);
  };
  PlanRequest request = RequestFor(100000, 100, 2, 5, 0.5, 1e-6);
  EXPECT_NEAR(variance("pure_dump", request, 0) / 6.509003696540073e-08, 1, 0.01);
  request.filling.sent = 1;
  EXPECT_NEAR(variance("grr", request, 0) / 6.787196956011981e-08, 1, 0.02);
  // r of l.
  request = RequestFor(1000000, 10000, 2, 10, 0.1, 1e-6);
  request.filling.sent = 5;
  EXPECT_NEAR(variance("pure_dump", request, 0.05) / 7.63634422212103e-08, 1, 0.01);
  request.filling.sent = 1;
  EXPECT_NEAR(variance("pure_dump", request, 0.001) / 3.541130376033606e-08, 1, 0.01);
  // Several responses.
  request = RequestFor(1000000, 100, 2, 30, 0.5, 1e-6);
  EXPECT_NEAR(variance("grr", request, 0.05) / 5.600935700275108e-09, 1, 0.02);
}

TEST(ItemsPlanTest, EveryCandidateMeetsTheTargetOrSaysWhyNot) {
  PlanRequest request = RequestFor(20000, 40, 1, 4, 1, 1e-6);
  request.frequency = 0.1;
  const auto candidates = PlanAll(request);
  ASSERT_TRUE(candidates.ok()) << candidates.status();
  int feasible = 0;
  for (const Candidate& candidate : *candidates) {
    if (candidate.central) continue;
    ASSERT_TRUE(candidate.sent.has_value());
    if (!candidate.feasible) {
      EXPECT_NE(candidate.reason, "") << candidate.name;
      continue;
    }
    ++feasible;
    EXPECT_EQ(candidate.mechanism->filling().sent, *candidate.sent);
    EXPECT_LE(*candidate.mechanism->Delta(20000, 1), 1e-6) << candidate.name;
    // Searched on a grid of its own, so that it may come out a little above.
    EXPECT_LE(*candidate.mechanism->EpsilonAt(20000, 1e-6), 1.005) << candidate.name;
  }
  EXPECT_GE(feasible, 6);
  // Shared noise wins for what many hold; with a cap on what is left, a response does.
  EXPECT_TRUE(std::isinf(
      Recommended(*candidates, LeftByDefault(request.filling))->mechanism->local_epsilon()));
  const Candidate* const capped = Recommended(*candidates, Left::kSomething);
  ASSERT_NE(capped, nullptr);
  EXPECT_EQ(capped->name, "grr");
}

TEST(ItemsPlanTest, ACapOnTheLocalEpsilonIsKeptByAllReportsTogether) {
  PlanRequest request = RequestFor(20000, 40, 1, 4, 1, 1e-6);
  request.max_local_epsilon = 12;
  for (const int64_t sent : {1, 2, 4}) {
    request.filling.sent = sent;
    const auto planned = PlanOne("grr", request);
    ASSERT_TRUE(planned.ok()) << planned.status();
    EXPECT_LE((*planned)->local_epsilon(), 12) << sent;
  }
  EXPECT_THAT(std::string(PlanOne("aue", request).status().message()), HasSubstr("local epsilon"));
}

// What took minutes once: so few users, or so small an epsilon, that responses are nearly all
// uniform, and floods wide.
TEST(ItemsPlanTest, PlansTakeFewLooksOfTheAccountants) {
  for (const PlanRequest& request :
       {RequestFor(10000, 50, 1, 4, 0.1, 1e-6), RequestFor(10000, 50, 1, 4, 0.3, 1e-6),
        RequestFor(1000, 1000, 1, 64, 1, 1e-6), RequestFor(100000, 50, 3, 4, 1, 1e-6)}) {
    const auto candidates = PlanAll(request);
    ASSERT_TRUE(candidates.ok()) << candidates.status();
    int64_t work = 0;
    for (const Candidate& candidate : *candidates) {
      EXPECT_LE(candidate.looks, candidate.name == "correlated" ? 100 : 20) << candidate.name;
      work += candidate.work;
    }
    EXPECT_GT(work, 0);
    EXPECT_LE(work, kUsualWork) << request.honest << " users, epsilon " << request.epsilon;
  }
}

TEST(ItemsPlanTest, ACandidateThatTakesTooLongIsRefusedAndDoesNotEndTheOthers) {
  PlanRequest request = RequestFor(20000, 40, 1, 4, 0.5, 1e-6);
  const auto unlimited = PlanAll(request, "correlated");
  ASSERT_TRUE(unlimited.ok() && unlimited->front().feasible);
  request.most_work = unlimited->front().work - 1;
  const auto limited = PlanAll(request);
  ASSERT_TRUE(limited.ok()) << limited.status();
  for (const Candidate& candidate : *limited) {
    EXPECT_LE(candidate.work, request.most_work) << candidate.name;
    if (candidate.name == "correlated") {
      EXPECT_FALSE(candidate.feasible);
      EXPECT_THAT(candidate.reason, HasSubstr("takes too long to plan"));
    }
    if (candidate.name == "pure_dump") {
      EXPECT_TRUE(candidate.feasible) << candidate.reason;
    }
  }
  EXPECT_EQ(PlanOne("correlated", request).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(ItemsPlanTest, RefusesWhatCannotBeFilled) {
  PlanRequest request = RequestFor(20000, 40, 1, 4, 1, 1e-6);
  request.filling.sent = 3;
  EXPECT_THAT(std::string(PlanOne("grr", request).status().message()), HasSubstr("items.sent"));
  request.filling.sent = 2;
  EXPECT_THAT(std::string(PlanOne("aue", request).status().message()), HasSubstr("sends all"));
  EXPECT_THAT(std::string(PlanOne("local_hash", request).status().message()),
              HasSubstr("one cell"));
  request.filling = {.held = 30, .sent = 30};
  EXPECT_THAT(std::string(PlanOne("grr", request).status().message()),
              HasSubstr("items.max_items"));
}

// Five records of a device, each of which fills a node on each of three levels.
TEST(ItemsPlanTest, WhereOneCellMayBeFilledSeveralTimesOnlyWhatIsProvenIsOffered) {
  PlanRequest request{.honest = 100000,
                      .submissions = 100000,
                      .domain_size = 180,
                      .filling = {.held = 15, .sent = 15, .units = 5},
                      .epsilon = 1,
                      .delta = 1e-6};
  const auto candidates = PlanAll(request);
  ASSERT_TRUE(candidates.ok()) << candidates.status();
  std::vector<std::string> feasible;
  for (const Candidate& candidate : *candidates) {
    if (!candidate.feasible || candidate.central) continue;
    feasible.push_back(candidate.name);
    EXPECT_LE(*candidate.mechanism->Delta(100000, 1), 1e-6);
    const auto epsilon = candidate.mechanism->EpsilonAt(100000, 1e-6);
    EXPECT_NEAR(*epsilon, 1, 1e-3);
    EXPECT_EQ(*candidate.mechanism->SmallestHonest(1, 1e-6), 100000);
    const auto loss = candidate.mechanism->Loss(100000, 1e-9);
    ASSERT_TRUE(loss.ok()) << loss.status();
    EXPECT_LE(*accounting::DeltaOver(*loss, 1, 1), 1e-6);
    EXPECT_EQ(candidate.mechanism->parameters().units, 5);
  }
  EXPECT_THAT(feasible, testing::UnorderedElementsAre("pure_dump", "aue"));
  for (const char* name : {"correlated", "grr", "local_hash"}) {
    EXPECT_TRUE(absl::IsFailedPrecondition(PlanOne(name, request).status())) << name;
  }
  // The variance of five units in each of three cells, not of fifteen cells.
  const Candidate* const best = Recommended(*candidates, Left::kAnything);
  ASSERT_NE(best, nullptr);
  const double noise = 100000 * best->mechanism->count_model().noise_variance;
  const double distinct = *accounting::SmallestPoissonMean(1, 1e-6, 15);
  EXPECT_NEAR(noise / distinct, 5, 0.2);
}

TEST(ItemsPlanTest, UnitsMustDivideAllReportsAndAllAreSent) {
  PlanRequest request{.honest = 1000,
                      .submissions = 1000,
                      .domain_size = 180,
                      .filling = {.held = 15, .sent = 15, .units = 4},
                      .epsilon = 1,
                      .delta = 1e-6};
  EXPECT_THAT(std::string(PlanAll(request).status().message()), HasSubstr("divide"));
  request.filling = {.held = 15, .sent = 5, .units = 5};
  EXPECT_THAT(std::string(PlanAll(request).status().message()), HasSubstr("all its 15 reports"));
}

}  // namespace
}  // namespace tombola::mechanism
