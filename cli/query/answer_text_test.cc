#include "cli/query/answer_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace tombola::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

v1::Answer Guaranteed() {
  v1::Answer answer;
  answer.set_reports(9990);
  answer.set_messages(9990);
  answer.mutable_rejected()->set_unopened(7);
  answer.mutable_rejected()->set_malformed(2);
  answer.mutable_rejected()->set_out_of_range(1);
  v1::Guarantee* guarantee = answer.mutable_guarantee();
  guarantee->set_epsilon(0.98761);
  guarantee->set_delta(1e-6);
  guarantee->set_local_epsilon(4.5);
  guarantee->set_users(4321);
  guarantee->set_method("tight");
  guarantee->set_batches(2);
  guarantee->set_submissions_per_device(1);
  guarantee->set_batch_epsilon(0.98761);
  guarantee->set_batch_delta(1e-6);
  guarantee->set_total_epsilon(2.34561);
  guarantee->set_total_delta(2e-6);
  guarantee->set_total_submissions(2);
  guarantee->set_epsilon_foreign_10(1.125);
  guarantee->set_delta_foreign_10(1e-6);
  guarantee->set_epsilon_foreign_50(1.75);
  guarantee->set_delta_foreign_50(1e-6);
  return answer;
}

TEST(DescribeGuaranteeTest, SaysEveryNumberThatHolds) {
  const std::string text = DescribeGuarantee(Guaranteed());
  EXPECT_THAT(text, HasSubstr("9990 reports in 2 batches, 10 rejected"));
  EXPECT_THAT(text, HasSubstr("epsilon 0.9877, delta 1e-06"));
  EXPECT_THAT(text, HasSubstr("tight"));
  EXPECT_THAT(text, HasSubstr("4321 users in the smallest batch"));
  EXPECT_THAT(text, HasSubstr("over the one submission a device may make, as all below\n"));
  EXPECT_THAT(text,
              HasSubstr("own: epsilon 1.125, delta 1e-06; if 50 %: epsilon 1.75, delta 1e-06"));
  EXPECT_THAT(text, HasSubstr("if the shuffler colludes: epsilon 4.5, delta 0\n"));
  EXPECT_THAT(text,
              HasSubstr("total: epsilon 2.346, delta 2e-06 over the 2 submissions a device may "
                        "make in the task's life\n"));
  EXPECT_THAT(text, Not(HasSubstr("alone")));
  EXPECT_THAT(text, Not(HasSubstr("!")));
}

TEST(DescribeGuaranteeTest, OneBatchIsOneBatch) {
  v1::Answer answer = Guaranteed();
  answer.mutable_guarantee()->set_batches(1);
  EXPECT_THAT(DescribeGuarantee(answer), HasSubstr("in 1 batch,"));
}

TEST(DescribeGuaranteeTest, SeveralSubmissionsOfADeviceAreSpelledOut) {
  v1::Answer answer = Guaranteed();
  answer.mutable_guarantee()->set_submissions_per_device(3);
  answer.mutable_guarantee()->set_batch_epsilon(0.33333);
  answer.mutable_guarantee()->set_warning("So much is much.");
  EXPECT_THAT(
      DescribeGuarantee(answer),
      HasSubstr("over the 3 submissions a device may make, as all below; one alone: epsilon "
                "0.3334, delta 1e-06\n"));
  EXPECT_THAT(DescribeGuarantee(answer), HasSubstr("\n! So much is much.\n"));
  answer.mutable_guarantee()->set_reason("they count as a group");
  EXPECT_THAT(DescribeGuarantee(answer), HasSubstr("delta 1e-06\n  they count as a group\n"));
}

TEST(DescribeGuaranteeTest, WithoutALocalEpsilonNothingIsLeft) {
  v1::Answer answer = Guaranteed();
  answer.mutable_guarantee()->clear_local_epsilon();
  EXPECT_THAT(DescribeGuarantee(answer), HasSubstr("colludes: nothing is guaranteed\n"));
}

TEST(DescribeQualityTest, SaysWhatWasRejectedAndHowFarDishonestDevicesReach) {
  v1::Answer answer = Guaranteed();
  v1::Quality* quality = answer.mutable_quality();
  quality->set_duplicates(17);
  quality->set_shift_per_dishonest(0.002);
  std::string text = DescribeQuality(answer);
  EXPECT_THAT(text, HasSubstr("rejected 7 unopened, 2 malformed, 1 out of range; 17 duplicates"));
  EXPECT_THAT(text, HasSubstr("by 0.2 % at most"));
  EXPECT_THAT(text, Not(HasSubstr("that the task allows for")));
  EXPECT_THAT(text, Not(HasSubstr("WARNING")));
  quality->set_dishonest(100);
  quality->set_shift_at_dishonest_share(0.2);
  v1::QualityWarning* warning = quality->add_warnings();
  warning->set_kind("seeds");
  warning->set_text("Too many.");
  text = DescribeQuality(answer);
  EXPECT_THAT(text, HasSubstr("the 100 that the task allows for: by 20 %"));
  EXPECT_THAT(text, HasSubstr("WARNING (seeds): Too many."));
}

