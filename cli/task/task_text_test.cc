#include "cli/task/task_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/test_task.h"

namespace tombola::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A task of 30 days with this interval, on its first day.
std::string TextOf(uint64_t interval, bool merge = false, bool closed = false) {
  const auto task = MakeTestTask([&](v1::Task* t) {
    t->mutable_batch_policy()->set_interval(interval);
    t->mutable_batch_policy()->set_merge_periods(merge);
  });
  v1::TaskInfo info;
  info.set_closed(closed);
  info.set_needed(5);
  return TaskText(*task, info, TestTaskStart() + absl::Hours(1));
}

TEST(TaskTextTest, ATaskWithoutAnIntervalSaysNothingOfPeriods) {
  const std::string text = TextOf(0);
  EXPECT_THAT(text, HasSubstr("target    epsilon 3, delta 1e-06 for every batch of at least 5\n"));
  EXPECT_THAT(text, Not(HasSubstr("period")));
  EXPECT_THAT(text, Not(HasSubstr("interval")));
}

TEST(TaskTextTest, PeriodsAreNamedWithTheirNumberAndThePresentOne) {
  EXPECT_THAT(TextOf(24 * 3600),
              HasSubstr("periods   30 of 24h each, now in number 1; a batch leaves "
                        "10m after the end of its period\n"));
  EXPECT_THAT(TextOf(24 * 3600, false, /*closed=*/true), Not(HasSubstr("now in number")));
}

TEST(TaskTextTest, ALastPeriodThatTheTasksEndCutsIsSaidToBeShorter) {
  EXPECT_THAT(TextOf(7 * 24 * 3600),
              HasSubstr("periods   5 of 168h each, the last cut to 48h by the "
                        "task's end, now in number 1;"));
  EXPECT_THAT(TextOf(24 * 3600), Not(HasSubstr("cut")));
}

TEST(TaskTextTest, IntervalsThatMergeAreSaidTo) {
  const std::string text = TextOf(24 * 3600, /*merge=*/true);
  EXPECT_THAT(text, HasSubstr("intervals of 24h, which merge:"));
  EXPECT_THAT(text, Not(HasSubstr("periods   ")));
}

TEST(TaskTextTest, OfAStreamItSaysWhichPeriodsAreCountedTogether) {
  const auto text = [](const std::vector<uint32_t>& start) {
    const auto task = MakeTestTask([&](v1::Task* t) { MakeStream(start, t); });
    v1::TaskInfo info;
    info.set_needed(5);
    return TaskText(*task, info, TestTaskStart());
  };
  EXPECT_THAT(text({0, 0, 2, 0}),
              HasSubstr("(stream), counted over time by the structure fenwick:\n"
                        "          a batch that ends with each period, over up to 4 periods; a "
                        "submission is in up to 3 of them\n"));
  EXPECT_THAT(text({0, 1}), HasSubstr("structure plain: each period by itself\n"));
  EXPECT_THAT(text({0, 1}), HasSubstr("for one submission, in all batches that it is in, of at "
                                      "least 5 for each period\n"));
}

}  // namespace
}  // namespace tombola::cli
