#include "collector/store/part_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/support/seeded_random.h"

namespace tombola::collector {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

PartRuns Of(std::initializer_list<uint64_t> parts) {
  PartRuns runs;
  for (const uint64_t part : parts) runs.Add(part);
  return runs;
}

TEST(PartRuns, NamesWhatIsMissingFromARange) {
  const PartRuns runs = Of({1, 2, 5, 6, 9});
  EXPECT_EQ(runs.Count(), 5u);
  EXPECT_EQ(runs.last(), 9u);
  EXPECT_THAT(runs.MissingFrom({1, 9}), ElementsAre(PartRange{3, 4}, PartRange{7, 8}));
  EXPECT_THAT(runs.MissingFrom({1, 12}),
              ElementsAre(PartRange{3, 4}, PartRange{7, 8}, PartRange{10, 12}));
  EXPECT_THAT(runs.MissingFrom({4, 7}), ElementsAre(PartRange{4, 4}, PartRange{7, 7}));
  EXPECT_THAT(runs.MissingFrom({5, 6}), IsEmpty());
  EXPECT_THAT(runs.MissingFrom({20, 21}), ElementsAre(PartRange{20, 21}));
  EXPECT_THAT(PartRuns().MissingFrom({1, 3}), ElementsAre(PartRange{1, 3}));
  EXPECT_TRUE(PartRuns().empty());
  EXPECT_TRUE(runs.Within({1, 9}));
  EXPECT_FALSE(runs.Within({1, 8}));
  EXPECT_FALSE(runs.Within({2, 9}));
  EXPECT_TRUE(PartRuns().Within({5, 5}));
}

TEST(PartRuns, IsTheSetOfWhatWasAddedInAnyOrder) {
  SeededRandom random(11);
  for (int round = 0; round < 200; ++round) {
    PartRuns runs;
    std::set<uint64_t> truth;
    const uint64_t parts = 1 + UniformBelow(30, random);
    for (uint64_t i = 0; i < parts; ++i) {
      const uint64_t part = UniformBelow(20, random);
      runs.Add(part);
      truth.insert(part);
    }
    ASSERT_EQ(runs.Count(), truth.size());
    ASSERT_EQ(runs.last(), *truth.rbegin());
    std::set<uint64_t> missing;
    for (const PartRange& run : runs.MissingFrom({0, 24})) {
      ASSERT_LE(run.first, run.last);
      for (uint64_t part = run.first; part <= run.last; ++part) missing.insert(part);
    }
    for (uint64_t part = 0; part < 25; ++part) {
      ASSERT_NE(truth.contains(part), missing.contains(part)) << part;
    }
  }
}

}  // namespace
}  // namespace tombola::collector
