// Devices with a number each, or none, counted by every mechanism that can: that what is said of
// sums, means and quantiles is unbiased, and as far off as it says.
#include "collector/answer/counted_numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "client/encode/encoder.h"
#include "client/encode/test_mechanisms.h"
#include "collector/aggregate/aggregator.h"
#include "collector/answer/number_moments.h"
#include "collector/answer/quantiles.h"
#include "tests/support/seeded_random.h"

namespace tombola::collector {
namespace {

using client::TestCorrelated;
using client::TestDummies;
using client::TestResponse;
using client::TestThreshold;
using mechanism::Filling;
using mechanism::Mechanism;
using ::testing::HasSubstr;

constexpr int64_t kBins = 13;
constexpr int64_t kDevices = 300;
constexpr int kBatches = 1500;

struct Case {
  std::string name;
  int64_t branching;  // of the tree
  bool missing;
  int64_t sent;  // of its levels; 0: all
  bool exact;    // the stated variance is the true one, else no less
  std::function<std::shared_ptr<const Mechanism>(int64_t cells, const Filling& filling)> make;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

template <typename M>
std::shared_ptr<const Mechanism> Shared(absl::StatusOr<M> mechanism) {
  return std::make_shared<const M>(std::move(mechanism).value());
}

std::shared_ptr<const Mechanism> MakePureDump(int64_t cells, const Filling& filling) {
  return Shared(mechanism::PureDump::Create(TestDummies(kDevices), cells, filling));
}

// Dummies of every level of the tree over bins with one apart, twice as many as of that below.
std::shared_ptr<const Mechanism> MakeDivided(int64_t cells, const Filling& filling) {
  const RangeTree tree(kBins, 3, /*apart=*/true);
  EXPECT_EQ(tree.cells(), cells);
  EXPECT_EQ(tree.levels(), filling.sent);
  mechanism::DummyOptions options = TestDummies(kDevices);
  std::vector<mechanism::DummyLevel> levels;
  uint64_t rate = options.rate / 16;
  for (const int64_t level : LevelCells(tree)) {
    levels.push_back({.cells = level, .rate = rate * static_cast<uint64_t>(level)});
    rate *= 2;
  }
  options.rate = 0;
  options.max = 200;
  return Shared(mechanism::PureDump::Create(options, levels));
}

std::shared_ptr<const Mechanism> MakeAue(int64_t cells, const Filling& filling) {
  return Shared(mechanism::Aue::Create({.coin_threshold = TestThreshold(0.1),
                                        .honest = kDevices,
                                        .max_dummies = 64,
                                        .domain_size = cells,
                                        .filling = filling}));
}

std::shared_ptr<const Mechanism> MakeCorrelated(int64_t cells, const Filling& filling) {
  mechanism::CorrelatedOptions options = TestCorrelated(cells, kDevices);
  options.filling = filling;
  return Shared(mechanism::Correlated::Create(options));
}

std::shared_ptr<const Mechanism> MakeGrr(int64_t cells, const Filling& filling) {
  mechanism::GrrOptions options = TestResponse(cells);
  options.filling = filling;
  return Shared(mechanism::Grr::Create(options));
}

v1::Task NumbersOf(const Case& c) {
  v1::Task task;
  task.set_kind(v1::KIND_NUMBER);
  task.mutable_domain()->set_size(kBins);
  task.mutable_numbers()->add_edges(0);
  task.mutable_numbers()->add_edges(26);
  task.mutable_numbers()->set_branching(static_cast<uint32_t>(c.branching));
  task.mutable_numbers()->set_missing(c.missing);
  const RangeTree tree(kBins, c.branching, c.missing);
  task.mutable_numbers()->set_sent(static_cast<uint32_t>(c.sent == 0 ? tree.levels() : c.sent));
  return task;
}

class CountedNumbersTest : public ::testing::TestWithParam<Case> {
 protected:
  CountedNumbersTest() {
    const NumberCells cells = NumberCells::Read(NumbersOf(GetParam())).value();
    const auto mechanism = GetParam().make(cells.tree.cells(), cells.filling);
    kind_ = std::make_unique<NumberKind>(cells, mechanism, mechanism);
    encoder_ = client::MakeEncoder(kind_->tables()[0]);
    // More of them in small bins, and a fifth without a number where that may be.
    for (int64_t i = 0; i < kDevices; ++i) {
      const bool none = GetParam().missing && i % 5 == 0;
      held_.push_back(none ? kBins : std::min(i % 13, i * 7 % 11));
    }
  }

  const NumberCells& cells() const { return kind_->cells(); }