TEST(DescribeGuaranteeTest, NoiseOfManyDevicesIsSpelledOut) {
  v1::Answer answer = Guaranteed();
  EXPECT_THAT(DescribeGuarantee(answer), Not(HasSubstr("messages")));
  answer.set_messages(12000);
  answer.set_fakes(500);
  answer.mutable_guarantee()->set_accounted_users(3900);
  answer.mutable_guarantee()->set_epsilon_foreign_50(std::numeric_limits<double>::infinity());
  const std::string text = DescribeGuarantee(answer);
  EXPECT_THAT(text, HasSubstr("in 12000 messages, of which the shuffler added 500"));
  EXPECT_THAT(text, HasSubstr("the noise that 3900 honest devices add up to"));
  EXPECT_THAT(text, HasSubstr("50 %: nothing\n"));
}

// Of a task with periods.
v1::Answer OfPeriods(uint64_t first, uint64_t last) {
  v1::Answer answer = Guaranteed();
  v1::Periods* const periods = answer.mutable_periods();
  periods->set_first(first);
  periods->set_last(last);
  periods->set_begins(1800000000);
  periods->set_ends(1800003600);
  periods->set_counted(last - first + 1);
  return answer;
}

TEST(DescribeGuaranteeTest, NamesThePeriodsAndWhatEachPairIsFor) {
  std::string text = DescribeGuarantee(OfPeriods(3, 3));
  EXPECT_THAT(text, HasSubstr("\n  period 3, from 2027-01-15T08:00:00Z to 2027-01-15T09:00:00Z\n"));
  EXPECT_THAT(text,
              HasSubstr("  over the one submission a device may make in this period, as all"));
  EXPECT_THAT(text,
              HasSubstr("colludes: epsilon 4.5, delta 0, over all that a device may have made "
                        "in that time\n"));
  v1::Answer several = OfPeriods(3, 9);
  several.mutable_periods()->set_counted(5);
  several.mutable_periods()->set_missing(2);
  v1::PeriodRun* const run = several.mutable_periods()->add_missing_runs();
  run->set_first(4);
  run->set_last(5);
  text = DescribeGuarantee(several);
  EXPECT_THAT(text, HasSubstr("  periods 3 to 9, from "));
  EXPECT_THAT(text, HasSubstr("Z: 5 counted, 2 missing (4 to 5)\n"));
  EXPECT_THAT(text, HasSubstr("may make in these periods, as all"));
}

TEST(EnvelopeNotesTest, SayWhatTheTextSays) {
  v1::Answer answer = OfPeriods(3, 9);
  answer.mutable_guarantee()->set_warning("So much is much.");
  v1::QualityWarning* warning = answer.mutable_quality()->add_warnings();
  warning->set_kind("seeds");
  warning->set_text("Too many.");
  EXPECT_THAT(
      EnvelopeNotes(answer),
      ElementsAre("Periods 3 to 9, from 2027-01-15T08:00:00Z to 2027-01-15T09:00:00Z",
                  "Guarantee over the one submission a device may make in these periods: epsilon "
                  "0.9877, delta 1e-06 (tight; 4321 users in the smallest batch)",
                  "If the shuffler colludes: epsilon 4.5, delta 0, over all that a device may have "
                  "made in that time",
                  "Total: epsilon 2.346, delta 2e-06 over the 2 submissions a device may make in "
                  "the task's life",
                  "Warning: So much is much.", "Warning (seeds): Too many."));
  EXPECT_THAT(EnvelopeNotes(OfPeriods(3, 3))[1], HasSubstr("may make in this period: "));
  v1::Answer plain = Guaranteed();
  EXPECT_THAT(EnvelopeNotes(plain),
              ElementsAre("Guarantee over the one submission a device may make: epsilon 0.9877, "
                          "delta 1e-06 (tight; 4321 users in the smallest batch)",
                          "If the shuffler colludes: epsilon 4.5, delta 0",
                          "Total: epsilon 2.346, delta 2e-06 over the 2 submissions a device may "
                          "make in the task's life"));
  plain.mutable_guarantee()->clear_local_epsilon();
  EXPECT_EQ(EnvelopeNotes(plain)[1], "If the shuffler colludes: nothing is guaranteed");
}

}  // namespace
}  // namespace tombola::cli
