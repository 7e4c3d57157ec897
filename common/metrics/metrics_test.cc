#include "common/metrics/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tombola {
namespace {

TEST(Metrics, TheSameNameAndLabelsAreOneCounter) {
  Metrics metrics;
  metrics.Counter("tombola_x_total", "Help.", {{"cause", "a"}}).Increment();
  metrics.Counter("tombola_x_total", "Help.", {{"cause", "a"}}).Increment(2);
  metrics.Counter("tombola_x_total", "Help.", {{"cause", "b"}}).Increment();
  EXPECT_THAT(metrics.Text(), ::testing::HasSubstr("tombola_x_total{cause=\"a\"} 3"));
  EXPECT_THAT(metrics.Text(), ::testing::HasSubstr("tombola_x_total{cause=\"b\"} 1"));
}

}  // namespace
}  // namespace tombola