  CountedNumbers Batch(double confidence, RandomSource& random) const {
    const auto aggregator = MakeAggregator(kind_->tables()[0]);
    std::string reports;
    std::vector<uint64_t> filled(static_cast<size_t>(cells().tree.levels()));
    for (const int64_t leaf : held_) {
      for (size_t level = 0; level < filled.size(); ++level) {
        filled[level] = cells().tree.CellOf(leaf, static_cast<int64_t>(level));
      }
      encoder_->Encode(filled, random, &reports);
    }
    const size_t bytes = kind_->tables()[0]->report_bytes();
    for (size_t at = 0; at < reports.size(); at += bytes) {
      EXPECT_EQ(aggregator->Add({reinterpret_cast<const uint8_t*>(&reports[at]), bytes}),
                mechanism::ReportState::kValid);
    }
    return CountedNumbers::Read(*kind_, aggregator->counts(), {.submissions = kDevices}, confidence)
        .value();
  }

  // Of all devices.
  double TrueShare(int64_t begin, int64_t end) const {
    const auto held = std::count_if(held_.begin(), held_.end(),
                                    [&](int64_t leaf) { return leaf >= begin && leaf < end; });
    return static_cast<double>(held) / kDevices;
  }

  std::unique_ptr<NumberKind> kind_;
  std::unique_ptr<client::Encoder> encoder_;
  std::vector<int64_t> held_;
};

// What many batches say of one number.
struct Errors {
  double sum = 0, squares = 0, stated = 0;
  int missed = 0;

