// Tasks in which a device keeps what it drew of a value.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "client/session/session.h"
#include "client/session/session_harness.h"

namespace tombola::client {
namespace {

using ::testing::HasSubstr;

// Periods of a day; memos of two values, that a device may say four times.
class SessionMemoTest : public SessionTest {
 protected:
  SessionMemoTest() {
    UseTask([](v1::Task* t) {
      Truthful(t);
      t->set_submissions_per_device(4);
      t->mutable_batch_policy()->set_interval(24 * 3600);
      t->set_key_list_age(10 * 24 * 3600);
      t->mutable_longitudinal()->set_mode(v1::LONGITUDINAL_MODE_MEMO);
      t->mutable_longitudinal()->set_values(2);
      t->mutable_target()->set_epsilon(61);  // twice the local epsilon, and a little
    });
  }

  // What the device says of the value on the next day, in a process of its own.
  mechanism::PlaneReport Say(const std::string& value) {
    clock_->Advance(absl::Hours(24));
    const absl::Status status = MustCreate()->Report(value);
    EXPECT_TRUE(status.ok()) << status;
    const auto reports = Open(shuffler_->requests().back());
    EXPECT_EQ(reports.size(), 1u);
    return reports.at(0);
  }
  static bool Same(const mechanism::PlaneReport& a, const mechanism::PlaneReport& b) {
    return a.function == b.function && a.bucket == b.bucket;
  }
};

TEST_F(SessionMemoTest, AMemoIsSaidAgainOverRestartsSealedAnew) {
  const auto first = Say("v3");
  EXPECT_TRUE(Supports(first, 3));
  const std::string sealed = shuffler_->requests().back().sealed_reports();
  EXPECT_TRUE(Same(Say("v3"), first));
  EXPECT_NE(shuffler_->requests().back().sealed_reports(), sealed);
  const auto second = Say("v4");
  EXPECT_TRUE(Supports(second, 4));
  EXPECT_TRUE(Same(Say("v3"), first)) << "what was held before has its memo still";
  clock_->Advance(absl::Hours(24));
  EXPECT_THAT(std::string(MustCreate()->Report("v3").message()), HasSubstr("all of its 4"));
}

TEST_F(SessionMemoTest, AFurtherValueIsSaidByTheLastMemo) {
  Say("v3");
  const auto last = Say("v4");
  EXPECT_TRUE(Same(Say("v5"), last));
  EXPECT_TRUE(Same(Say("v6"), last));
}

TEST_F(SessionMemoTest, ACrashBeforeTheAnswerKeepsTheMemo) {
  shuffler_->FailSubmit(kForEver, absl::UnavailableError("away"));
  EXPECT_TRUE(absl::IsUnavailable(MustCreate()->Report("v3")));
  const auto waiting = Open(shuffler_->requests().back());
  shuffler_->FailSubmit(0, absl::OkStatus());
  EXPECT_TRUE(Same(Say("v3"), waiting.at(0)));
}

TEST_F(SessionMemoTest, ThePolicySeesWhatAllMemosSay) {
  options_.policy.max_local_epsilon = 59;
  EXPECT_THAT(std::string(Create().status().message()), HasSubstr("its local epsilon is 60"));
}

}  // namespace
}  // namespace tombola::client
