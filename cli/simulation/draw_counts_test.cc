#include "cli/simulation/draw_counts.h"

#include <cmath>
#include <functional>
#include <numeric>

#include "common/mechanism/every.h"
#include "common/plan/plan.h"
#include "gtest/gtest.h"

namespace tombola::simulation {
namespace {

using mechanism::Mechanism;

constexpr int kBatches = 4000;

std::vector<int64_t> Truth() { return {160, 60, 40, 20, 8, 4, 3, 2, 1, 1, 1, 0}; }
constexpr int64_t kUsers = 300;

// Of one value's count over many batches.
struct Moments {
  double mean = 0;
  double variance = 0;
};

std::vector<Moments> Measure(const std::function<std::vector<int64_t>()>& draw) {
  std::vector<double> sums(Truth().size(), 0), squares(sums.size(), 0);
  for (int i = 0; i < kBatches; ++i) {
    const std::vector<int64_t> counts = draw();
    for (size_t v = 0; v < counts.size(); ++v) {
      const double count = static_cast<double>(counts[v]);
      sums[v] += count;
      squares[v] += count * count;
    }
  }
  std::vector<Moments> moments;
  for (size_t v = 0; v < sums.size(); ++v) {
    const double mean = sums[v] / kBatches;
    moments.push_back({mean, (squares[v] - kBatches * mean * mean) / (kBatches - 1)});
  }
  return moments;
}

// What the mechanism's own model of counts says.
std::vector<Moments> Model(const Mechanism& mechanism) {
  const mechanism::CountModel model = mechanism.count_model();
  const mechanism::Tally tally = {.submissions = kUsers, .fakes = mechanism.fakes()};
  std::vector<Moments> moments;
  for (const int64_t holders : Truth()) {
    const double scale = kUsers * Signal(model);
    moments.push_back(
        {Background(model, tally) + static_cast<double>(holders) * Signal(model),
         EstimateVariance(model, tally, static_cast<double>(holders) / kUsers) * scale * scale});
  }
  return moments;
}

// A mean over kBatches counts is within 6 standard errors: a normal law is beyond them with
// probability 2e-9, here for 12 values, 7 mechanisms and 3 comparisons. A variance of b counts of
// kurtosis k has the relative standard error sqrt((k - 1) / b), and the average of such ratios over
// values has no larger one, whatever their correlation. The counts are sums of many indicators of
// variance 3.7 or more, so that k is at most 3 + 1/3.7; for the difference of two geometric
// variables of p = 0.41 it is 5 + (1 + p^2) / (2p) = 6.43. Six standard errors are 0.15 and 0.22; a
// comparison of two samples has sqrt(2) of it.
void ExpectAlike(const std::vector<Moments>& a, const std::vector<Moments>& b,
                 const std::vector<Moments>& model, double comparisons, bool heavy) {
  double ratio = 0;
  for (size_t v = 0; v < model.size(); ++v) {
    EXPECT_NEAR(a[v].mean, b[v].mean, 6 * std::sqrt(comparisons * model[v].variance / kBatches))
        << "value " << v;
    ratio += (a[v].variance - b[v].variance) / model[v].variance / static_cast<double>(a.size());
  }
  EXPECT_NEAR(ratio, 0, (heavy ? 0.22 : 0.15) * std::sqrt(comparisons));
}

class DrawCountsTest : public testing::TestWithParam<std::string> {};

TEST_P(DrawCountsTest, AgreesWithDevicesAndWithTheModel) {
  const auto mechanism = mechanism::PlanOne(
      GetParam(),
      {.honest = kUsers, .submissions = kUsers, .domain_size = 12, .epsilon = 2, .delta = 1e-3});
  ASSERT_TRUE(mechanism.ok()) << mechanism.status();
  Generator random(11);
  const std::vector<Moments> drawn =
      Measure([&] { return DrawCounts(**mechanism, Truth(), random); });
  const std::vector<Moments> devices =
      Measure([&] { return RunDevices(*mechanism, Truth(), random); });
  const std::vector<Moments> model = Model(**mechanism);
  const bool heavy = GetParam() == "correlated";
  ExpectAlike(drawn, model, model, 1, heavy);
  ExpectAlike(devices, model, model, 1, heavy);
  ExpectAlike(drawn, devices, model, 2, heavy);
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, DrawCountsTest, testing::ValuesIn(mechanism::MechanismNames()),
                         [](const auto& info) { return info.param; });

TEST(DrawGrrCountsTest, EveryDeviceOfGrrNamesOneValue) {
  const auto grr = mechanism::PlanOne(
      "grr", {.honest = 300, .submissions = 300, .domain_size = 12, .epsilon = 1, .delta = 1e-3});
  ASSERT_TRUE(grr.ok()) << grr.status();
  Generator random(12);
  const std::vector<int64_t> truth = Truth();
  for (int i = 0; i < 100; ++i) {
    const std::vector<int64_t> counts = DrawCounts(**grr, truth, random);
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), int64_t{0}), kUsers);
    EXPECT_NE(counts, truth);
  }
}

TEST(DrawLaplaceEstimatesTest, ErrorIsWhatThePlannerSays) {
  const auto candidates = mechanism::PlanAll(
      {.honest = 300, .submissions = 300, .domain_size = 12, .epsilon = 0.7, .delta = 1e-3});
  ASSERT_TRUE(candidates.ok()) << candidates.status();
  EXPECT_TRUE(candidates->back().central);
  EXPECT_NEAR(candidates->back().mse / LaplaceSquaredError(300, 0.7), 1, 1e-12);
}

}  // namespace
}  // namespace tombola::simulation
