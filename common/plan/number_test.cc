#include "common/plan/number.h"

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/kind/number.h"
#include "common/mechanism/grr.h"
#include "common/plan/level_noise.h"
#include "common/plan/test_plan.h"
#include "common/ranges/least_squares.h"
#include "common/ranges/range_variance.h"
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
  EXPECT_NEAR(PlannedDeviation("aue", 1024, 4, 0.5), 49.1, 0.1);
  EXPECT_NEAR(PlannedDeviation("correlated", 1024, 32, 0.5), 49.2, 0.3);
  EXPECT_NEAR(PlannedDeviation("pure_dump", 1024, 0, 0.5), 152, 1);
  EXPECT_NEAR(PlannedDeviation("correlated", 1024, 0, 0.5), 82, 1);
  EXPECT_NEAR(PlannedDeviation("grr", 1024, 0, 0.5) / 214, 1, 0.03);
  EXPECT_NEAR(PlannedDeviation("aue", 125, 5, 0.5), 34.2, 0.1);
  EXPECT_NEAR(PlannedDeviation("correlated", 125, 12, 0.5), 28.4, 0.2);
  EXPECT_NEAR(PlannedDeviation("grr", 125, 0, 0.5) / 77, 1, 0.03);
  EXPECT_NEAR(PlannedDeviation("aue", 125, 5, 1), 18.1, 0.1);
  EXPECT_NEAR(PlannedDeviation("correlated", 125, 0, 1), 14.3, 0.1);
}

// The variances over all ranges, in squares of counts, where an independent implementation has
// noise grow by the fourth root of a node's width; the least of all divisions is 1.5 % below at
// most.
TEST(NumberPlanTest, NoiseByLevelIsAtMostTheReferencesError) {
  const struct {
    int64_t bins, branching;
    double epsilon, variance;
  } kCases[] = {{1024, 4, 0.5, 2251.3667670384693}, {125, 5, 1, 296.4942265607304}};
  for (const auto& c : kCases) {
    const double deviation = PlannedDeviation("pure_dump", c.bins, c.branching, c.epsilon);
    EXPECT_LE(deviation, std::sqrt(c.variance) * (1 + 5e-4)) << c.bins;
    EXPECT_GE(deviation, std::sqrt(c.variance) * 0.98) << c.bins;
  }
}

// What is planned tells each level's noise, and meets the target with it.
TEST(NumberPlanTest, DividesNoiseAmongTheLevelsOfATree) {
  for (const double epsilon : {0.2, 1.0}) {
    NumberPlanRequest request = NumbersOf(50000, 200, epsilon);
    request.branching = 4;
    request.missing = true;
    request.sent = 4;
    const std::vector<Candidate> candidates = Planned(request, "pure_dump");
    const Candidate& best = Best(candidates);
    const std::vector<double> means = best.mechanism->parameters().level_dummies;
    ASSERT_EQ(means.size(), 4u);
    for (size_t level = 1; level < means.size(); ++level) EXPECT_GT(means[level], means[0]);
    EXPECT_LE(best.mechanism->Delta(50000, epsilon).value(), 1e-6);
    EXPECT_GE(best.mechanism->Delta(50000, epsilon).value(), 0.99e-6);
    EXPECT_LT(best.mse, Best(Planned(request, "aue")).mse);
  }
  // Where noise is so little that an empty cell tells most, the same on all levels is better.
  NumberPlanRequest large = NumbersOf(50000, 200, 4);
  large.branching = 4;
  large.sent = 4;
  const std::vector<Candidate> candidates = Planned(large, "pure_dump");
  EXPECT_TRUE(Best(candidates).mechanism->parameters().level_dummies.empty());
  EXPECT_LE(Best(candidates).mse, Best(Planned(large, "aue")).mse * 1.01);
  // Of one level of each device nothing is divided, nor of bins alone.
  NumberPlanRequest one = NumbersOf(50000, 200, 1);
  one.branching = 4;
  one.sent = 1;
  EXPECT_TRUE(Best(Planned(one, "pure_dump")).mechanism->parameters().level_dummies.empty());
  one.branching = 0;
  EXPECT_TRUE(Best(Planned(one, "pure_dump")).mechanism->parameters().level_dummies.empty());
}

