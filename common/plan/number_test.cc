#include "common/plan/number.h"

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "common/kind/number.h"
#include "common/mechanism/grr.h"
#include "common/plan/test_plan.h"
#include "common/ranges/least_squares.h"
#include "common/table/count_model.h"

namespace tombola::mechanism {
namespace {

using ::testing::HasSubstr;

NumberPlanRequest NumbersOf(int64_t users, int64_t bins, double epsilon) {
  return {.plan = Request(users, bins, epsilon, 1e-6), .bins = bins};
}

std::vector<Candidate> Planned(const NumberPlanRequest& request, absl::string_view only = "") {
  auto candidates = PlanNumber(request, only);
  EXPECT_TRUE(candidates.ok()) << candidates.status();
  return *std::move(candidates);
}

const Candidate& Best(const std::vector<Candidate>& candidates, Left left = Left::kAnything) {
  const Candidate* const best = Recommended(candidates, left);
  EXPECT_NE(best, nullptr);
  return *best;
}

// In counts, over all ranges.
double DeviationOf(const Candidate& candidate, int64_t users) {
  return static_cast<double>(users) * std::sqrt(candidate.mse);
}

double PlannedDeviation(const char* name, int64_t bins, int64_t branching, double epsilon) {
  NumberPlanRequest request = NumbersOf(1000000, bins, epsilon);
  request.branching = branching;
  return DeviationOf(Best(Planned(request, name)), 1000000);
}

// An independent implementation's standard deviations of ranges in counts, of a million devices.
TEST(NumberPlanTest, PredictsTheReferencesErrorsOfRanges) {
  EXPECT_NEAR(PlannedDeviation("pure_dump", 1024, 4, 0.5), 49.1, 0.1);
  EXPECT_NEAR(PlannedDeviation("correlated", 1024, 32, 0.5), 49.2, 0.3);
  EXPECT_NEAR(PlannedDeviation("pure_dump", 1024, 0, 0.5), 152, 1);
  EXPECT_NEAR(PlannedDeviation("correlated", 1024, 0, 0.5), 82, 1);
  EXPECT_NEAR(PlannedDeviation("grr", 1024, 0, 0.5) / 214, 1, 0.03);
  EXPECT_NEAR(PlannedDeviation("pure_dump", 125, 5, 0.5), 34.2, 0.1);
  EXPECT_NEAR(PlannedDeviation("correlated", 125, 12, 0.5), 28.4, 0.2);
  EXPECT_NEAR(PlannedDeviation("grr", 125, 0, 0.5) / 77, 1, 0.03);
  EXPECT_NEAR(PlannedDeviation("pure_dump", 125, 5, 1), 18.1, 0.1);
  EXPECT_NEAR(PlannedDeviation("correlated", 125, 0, 1), 14.3, 0.1);
}

TEST(NumberPlanTest, OfAMillionHonestDevicesARangeIsOffByAtMostFifty) {
  const NumberPlanRequest request = NumbersOf(1000000, 1024, 0.5);
  const std::vector<Candidate> candidates = Planned(request);
  const Candidate& best = Best(candidates, LeftByDefault(request));
  EXPECT_LE(DeviationOf(best, 1000000), 50);
  EXPECT_GT(best.branching, 0);
}

TEST(NumberPlanTest, FewBinsAreCountedAloneAndManyUnderATree) {
  const std::vector<Candidate> few = Planned(NumbersOf(100000, 40, 1));
  EXPECT_EQ(Best(few).branching, 0);
  const std::vector<Candidate> many = Planned(NumbersOf(100000, 4096, 1));
  EXPECT_GT(Best(many).branching, 0);
}

TEST(NumberPlanTest, TheFewestBinsHaveNoTree) {
  EXPECT_TRUE(Best(Planned(NumbersOf(1000, 3, 2), "pure_dump")).feasible);
  EXPECT_EQ(Best(Planned(NumbersOf(1000, 2, 2), "pure_dump")).branching, 0);
}

TEST(NumberPlanTest, EveryCandidateMeetsTheTargetAndSaysItsTree) {
  NumberPlanRequest request = NumbersOf(20000, 100, 1);
  request.missing = true;
  for (const Candidate& candidate : Planned(request)) {
    ASSERT_TRUE(candidate.branching.has_value()) << candidate.name;
    if (candidate.mechanism == nullptr) {
      EXPECT_TRUE(candidate.central || !candidate.reason.empty()) << candidate.name;
      continue;
    }
    const RangeTree tree(100, *candidate.branching, true);
    EXPECT_EQ(candidate.mechanism->domain_size(), tree.cells());
    EXPECT_EQ(candidate.mechanism->filling().held, tree.levels());
    EXPECT_LE(candidate.mechanism->Delta(20000, 1).value(), 1e-6);
    EXPECT_EQ(candidate.mse,
              RangeMse(tree, candidate.mechanism->count_model(), candidate.mechanism->filling(),
                       {.submissions = 20000, .fakes = candidate.mechanism->fakes()}));
  }
}

TEST(NumberPlanTest, KeepsToWhatWasAskedFor) {
  NumberPlanRequest request = NumbersOf(20000, 64, 1);
  request.branching = 4;
  request.sent = 1;
  for (const Candidate& candidate : Planned(request)) {
    EXPECT_EQ(candidate.branching, 4);
    EXPECT_EQ(candidate.sent, 1) << candidate.name;
  }
  EXPECT_EQ(Planned(request, "grr").size(), 1u);
}

// What a range has of n reports by randomised response that are spread evenly, of which each names
// one bin: its variance by definition, averaged over all ranges.
TEST(RangeMseTest, OfOneResponseADeviceIsExact) {
  constexpr int64_t kBins = 9, kUsers = 1000;
  const auto grr = PlanOne("grr", Request(kUsers, kBins, 2, 1e-5));
  ASSERT_TRUE(grr.ok()) << grr.status();
  const Support& support = (*grr)->count_model().support;
  double sum = 0;
  for (int64_t width = 1; width <= kBins; ++width) {
    const double w = static_cast<double>(width);
    const double share = w / kBins;
    const double other = w * support.other;
    const double holder = other + support.separation;
    const double variance = (share * holder * (1 - holder) + (1 - share) * other * (1 - other)) /
                            (kUsers * support.separation * support.separation);
    sum += variance * static_cast<double>(kBins - width + 1);
  }
  const double average = sum / (kBins * (kBins + 1) / 2);
  const RangeTree bins(kBins, 0, false);
  const double mse =
      RangeMse(bins, (*grr)->count_model(), (*grr)->filling(), {.submissions = kUsers});
  EXPECT_NEAR(mse / average, 1, 1e-9);
}

// Devices that are spread evenly over 16 bins below 4 nodes, of which each says one: its bin or its
// node, or with probability gamma any cell. What ranges are off by in 1,000 batches, on average
// over all of them: errors of ranges have about four degrees of freedom a batch or more, so that
// the ratio has a standard deviation of at most sqrt(2 / 4000) = 0.022, and 0.14 is over six.
TEST(RangeMseTest, OfOneLevelADeviceIsThatOfManyBatches) {
  constexpr int64_t kBins = 16, kUsers = 4000;
  constexpr int kBatches = 1000;
  const RangeTree tree(kBins, 4, false);
  for (const double gamma : {0.02, 0.5}) {
    const auto grr = Grr::Create({.blanket_threshold = static_cast<uint64_t>(gamma * 0x1p64),
                                  .domain_size = tree.cells(),
                                  .filling = {.held = 2, .sent = 1}});
    ASSERT_TRUE(grr.ok()) << grr.status();
    const CountModel model = grr->count_model();
    const Tally tally{.submissions = kUsers};
    std::vector<double> variances;
    for (int64_t level = 0; level < tree.levels(); ++level) {
      variances.push_back(
          EstimateVariance(model, tally, static_cast<double>(tree.WidthOf(level)) / kBins));
    }
    std::mt19937_64 random(33);
    std::bernoulli_distribution coin(0.5), uniform(gamma);
    std::uniform_int_distribution<uint64_t> any(0, static_cast<uint64_t>(tree.cells()) - 1);
    double squares = 0;
    for (int batch = 0; batch < kBatches; ++batch) {
      std::vector<double> counts(static_cast<size_t>(tree.cells()));
      for (int64_t user = 0; user < kUsers; ++user) {
        const uint64_t cell = tree.CellOf(user % kBins, coin(random) ? 1 : 0);
        counts[uniform(random) ? any(random) : cell] += 1;
      }
      for (double& count : counts) count = Estimate(model, tally, count);
      const std::vector<double> leaves = LeastSquares(tree, counts, variances, 1);
      for (int64_t begin = 0; begin < kBins; ++begin) {
        double off = 0;
        for (int64_t bin = begin; bin < kBins; ++bin) {
          off += leaves[static_cast<size_t>(bin)] - 1.0 / kBins;
          squares += off * off;
        }
      }
    }
    const double seen = squares / kBatches / (kBins * (kBins + 1) / 2);
    EXPECT_NEAR(RangeMse(tree, model, grr->filling(), tally) / seen, 1, 0.14) << gamma;
  }
}

TEST(DitheredPlanTest, TakesTheNumberOfLevelsWithTheLeastErrorOfTheMean) {
  NumberPlanRequest request = NumbersOf(1000000, 0, 0.5);
  request.dithered = true;
  const std::vector<Candidate> candidates = Planned(request, "pure_dump");
  const Candidate& best = Best(candidates);
  ASSERT_TRUE(best.levels.has_value());
  // About 1 + (4 n / lambda)^(1/3), lambda = 136.1.
  EXPECT_GE(best.levels, 16);
  EXPECT_LE(best.levels, 64);
  const double levels = static_cast<double>(*best.levels);
  const double noise = 136.1 * levels * (levels + 1) / (12 * (levels - 1));
  const double rounding = 1e6 / (6 * (levels - 1) * (levels - 1));
  EXPECT_NEAR(DeviationOf(best, 1000000) / std::sqrt(noise + rounding), 1, 0.01);
  for (const int64_t other : {2, 8, 256}) {
    request.bins = other;
    EXPECT_GE(Best(Planned(request, "pure_dump")).mse * 1.006, best.mse) << other;
  }
}

TEST(DitheredPlanTest, IsBetterForMeansThanManyBins) {
  NumberPlanRequest request = NumbersOf(100000, 0, 1);
  request.dithered = true;
  const std::vector<Candidate> candidates = Planned(request);
  const Candidate& best = Best(candidates, LeftByDefault(request));
  EXPECT_TRUE(std::isfinite(best.mechanism->local_epsilon()));
  request.bins = 256;
  EXPECT_LT(best.mse, Best(Planned(request), LeftByDefault(request)).mse);
}

TEST(NumberPlanTest, RefusesWhatIsOutOfBounds) {
  const auto refusal = [](const std::function<void(NumberPlanRequest*)>& change) {
    NumberPlanRequest request = NumbersOf(1000, 100, 1);
    change(&request);
    const absl::Status status = PlanNumber(request).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    return std::string(status.message());
  };
  EXPECT_THAT(refusal([](auto* r) { r->bins = 1; }), HasSubstr("resolution is 1"));
  EXPECT_THAT(refusal([](auto* r) { r->bins = (1 << 24) + 1; }), HasSubstr("2^24"));
  EXPECT_THAT(refusal([](auto* r) { r->branching = 1; }), HasSubstr("branching is 1"));
  EXPECT_THAT(refusal([](auto* r) { r->branching = 4097; }), HasSubstr("branching is 4097"));
  EXPECT_THAT(refusal([](auto* r) { r->sent = 0; }), HasSubstr("sent is 0"));
  EXPECT_THAT(refusal([](auto* r) { r->sent = 9, r->branching = 32; }),
              HasSubstr("sent is 9; it must be a divisor of the levels of a tree over these bins, "
                        "which may be 2"));
  EXPECT_THAT(refusal([](auto* r) { r->sent = 1000; }), HasSubstr("which may be 1, 2, 3"));
  EXPECT_THAT(refusal([](auto* r) { r->dithered = true, r->bins = 3, r->sent = 2; }),
              HasSubstr("sent is 2; it must be 1"));
  EXPECT_THAT(refusal([](auto* r) { r->dithered = true, r->bins = 257; }),
              HasSubstr("levels is 257"));
  EXPECT_THAT(refusal([](auto* r) { r->plan.epsilon = 0; }), HasSubstr("epsilon"));
}

}  // namespace
}  // namespace tombola::mechanism
