// Numbers from devices' records to ranges, in one process: they are placed, encoded and counted by
// every mechanism that can, and least squares makes the counts agree.
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/encode/submission.h"
#include "client/place/placer.h"
#include "collector/aggregate/tables_aggregator.h"
#include "collector/catalog/task_maker.h"
#include "common/kind/number.h"
#include "common/ranges/least_squares.h"
#include "common/ranges/range_variance.h"
#include "common/table/count_model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/seeded_random.h"
#include "tests/support/test_task.h"

namespace tombola {
namespace {

using collector::Counts;
using collector::TablesAggregator;

constexpr int64_t kNumberDevices = 2000;
constexpr uint64_t kBins = 20;

struct NumberCase {
  std::string name;
  std::string mechanism;
  uint32_t branching;
  uint32_t sent;
  bool missing = false;
};

std::shared_ptr<const Task> MakeNumberTask(const NumberCase& c) {
  v1::CreateTaskRequest request;
  request.set_name(c.name);
  request.set_kind(v1::KIND_NUMBER);
  request.set_domain_size(kBins);
  request.set_epsilon(2);
  request.set_delta(1e-5);
  request.set_users(kNumberDevices);
  request.set_smallest_batch(kNumberDevices);
  request.set_mechanism(c.mechanism);
  request.set_branching(c.branching);
  request.mutable_numbers()->add_edges(0);
  request.mutable_numbers()->add_edges(10);
  request.mutable_numbers()->set_missing(c.missing);
  request.mutable_numbers()->set_sent(c.sent);
  request.set_shuffler_key(std::string(32, 'k'));
  SeededRandom random(3);
  const auto task =
      collector::MakeTask(request, std::array<uint8_t, 32>{1}, TestTaskStart(), random);
  EXPECT_TRUE(task.ok()) << task.status();
  return *task;
}

// Spread unevenly over [0, 10]; with `missing` every seventh device has none.
std::optional<double> NumberOf(int64_t device, bool missing) {
  if (missing && device % 7 == 0) return std::nullopt;
  return 10 * std::pow(static_cast<double>(device % 997) / 997, 2);
}

class NumberWalkTest : public ::testing::TestWithParam<NumberCase> {
 protected:
  NumberWalkTest()
      : task_(MakeNumberTask(GetParam())),
        placer_(client::Placers::BuiltIn().Make(task_)),
        encoder_(task_->kind().tables()),
        tree_(cells().tree) {}

  const NumberCells& cells() const { return static_cast<const NumberKind&>(task_->kind()).cells(); }
  std::vector<mechanism::CountModel> models() const {
    return LevelModels(tree_, *task_->kind().tables()[0]);
  }
  mechanism::Tally tally() const { return {.submissions = kNumberDevices}; }

  // Of a level, for its even share; what is exact where noise is shared.
  std::vector<double> Variances() const {
    std::vector<double> variances;
    for (const mechanism::CountModel& model : models()) {
      const auto level = static_cast<int64_t>(variances.size());
      const double even = static_cast<double>(tree_.WidthOf(level)) / kBins;
      variances.push_back(mechanism::EstimateVariance(model, tally(), even));
    }
    return variances;
  }

  // The shares of the bins, and of those without a number, that one batch says.
  std::vector<double> Once(RandomSource& random) const {
    TablesAggregator aggregator(task_->kind().tables());
    std::string reports;
    for (int64_t i = 0; i < kNumberDevices; ++i) {
      const auto placed = placer_->Place(NumberOf(i, GetParam().missing), random);
      EXPECT_TRUE(placed.ok()) << placed.status();
      encoder_.Encode(*placed, random, &reports);
    }
    aggregator.AddAll({reinterpret_cast<const uint8_t*>(reports.data()), reports.size()});
    const Counts counts = std::move(aggregator).Finish();
    const std::vector<mechanism::CountModel> of_levels = models();
    std::vector<double> shares;
    for (const int64_t count : counts.tables[0].counts) {
      const auto cell = static_cast<int64_t>(shares.size());
      size_t level = of_levels.size() - 1;
      while (tree_.FirstOf(static_cast<int64_t>(level)) > cell) --level;
      shares.push_back(mechanism::Estimate(of_levels[level], tally(), static_cast<double>(count)));
    }
    return LeastSquares(tree_, shares, Variances(), /*total=*/1);
  }

