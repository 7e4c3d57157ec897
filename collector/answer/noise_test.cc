#include "collector/answer/noise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/test_task.h"

namespace tombola::collector {
namespace {

using ::testing::HasSubstr;

// All with the same standard error.
v1::Answer Shares(const std::vector<double>& shares, double standard_error) {
  v1::Answer answer;
  answer.set_reports(200);
  for (const double share : shares) {
    answer.mutable_histogram()->add_frequencies(share);
    answer.mutable_histogram()->add_standard_errors(standard_error);
  }
  return answer;
}

TEST(MostlyNoiseTest, SharesBelowTheirErrorsAreSaidToBeNoiseInWordsWithFigures) {
  const auto task = MakeTestTask();
  // Half-widths of 39.2 %: the 45 % that stand out are less than half of all.
  EXPECT_EQ(MostlyNoise(*task, Shares({0.45, 0.35, 0.2}, 0.2)),
            "with 200 devices these shares are mostly noise: 2 of 3 are no larger than the "
            "half-widths of their 95 % intervals, 39.2 % on average");
  EXPECT_EQ(MostlyNoise(*task, Shares({0.55, 0.25, 0.2}, 0.2)), "");
  EXPECT_EQ(MostlyNoise(*task, Shares({0.4, 0.4, 0.2}, 0.2)), "") << "a little above the errors";
  EXPECT_THAT(MostlyNoise(*task, Shares({0.3, -0.4}, 0.1)), HasSubstr("1 of 2"))
      << "what is below 0 is noise";
  EXPECT_EQ(MostlyNoise(*task, Shares({}, 0)), "");
}

TEST(MostlyNoiseTest, CountsOfRecordsAreHeldAgainstTheirErrors) {
  const auto task = MakeTestTask();
  v1::Answer answer;
  answer.set_reports(1);
  v1::Estimate* const count = answer.mutable_records()->mutable_count();
  count->set_value(19);
  count->set_standard_error(10);
  EXPECT_EQ(
      MostlyNoise(*task, answer),
      "with 1 device this count is mostly noise: it is no larger than the half-width of its 95 "
      "% interval, 19.6 records");
  count->set_value(20);
  EXPECT_EQ(MostlyNoise(*task, answer), "");
  for (const double value : {30.0, 10.0, 15.0, 10.0}) {
    v1::Estimate* const cell = answer.mutable_records()->add_cells()->mutable_count();
    cell->set_value(value);
    cell->set_standard_error(10);
  }
  EXPECT_THAT(MostlyNoise(*task, answer), HasSubstr("these counts are mostly noise: 3 of 4"));
}

}  // namespace
}  // namespace tombola::collector