  void Add(const v1::Estimate& estimate, double truth) {
    const double error = estimate.value() - truth;
    sum += error;
    squares += error * error;
    stated += estimate.standard_error() * estimate.standard_error();
    missed += truth < estimate.low() || truth > estimate.high() ? 1 : 0;
  }
};

// A mean of 1500 errors is within six of its standard deviations of zero but for 2e-9. Their sample
// variance over the true one has, where they are about normal, the standard deviation
// sqrt(2 / 1500) = 0.037, and six times that is 0.22; the excess kurtosis of the noise, at most 3
// on one cell and a fraction of that on several, adds half of itself to the 2, which 0.3 allows
// for. An interval of 95 % misses 75 of 1500 times, with a standard deviation of 8.4.
void ExpectStated(const Errors& errors, bool exact, const char* what) {
  EXPECT_LE(std::abs(errors.sum), 6 * std::sqrt(errors.stated)) << what;
  EXPECT_LE(errors.squares / errors.stated, 1.3) << what;
  EXPECT_LE(errors.missed, 75 + 6 * 8.4) << what;
  // That it is not far too large.
  EXPECT_GE(errors.squares / errors.stated, exact ? 0.7 : 0.4) << what;
}

TEST_P(CountedNumbersTest, SumsAreUnbiasedAndAsFarOffAsTheySay) {
  SeededRandom random(21);
  Errors narrow, wide, cut, with_number, mean, sum;
  const BinRange all = BinRange::All(cells().bins);
  double true_sum = 0, true_number = 0;
  for (const int64_t leaf : held_) {
    if (leaf == kBins) continue;
    true_sum += 2 * static_cast<double>(leaf) + 1;
    true_number += 1;
  }
  for (int batch = 0; batch < kBatches; ++batch) {
    const CountedNumbers numbers = Batch(0.95, random);
    narrow.Add(NumberMoments(numbers, cells(), {3, 4}).ShareOfDevices(), TrueShare(3, 4));
    wide.Add(NumberMoments(numbers, cells(), {2, 10}).ShareOfDevices(), TrueShare(2, 10));
    v1::Estimate half = NumberMoments(numbers, cells(), {2.5, 10}).ShareOfDevices();
    EXPECT_LT(half.low(), half.value() - half.standard_error());
    cut.Add(half, TrueShare(3, 10) + TrueShare(2, 3) / 2);
    const NumberMoments moments(numbers, cells(), all);
    with_number.Add(moments.ShareOfDevices(), true_number / kDevices);
    v1::Distribution body;
    moments.Fill(&body);
    EXPECT_NEAR(body.spread(), 1, 1e-9);  // half a bin
    mean.Add(body.mean(), true_sum / true_number);
    sum.Add(body.sum(), true_sum);
  }
  const bool exact = GetParam().exact;
  ExpectStated(narrow, exact, "one bin");
  ExpectStated(wide, exact, "a range");
  cut.missed = 0;  // its interval allows for more
  ExpectStated(cut, exact, "a range that cuts a bin");
  if (GetParam().missing) {
    ExpectStated(with_number, exact, "devices with a number");
  } else {
    EXPECT_LE(with_number.squares, 1e-20);
    EXPECT_EQ(with_number.stated, 0);
    EXPECT_EQ(with_number.missed, 0);
  }
  // Their intervals allow for where in bins numbers are.
  ExpectStated(sum, exact, "sum");
  mean.sum = 0;  // a ratio where some have none, and kept within the edges
  ExpectStated(mean, exact, "mean");
}

// Numbers are at the middle of their bins, 1, 3, 5 and so on.
TEST_P(CountedNumbersTest, QuantilesAreInTheirIntervals) {
  SeededRandom random(22);
  std::vector<double> sorted;
  for (const int64_t leaf : held_) {
    if (leaf < kBins) sorted.push_back(2 * static_cast<double>(leaf) + 1);
  }
  std::sort(sorted.begin(), sorted.end());
  constexpr double kFractions[] = {0, 0.1, 0.5, 0.8, 1};
  int missed[std::size(kFractions)] = {};
  for (int batch = 0; batch < kBatches; ++batch) {
    const CountedNumbers numbers = Batch(0.95, random);
    const Quantiles quantiles = Quantiles::Of(numbers, cells().bins);
    double before = 0;
    for (size_t i = 0; i < std::size(kFractions); ++i) {
      const auto rank =
          static_cast<int64_t>(std::ceil(kFractions[i] * static_cast<double>(sorted.size())));
      const double truth = sorted[static_cast<size_t>(std::max<int64_t>(rank, 1) - 1)];
      const v1::Estimate found = quantiles.At(kFractions[i]);
      EXPECT_LE(found.low(), found.value());
      EXPECT_GE(found.high(), found.value());
      EXPECT_GE(found.value(), before);
      EXPECT_GE(found.standard_error(), 0);
      before = found.value();
      missed[i] += truth < found.low() || truth > found.high() ? 1 : 0;
    }
  }
  for (const int misses : missed) EXPECT_LE(misses, 75 + 6 * 8.4);
}

// Whoever counted: those that have a share of the whole, alike for every bin.
TEST_P(CountedNumbersTest, SharesSumToOne) {
  SeededRandom random(23);
  const CountedNumbers numbers = Batch(0.95, random);
  EXPECT_NEAR(numbers.Below(kBins), numbers.WithNumber(), 1e-9);
  double sum = 0;
  for (int64_t bin = 0; bin < kBins; ++bin) sum += numbers.Share(bin);
  EXPECT_NEAR(sum, numbers.WithNumber(), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(
    EveryMechanism, CountedNumbersTest,
    ::testing::Values(Case{"PureDumpTree", 3, false, 0, true, &MakePureDump},
                      Case{"PureDumpTreeMissing", 3, true, 0, true, &MakePureDump},
                      Case{"PureDumpDivided", 3, true, 0, true, &MakeDivided},
                      Case{"PureDumpOneLevel", 3, true, 1, true, &MakePureDump},
                      Case{"PureDumpFlat", 0, true, 0, true, &MakePureDump},
                      Case{"AueTree", 3, true, 0, true, &MakeAue},
                      Case{"CorrelatedTree", 4, false, 0, true, &MakeCorrelated},
                      Case{"CorrelatedFlatMissing", 0, true, 0, true, &MakeCorrelated},
                      Case{"GrrFlat", 0, false, 0, true, &MakeGrr},
                      Case{"GrrFlatMissing", 0, true, 0, true, &MakeGrr},
                      Case{"GrrAllLevels", 3, false, 0, false, &MakeGrr},
                      Case{"GrrOneLevel", 3, true, 1, true, &MakeGrr}),
    [](const auto& info) { return info.param.name; });

// A tree of 4 and 2 nodes whose levels have dummies of their own.
TEST(NumberKindTest, ReadsDummiesOfEveryLevelOfItsTree) {
  v1::Task task;
  task.set_kind(v1::KIND_NUMBER);
  task.mutable_domain()->set_size(4);
  task.mutable_numbers()->add_edges(0);
  task.mutable_numbers()->add_edges(1);
  task.mutable_numbers()->set_branching(2);
  task.mutable_numbers()->set_missing(true);
  task.mutable_numbers()->set_sent(2);
  v1::PureDump* dump = task.mutable_mechanism()->mutable_pure_dump();
  dump->mutable_dummies()->set_honest(1000);
  dump->mutable_dummies()->set_max(100);
  dump->add_level_rates(uint64_t{1} << 42);
  dump->add_level_rates(uint64_t{1} << 41);
  const auto read = NumberKind::Read(task);
  ASSERT_TRUE(read.ok()) << read.status();
  // Of five nodes 4,000 dummies, of three 2,000.
  const auto& kind = static_cast<const NumberKind&>(**read);
  const auto models = LevelModels(kind.cells().tree, *kind.tables()[0]);
  ASSERT_EQ(models.size(), 2u);
  EXPECT_NEAR(models[0].noise_variance, 4.0 / 5, 1e-9);
  EXPECT_NEAR(models[1].noise_variance, 2.0 / 3, 1e-9);
  EXPECT_EQ(kind.PredictedMse(2000),
            RangeMse(kind.cells().tree, models, kind.cells().filling, {.submissions = 2000}));

  const auto refusal = [&] { return std::string(NumberKind::Read(task).status().message()); };
  task.mutable_numbers()->set_branching(0);
  task.mutable_numbers()->set_sent(1);
  EXPECT_THAT(refusal(), HasSubstr("level_rates must be absent"));
  task.mutable_numbers()->set_branching(2);
  EXPECT_THAT(refusal(), HasSubstr("says 1 of 2 levels"));
  task.mutable_numbers()->set_sent(2);
  dump->add_level_rates(1);
  EXPECT_THAT(refusal(), HasSubstr("has 3 rates; it must have one for each of the 2 levels"));
}

}  // namespace
}  // namespace tombola::collector