  std::shared_ptr<const Task> task_;
  std::unique_ptr<client::Placer> placer_;
  client::SubmissionEncoder encoder_;
  const RangeTree& tree_;
};

// The mean of T = 60 estimates of a range is within six of its standard deviations of the truth,
// each of nine ranges missing it with probability 2e-9; the sample variance over the predicted one
// has standard deviation sqrt(2 / T) = 0.18 if estimates are normal, and is within 6 of that. Where
// devices say some of their nodes, or by randomised response, counts depend on each other and on
// the data, and only the mean is tested, against the spread that was seen (Student's law with 59
// degrees of freedom is beyond 8 with probability 1e-10).
TEST_P(NumberWalkTest, RangesAreUnbiasedAndTheirErrorsAreTheOnesPredicted) {
  constexpr int kTrials = 60;
  const std::vector<std::pair<int64_t, int64_t>> ranges = {
      {0, 1}, {3, 4}, {0, 10}, {5, 15}, {2, 19}, {10, 20}, {0, 20}, {19, 20}, {7, 9}};
  std::vector<double> truth(kBins);
  for (int64_t i = 0; i < kNumberDevices; ++i) {
    const auto number = NumberOf(i, GetParam().missing);
    if (!number.has_value()) continue;
    truth[static_cast<size_t>(*cells().bins.BinOf(*number))] += 1.0 / kNumberDevices;
  }
  const RangeVariance variance(tree_, Variances());
  std::vector<double> sums(ranges.size()), squares(ranges.size());
  SeededRandom random(5);
  for (int t = 0; t < kTrials; ++t) {
    const std::vector<double> shares = Once(random);
    for (size_t r = 0; r < ranges.size(); ++r) {
      double off = 0;
      for (int64_t bin = ranges[r].first; bin < ranges[r].second; ++bin) {
        off += shares[static_cast<size_t>(bin)] - truth[static_cast<size_t>(bin)];
      }
      sums[r] += off;
      squares[r] += off * off;
    }
  }
  for (size_t r = 0; r < ranges.size(); ++r) {
    const double predicted = variance.OfRange(ranges[r].first, ranges[r].second);
    if (predicted < 1e-15) {  // all of them, of whom everybody has a number
      EXPECT_NEAR(sums[r], 0, 1e-9);
      continue;
    }
    if (GetParam().mechanism == "grr" || GetParam().mechanism == "mix_dump" ||
        GetParam().sent < tree_.levels()) {
      EXPECT_LE(std::abs(sums[r]), 8 * std::sqrt(squares[r] * kTrials / (kTrials - 1))) << r;
      continue;
    }
    EXPECT_LE(std::abs(sums[r]), 6 * std::sqrt(predicted * kTrials)) << r;
    EXPECT_NEAR(squares[r] / kTrials / predicted, 1, 6 * std::sqrt(2.0 / kTrials)) << r;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryMechanism, NumberWalkTest,
                         ::testing::Values(NumberCase{"PureDumpTree", "pure_dump", 3, 3},
                                           NumberCase{"PureDumpMissing", "pure_dump", 3, 3, true},
                                           NumberCase{"PureDumpSome", "pure_dump", 5, 1},
                                           NumberCase{"AueTree", "aue", 5, 2},
                                           NumberCase{"CorrelatedTree", "correlated", 5, 2},
                                           NumberCase{"CorrelatedBins", "correlated", 0, 1, true},
                                           NumberCase{"MixDumpBins", "mix_dump", 0, 1},
                                           NumberCase{"GrrBins", "grr", 0, 1, true},
                                           NumberCase{"GrrTree", "grr", 5, 2},
                                           NumberCase{"GrrLevel", "grr", 3, 1}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace tombola
