#include "common/metrics/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/retry_after.h"
#include "common/metrics/cause_counters.h"

namespace tombola {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Metrics, TheSameNameAndLabelsAreOneCounter) {
  Metrics metrics;
  metrics.Counter("tombola_x_total", "Help.", {{"cause", "a"}}).Increment();
  metrics.Counter("tombola_x_total", "Help.", {{"cause", "a"}}).Increment(2);
  metrics.Counter("tombola_x_total", "Help.", {{"cause", "b"}}).Increment();
  EXPECT_THAT(metrics.Text(), HasSubstr("tombola_x_total{cause=\"a\"} 3"));
  EXPECT_THAT(metrics.Text(), HasSubstr("tombola_x_total{cause=\"b\"} 1"));
}

TEST(Metrics, AHistogramCountsByItsBounds) {
  Metrics metrics;
  prometheus::Histogram& seconds = metrics.Seconds("tombola_x_seconds", "Help.");
  seconds.Observe(0.003);
  seconds.Observe(4000);
  EXPECT_EQ(&seconds, &metrics.Seconds("tombola_x_seconds", "Help."));
  EXPECT_THAT(metrics.Text(), AllOf(HasSubstr("tombola_x_seconds_bucket{le=\"0.0025\"} 0"),
                                    HasSubstr("tombola_x_seconds_bucket{le=\"0.005\"} 1"),
                                    HasSubstr("tombola_x_seconds_bucket{le=\"3600\"} 1"),
                                    HasSubstr("tombola_x_seconds_bucket{le=\"+Inf\"} 2"),
                                    HasSubstr("tombola_x_seconds_count 2")));
}

TEST(Metrics, LooksAtWhatIsTrueWhenItIsAsked) {
  Metrics metrics;
  int held = 1;
  metrics.AddLook([&](Readings& out) {
    out.Gauge("tombola_held", "Help.", held, {{"task", "a\"\\\nb"}});
    out.Gauge("tombola_held", "Help.", 7, {{"task", "c"}});
    out.Counter("tombola_seen_total", "Help.", 5);
  });
  held = 2;
  EXPECT_THAT(metrics.Text(), AllOf(HasSubstr("# TYPE tombola_held gauge\n"),
                                    HasSubstr("tombola_held{task=\"a\\\"\\\\\\nb\"} 2\n"),
                                    HasSubstr("tombola_held{task=\"c\"} 7\n"),
                                    HasSubstr("# TYPE tombola_seen_total counter\n")));
}

TEST(CauseCounters, AreThereFromTheStartAndDoNotGrow) {
  Metrics metrics;
  CauseCounters refused(metrics, "tombola_refused_total", "Help.", {"full", "late"});
  EXPECT_THAT(metrics.Text(),
              AllOf(HasSubstr("{cause=\"full\"} 0"), HasSubstr("{cause=\"late\"} 0"),
                    HasSubstr("{cause=\"other\"} 0")));
  refused.Add("late");
  refused.Add("never heard of", 2);
  EXPECT_EQ(refused.Value("late"), 1);
  EXPECT_THAT(metrics.Text(), AllOf(HasSubstr("{cause=\"late\"} 1"),
                                    HasSubstr("{cause=\"other\"} 2"), Not(HasSubstr("never"))));
}

TEST(CauseCounters, CountARefusalByItsCauseElseByItsCode) {
  Metrics metrics;
  CauseCounters refused(metrics, "tombola_refused_total", "Help.", {"full", "malformed", "role"});
  refused.AddRefusal(WithCause("full", absl::InvalidArgumentError("")));
  refused.AddRefusal(absl::InvalidArgumentError(""));
  refused.AddRefusal(absl::PermissionDeniedError(""));
  refused.AddRefusal(absl::UnauthenticatedError(""));
  refused.AddRefusal(absl::FailedPreconditionError(""));  // of which these have no counter
  EXPECT_EQ(refused.Value("full"), 1);
  EXPECT_EQ(refused.Value("malformed"), 1);
  EXPECT_EQ(refused.Value("role"), 2);
  EXPECT_EQ(refused.Value("other"), 1);
}

}  // namespace
}  // namespace tombola
