#include "collector/answer/bin_range.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tombola::collector {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

Bins Tenths() {
  v1::Numbers wire;
  wire.add_edges(0);
  wire.add_edges(1);
  return Bins::Read(wire, 10).value();
}

absl::StatusOr<BinRange> ReadTenths(double low, double high) {
  v1::NumberRange wire;
  wire.set_low(low);
  wire.set_high(high);
  return BinRange::Read(Tenths(), wire);
}

std::vector<std::pair<int64_t, double>> Runs(const BinRange& range, Cut cut, double less = 0) {
  std::vector<std::pair<int64_t, double>> runs;
  for (const WeightedRun& run : RunsOf(range, 10, cut, less))
    runs.emplace_back(run.end, run.weight);
  return runs;
}

TEST(BinRangeTest, FindsEdgesInSpiteOfRounding) {
  for (int i = 0; i < 10; ++i) {
    for (int j = i + 1; j <= 10; ++j) {
      const BinRange range = ReadTenths(i / 10.0, j / 10.0).value();
      EXPECT_EQ(range.first, i);
      EXPECT_EQ(range.last, j);
    }
  }
  EXPECT_EQ(ReadTenths(0.1 + 0.2, 1)->first, 3);  // 0.30000000000000004
}

TEST(BinRangeTest, RefusesWhatIsEmptyOrOutsideAndNamesTheBounds) {
  const auto complaint = [](double low, double high) {
    return std::string(ReadTenths(low, high).status().message());
  };
  EXPECT_THAT(complaint(0.5, 0.5),
              AllOf(HasSubstr("where is 0.5 to 0.5; its lower end must be below"),
                    HasSubstr("within 0 to 1,")));
  EXPECT_THAT(complaint(0.6, 0.2), HasSubstr("below its upper one"));
  EXPECT_THAT(complaint(-1, 0.2), HasSubstr("where is -1 to 0.2; it must be within 0 to 1"));
  EXPECT_THAT(complaint(0.2, 2), HasSubstr("must be within 0 to 1"));
  EXPECT_THAT(complaint(0.2, 0.2 + 1e-12), HasSubstr("too narrow"));
  EXPECT_THAT(complaint(std::nan(""), 0.2), HasSubstr("must be below"));
}

TEST(BinRangeTest, WeighsWholeBinsOneAndCutBinsAsAsked) {
  EXPECT_THAT(Runs({2, 5}, Cut::kItsShare), ElementsAre(Pair(2, 0), Pair(5, 1), Pair(10, 0)));
  EXPECT_THAT(Runs({0, 10}, Cut::kNothing), ElementsAre(Pair(10, 1)));
  EXPECT_THAT(Runs({1.75, 3.5}, Cut::kItsShare),
              ElementsAre(Pair(1, 0), Pair(2, 0.25), Pair(3, 1), Pair(4, 0.5), Pair(10, 0)));
  EXPECT_THAT(Runs({1.75, 3.5}, Cut::kNothing),
              ElementsAre(Pair(1, 0), Pair(2, 0), Pair(3, 1), Pair(4, 0), Pair(10, 0)));
  EXPECT_THAT(Runs({1.75, 3.5}, Cut::kWhole),
              ElementsAre(Pair(1, 0), Pair(2, 1), Pair(3, 1), Pair(4, 1), Pair(10, 0)));
  // Within one bin.
  EXPECT_THAT(Runs({2.25, 2.5}, Cut::kItsShare),
              ElementsAre(Pair(2, 0), Pair(3, 0.25), Pair(10, 0)));
  EXPECT_THAT(Runs({2, 2.5}, Cut::kWhole, 0.5),
              ElementsAre(Pair(2, -0.5), Pair(3, 0.5), Pair(10, -0.5)));
  EXPECT_THAT(Runs({9.5, 10}, Cut::kItsShare), ElementsAre(Pair(9, 0), Pair(10, 0.5)));
}

TEST(BinRangeTest, KnowsThePartOfABin) {
  const Bins bins = Tenths();
  const BinRange range{1.75, 3.5};
  EXPECT_EQ(range.begin(), 1);
  EXPECT_EQ(range.end(), 4);
  EXPECT_NEAR(range.PartOf(bins, 1).low, 0.175, 1e-12);
  EXPECT_NEAR(range.PartOf(bins, 1).high, 0.2, 1e-12);
  EXPECT_NEAR(range.PartOf(bins, 1).share, 0.25, 1e-12);
  EXPECT_FALSE(range.PartOf(bins, 2).cut());
  EXPECT_NEAR(range.PartOf(bins, 3).high, 0.35, 1e-12);
}

}  // namespace
}  // namespace tombola::collector
