#include "shuffler/embedded/answers.h"

#include <future>
#include <memory>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tombola::shuffler {
namespace {

// A commit of calls whose answers are noted in `order` as they come.
AnsweredCommit Calls(int first, int last, std::vector<int>* order) {
  AnsweredCommit commit;
  for (int call = first; call <= last; ++call) {
    Entry entry;
    entry.outcomes = {Outcome::kAccepted};
    entry.done = [order, call](const absl::StatusOr<std::vector<Outcome>>& outcomes) {
      order->push_back(outcomes.ok() ? call : -call);
    };
    commit.entries.push_back(std::move(entry));
    commit.statuses.push_back(absl::OkStatus());
  }
  return commit;
}

TEST(AnswersTest, EveryCallIsAnsweredOnceInOrder) {
  std::vector<int> order, expected;
  {
    Answers answers;
    // Many and few by turns: what is answered at once does not overtake what waits.
    for (int call = 1; call <= 1000;) {
      const int last = call + (call % 3 == 0 ? 0 : 20);
      answers.Give(Calls(call, last, &order));
      for (; call <= last; ++call) expected.push_back(call);
    }
  }
  EXPECT_EQ(order, expected);
}

TEST(AnswersTest, ACallThatFailedLearnsWhy) {
  std::vector<int> order;
  AnsweredCommit commit = Calls(1, 3, &order);
  commit.statuses[1] = absl::UnavailableError("the disk failed");
  Answers().Give(std::move(commit));
  EXPECT_THAT(order, ::testing::ElementsAre(1, -2, 3));
}

// A caller that is slow to take its answers holds up those behind it, and not who hands them over.
TEST(AnswersTest, WhoHandsOverDoesNotWait) {
  std::vector<int> order;
  std::promise<void> go;
  const std::shared_future<void> gone = go.get_future().share();
  {
    Answers answers;
    AnsweredCommit slow = Calls(1, 20, &order);
    slow.entries.front().done = [gone](const absl::StatusOr<std::vector<Outcome>>&) {
      gone.wait();
    };
    answers.Give(std::move(slow));
    answers.Give(Calls(21, 21, &order));
    go.set_value();
  }
  EXPECT_EQ(order.size(), 20u);
  EXPECT_EQ(order.back(), 21);
}

}  // namespace
}  // namespace tombola::shuffler
