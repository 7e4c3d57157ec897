#include "shuffler/forward/progress.h"

#include <gtest/gtest.h>

namespace tombola::shuffler {
namespace {

TEST(CoarsePercent, RoundsDownToStepsOfFiveAndStopsAtAHundred) {
  EXPECT_EQ(CoarsePercent(0, 1000), 0u);
  EXPECT_EQ(CoarsePercent(49, 1000), 0u);
  EXPECT_EQ(CoarsePercent(50, 1000), 5u);
  EXPECT_EQ(CoarsePercent(999, 1000), 95u);
  EXPECT_EQ(CoarsePercent(1000, 1000), 100u);
  EXPECT_EQ(CoarsePercent(5000, 1000), 100u);
  EXPECT_EQ(CoarsePercent(3, 0), 100u);
}

}  // namespace
}  // namespace tombola::shuffler