TEST(DivideNoiseTest, IsNoWorseThanThatOfAnyPowerOfTheWidth) {
  for (const auto& [bins, branching, apart] :
       {std::tuple(1024, 4, false), std::tuple(125, 5, true), std::tuple(100, 2, false),
        std::tuple(1000, 32, false)}) {
    const RangeTree tree(bins, branching, apart);
    // Of the same sum of inverse variances.
    const auto error = [&](const std::vector<double>& noise) {
      double cost = 0;
      for (const double level : noise) cost += 1 / level;
      return cost * RangeVariance(tree, noise).OverAllRanges();
    };
    std::vector<double> divided;
    int64_t cells = 0;
    for (const LevelNoise& level : DivideNoise(tree)) {
      divided.push_back(level.noise);
      cells += level.cells;
      EXPECT_LE(level.noise * static_cast<double>(tree.NodesOf(divided.size() - 1)),
                bins * (1 + 1e-12));
    }
    EXPECT_EQ(cells, tree.cells());
    for (double power = -0.25; power < 1; power += 0.125) {
      std::vector<double> noise;
      for (int64_t level = 0; level < tree.levels(); ++level) {
        noise.push_back(std::pow(tree.WidthOf(level), power));
      }
      EXPECT_LE(error(divided), error(noise) * (1 + 1e-4)) << bins << " " << power;
    }
  }
}

// The upper of two nodes here is a bin that is counted anyway, so that its level tells little: it
// does not get ever more dummies for that.
TEST(DivideNoiseTest, TakesHardlyMoreDummiesThanTheSameOnAllLevels) {
  NumberPlanRequest request = NumbersOf(540, 10, 1);
  request.branching = 3;
  request.sent = 3;
  const std::vector<Candidate> pure = Planned(request, "pure_dump");
  const std::vector<Candidate> aue = Planned(request, "aue");
  ASSERT_EQ(Best(pure).mechanism->parameters().level_dummies.size(), 3u);
  EXPECT_LE(Best(pure).mechanism->expected_reports_per_submission(),
            1.1 * Best(aue).mechanism->expected_reports_per_submission());
  EXPECT_LE(Best(pure).mse, 0.8 * Best(aue).mse);
}

// Of trees with too many cells to look at again and again the upper levels alone are.
TEST(DivideNoiseTest, OfManyBinsIsBetterThanTheSameOnAllLevels) {
  for (const auto& [bins, branching] :
       {std::pair(int64_t{1000000}, 4), std::pair(int64_t{1} << 21, 16)}) {
    const RangeTree tree(bins, branching, true);
    const std::vector<LevelNoise> levels = DivideNoise(tree);
    ASSERT_EQ(static_cast<int64_t>(levels.size()), tree.levels());
    const std::vector<double> alike(levels.size(), 1);
    std::vector<double> noise;
    double cost = 0;
    for (const LevelNoise& level : levels) noise.push_back(level.noise), cost += 1 / level.noise;
    EXPECT_LE(
        RangeVariance(tree, noise).OverAllRanges() * cost,
        0.96 * RangeVariance(tree, alike).OverAllRanges() * static_cast<double>(alike.size()));
  }
  EXPECT_TRUE(DivideNoise(RangeTree(1 << 20, 1024, false)).empty());
  EXPECT_TRUE(DivideNoise(RangeTree(100, 0, true)).empty());
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
    EXPECT_EQ(
        candidate.mse,
        RangeMse(tree, LevelModels(tree, *candidate.mechanism), candidate.mechanism->filling(),
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
  const double average = sum / (0.5 * kBins * (kBins + 1));
  const RangeTree bins(kBins, 0, false);
  const double mse =
      RangeMse(bins, {(*grr)->count_model()}, (*grr)->filling(), {.submissions = kUsers});
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
    const double seen = squares / kBatches / (0.5 * kBins * (kBins + 1));
    EXPECT_NEAR(RangeMse(tree, LevelModels(tree, *grr), grr->filling(), tally) / seen, 1, 0.14)
        << gamma;
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
