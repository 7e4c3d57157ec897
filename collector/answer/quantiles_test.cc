#include "collector/answer/quantiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "client/encode/test_mechanisms.h"
#include "common/kind/number.h"

namespace tombola::collector {
namespace {

// A million devices, their numbers normal about the middle of 125 bins, counted over a tree of
// three levels with the noise that epsilon 1 and delta 1e-6 take: Poisson of mean 109.5 on every
// cell, which makes the root mean square error of all ranges 18.1 devices.
constexpr int64_t kMillion = 1'000'000;
constexpr double kNoise = 109.5;

class MillionNumbers {
 public:
  MillionNumbers() {
    v1::Task task;
    task.set_kind(v1::KIND_NUMBER);
    task.mutable_domain()->set_size(125);
    task.mutable_numbers()->add_edges(0);
    task.mutable_numbers()->add_edges(125);
    task.mutable_numbers()->set_branching(5);
    task.mutable_numbers()->set_sent(3);
    const NumberCells cells = NumberCells::Read(task).value();
    const auto nodes = static_cast<double>(cells.tree.cells());
    kind_ = std::make_unique<NumberKind>(
        cells, std::make_shared<const mechanism::PureDump>(
                   mechanism::PureDump::Create({.rate = client::TestRate(kNoise * nodes / kMillion),
                                                .honest = kMillion,
                                                .max = 64},
                                               cells.tree.cells(), cells.filling)
                       .value()));
    double before = 0, devices = 0;
    for (int bin = 0; bin < 125; ++bin) {
      const double share = std::erfc(-(bin + 1 - 62.5) / 31.25 / std::sqrt(2.0)) / 2;
      held_.push_back(std::llround(kMillion * (bin == 124 ? 1 - before : share - before)));
      before = share;
      devices += static_cast<double>(held_.back());
    }
    held_[62] += kMillion - static_cast<int64_t>(devices);
  }

  CountedNumbers Count(std::mt19937_64& random) const {
    std::poisson_distribution<int64_t> noise(kNoise);
    const RangeTree& tree = kind_->cells().tree;
    std::vector<int64_t> counts(static_cast<size_t>(tree.cells()));
    for (int64_t& count : counts) count = noise(random);
    for (int64_t bin = 0; bin < tree.leaves(); ++bin) {
      for (int64_t level = 0; level < tree.levels(); ++level) {
        counts[tree.CellOf(bin, level)] += held_[static_cast<size_t>(bin)];
      }
    }
    return CountedNumbers::Read(*kind_, counts, {.submissions = kMillion}, 0.95).value();
  }

  // The bin with the device of this rank, from 1 on.
  int64_t BinOfRank(int64_t rank) const {
    int64_t bin = 0;
    for (int64_t below = held_[0]; below < rank; below += held_[static_cast<size_t>(++bin)]) {
    }
    return bin;
  }

  const Bins& bins() const { return kind_->cells().bins; }

 private:
  std::unique_ptr<NumberKind> kind_;
  std::vector<int64_t> held_;
};

// Deciles and quartiles. The distribution function is off by about 15 devices, and none of these
// ranks is within 1,200 devices of an edge: eighty standard deviations.
TEST(QuantilesTest, AreInTheRightBinAtUsualBudgets) {
  const MillionNumbers numbers;
  std::mt19937_64 random(8);
  constexpr double kFractions[] = {0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9};
  int wrong = 0;
  for (int run = 0; run < 300; ++run) {
    const CountedNumbers counted = numbers.Count(random);
    const Quantiles quantiles(counted, numbers.bins());
    for (const double fraction : kFractions) {
      const int64_t bin = numbers.BinOfRank(std::llround(fraction * kMillion));
      const Quantiles::Quantile found = quantiles.At(fraction);
      wrong += numbers.bins().BinOf(found.value) == bin ? 0 : 1;
      EXPECT_LE(found.low, static_cast<double>(bin));
      EXPECT_GE(found.high, static_cast<double>(bin + 1));
      EXPECT_LE(found.high - found.low, 2);
      EXPECT_LT(found.standard_error, 0.01);
    }
  }
  EXPECT_EQ(wrong, 0);
}

// What is looked up instead of walked along: the ends of intervals as their definition has them.
TEST(QuantilesTest, IntervalsHaveTheirFractionAndFollowIt) {
  const MillionNumbers numbers;
  std::mt19937_64 random(9);
  const CountedNumbers counted = numbers.Count(random);
  const Quantiles quantiles(counted, numbers.bins());
  Quantiles::Quantile before = quantiles.At(0);
  for (int i = 1; i <= 1000; ++i) {
    const Quantiles::Quantile found = quantiles.At(i / 1000.0);
    EXPECT_LE(found.low, found.value) << i;
    EXPECT_GE(found.high, found.value) << i;
    EXPECT_GE(found.low, before.low) << i;
    EXPECT_GE(found.high, before.high) << i;
    before = found;
  }
}

}  // namespace
}  // namespace tombola::collector
