#include "common/task/remarks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/test_task.h"

namespace tombola {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Of 20 values: half-widths of 0.2 %.
constexpr PredictedErrors kSmall = {.planned_mse = 1e-6, .smallest_mse = 2e-6};

TEST(RemarksTest, OfAnOrdinaryTaskThereIsNothingToSay) {
  EXPECT_THAT(Remarks(*MakeTestTask(), kSmall), IsEmpty());
}

TEST(RemarksTest, ADeltaOfOneInTheUsersIsSaidToExposeADevice) {
  const auto delta = [](double delta) {
    return Remarks(*MakeTestTask([&](v1::Task* t) { t->mutable_target()->set_delta(delta); }),
                   kSmall);
  };
  EXPECT_THAT(delta(0.1), ElementsAre(HasSubstr("delta 0.1 is not below 1/users")));
  EXPECT_THAT(delta(0.0999), IsEmpty()) << "10 are planned";
}

TEST(RemarksTest, AnIntervalBeyondTheTasksLifeIsSaidToBeCut) {
  const auto task =
      MakeTestTask([](v1::Task* t) { t->mutable_batch_policy()->set_interval(31 * 24 * 3600); });
  EXPECT_THAT(Remarks(*task, kSmall),
              ElementsAre(HasSubstr("interval of 744h is longer than the lifetime of 720h")));
}

TEST(RemarksTest, AnErrorAboveTheSharesIsNamedWithItsNotion) {
  const auto task = MakeTestTask();
  const auto error = [&](double mse) {
    return Remarks(*task, {.planned_mse = mse, .smallest_mse = mse});
  };
  // A half-width is 1.96 of the root: 10 % is an mse of 0.0026, and 1 / 20 is that of all zeros.
  EXPECT_THAT(error(0.0025), IsEmpty());
  EXPECT_THAT(error(0.0027), ElementsAre(HasSubstr("a share will be off by up to 10.2 % (95 % "
                                                   "half-width); tombola plan says")));
  EXPECT_THAT(error(0.05), ElementsAre(HasSubstr("more than an answer of all zeros")));
}

}  // namespace
}  // namespace tombola
