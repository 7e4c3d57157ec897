// Strings, as an administrator asks for them.
#include "collector/catalog/strings_task.h"

#include <functional>
#include <string>

#include "collector/catalog/task_maker.h"
#include "common/kind/strings.h"
#include "common/task/task.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/seeded_random.h"
#include "tests/support/test_task.h"

namespace tombola::collector {
namespace {

using ::testing::HasSubstr;
using StringsRequest = v1::CreateTaskRequest;

absl::StatusOr<std::shared_ptr<const Task>> MakeWords(
    const std::function<void(StringsRequest*)>& change = nullptr) {
  StringsRequest request;
  request.set_name("words");
  request.set_kind(v1::KIND_STRINGS);
  request.set_epsilon(1);
  request.set_delta(1e-6);
  request.set_users(100000);
  v1::Strings* const strings = request.mutable_strings();
  strings->set_alphabet("abcdefghijklmnopqrstuvwxyz");
  strings->set_length(8);
  strings->set_spelling(v1::SPELLING_COMPOSED);
  strings->set_unicode("15.0");
  request.set_shuffler_key(std::string(AsView(TestShufflerKey().public_key())));
  if (change) change(&request);
  SeededRandom random(1);
  return MakeTask(request, TestCollectorKey().public_key(), TestTaskStart(), random);
}

std::string Refused(const std::function<void(StringsRequest*)>& change) {
  const auto made = MakeWords(change);
  EXPECT_TRUE(absl::IsInvalidArgument(made.status())) << made.status();
  return std::string(made.status().message());
}

const StringsKind& WordsOf(const Task& task) {
  return static_cast<const StringsKind&>(task.kind());
}

TEST(StringsTaskTest, LeavesSomethingIfTheShufflerColludesUnlessMoreMessagesAreAllowed) {
  const auto made = MakeWords();
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ((*made)->scheme()->name(), "one_message");
  EXPECT_LT((*made)->scheme()->local_epsilon(), 20);
  EXPECT_LE(*(*made)->scheme()->Delta(90000, 1), 1e-6);
  const StringsKind& kind = WordsOf(**made);
  // 28^4 prefixes of a thousand survivors are within the tests that a search may take.
  EXPECT_EQ(kind.shape().step(), 4);
  EXPECT_EQ(kind.shape().levels(), 2);
  EXPECT_NEAR(static_cast<double>(kind.least_holders()), 140, 25);

  const auto more = MakeWords([](StringsRequest* r) { r->set_max_messages(20); });
  ASSERT_TRUE(more.ok()) << more.status();
  EXPECT_EQ((*more)->scheme()->name(), "every_level");
  EXPECT_LT(WordsOf(**more).least_holders(), kind.least_holders());
  EXPECT_LE(*(*more)->scheme()->Delta(90000, 1), 1e-6);
}

TEST(StringsTaskTest, HasWhatIsAskedFor) {
  const auto made = MakeWords([](StringsRequest* r) {
    r->set_mechanism("dummies");
    r->set_range(1 << 12);
    r->mutable_strings()->clear_alphabet();
    r->mutable_strings()->set_spelling(v1::SPELLING_AS_IT_IS);
    r->mutable_strings()->clear_unicode();
    r->mutable_strings()->set_length(5);
    r->mutable_strings()->set_step(2);
    r->mutable_strings()->set_least_holders(7);
  });
  ASSERT_TRUE(made.ok()) << made.status();
  const StringsKind& kind = WordsOf(**made);
  EXPECT_EQ((*made)->scheme()->name(), "dummies");
  EXPECT_TRUE(kind.alphabet().of_bytes());
  EXPECT_EQ(kind.shape().range(), 1 << 12);
  EXPECT_EQ(kind.shape().length(), 6);  // whole levels
  EXPECT_EQ(kind.shape().step(), 2);
  EXPECT_EQ(kind.least_holders(), 7);
  EXPECT_EQ((*made)->domain().size(), 256);

  const auto whole = MakeWords([](StringsRequest* r) { r->mutable_strings()->set_whole(true); });
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_EQ(WordsOf(**whole).shape().levels(), 1);
  EXPECT_LT(WordsOf(**whole).least_holders(), 100);
}

TEST(StringsTaskTest, RefusesWhatStringsDoNotHave) {
  using R = StringsRequest;
  EXPECT_THAT(Refused([](R* r) { r->clear_strings(); }), HasSubstr("strings must be set"));
  EXPECT_THAT(Refused([](R* r) { r->set_domain_size(5); }), HasSubstr("domain_size"));
  EXPECT_THAT(Refused([](R* r) { r->add_labels("a"); }), HasSubstr("labels"));
  EXPECT_THAT(Refused([](R* r) { r->mutable_items()->set_max_items(2); }), HasSubstr("items"));
  EXPECT_THAT(Refused([](R* r) { r->set_mechanism("grr"); }), HasSubstr("one_message"));
  EXPECT_THAT(Refused([](R* r) { r->set_fakes(5); }), HasSubstr("fakes"));
  EXPECT_THAT(Refused([](R* r) { r->set_range(100); }), HasSubstr("range"));
  EXPECT_THAT(Refused([](R* r) { r->set_range(32); }), HasSubstr("range"));
  EXPECT_THAT(Refused([](R* r) { r->mutable_strings()->set_alphabet("aa"); }),
              HasSubstr("strings.alphabet"));
  EXPECT_THAT(Refused([](R* r) { r->mutable_strings()->set_length(256); }), HasSubstr("length"));
  EXPECT_THAT(Refused([](R* r) { r->mutable_strings()->set_length(0); }), HasSubstr("length"));
  EXPECT_THAT(Refused([](R* r) { r->mutable_strings()->set_step(9); }), HasSubstr("step"));
  EXPECT_THAT(Refused([](R* r) {
                r->set_kind(v1::KIND_HISTOGRAM);
                r->set_domain_size(5);
              }),
              HasSubstr("strings must be absent"));
  EXPECT_THAT(Refused([](R* r) {
                r->set_interval(1);
                r->set_lifetime(uint64_t{3600} * 24 * 3000);
              }),
              HasSubstr("interval"));
}

TEST(StringsTaskTest, RefusesATaskThatCouldFindNothing) {
  const auto made = MakeWords([](StringsRequest* r) {
    r->set_users(20);
    r->set_epsilon(0.01);
  });
  EXPECT_TRUE(absl::IsFailedPrecondition(made.status())) << made.status();
  EXPECT_THAT(std::string(made.status().message()), HasSubstr("would have to hold it"));
}

}  // namespace
}  // namespace tombola::collector
