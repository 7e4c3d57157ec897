// Strings that nobody listed from devices' texts to an answer, in one process, in each way of
// sending them.
#include <array>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/encode/submission.h"
#include "client/place/placer.h"
#include "collector/aggregate/tables_aggregator.h"
#include "collector/answer/strings.h"
#include "collector/catalog/task_maker.h"
#include "common/base/encoding.h"
#include "common/kind/strings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/seeded_random.h"
#include "tests/support/test_task.h"

namespace tombola {
namespace {

using collector::Counts;
using collector::StringCounts;
using collector::TablesAggregator;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kStringDevices = 20000;

// Planned once for all tests.
std::shared_ptr<const Task> MakeStringsTask(const std::string& mechanism, bool whole = false) {
  static auto& made = *new std::map<std::pair<std::string, bool>, std::shared_ptr<const Task>>;
  std::shared_ptr<const Task>& known = made[{mechanism, whole}];
  if (known != nullptr) return known;
  v1::CreateTaskRequest request;
  request.set_name("words");
  request.set_kind(v1::KIND_STRINGS);
  request.set_epsilon(2);
  request.set_delta(1e-5);
  request.set_users(kStringDevices);
  request.set_smallest_batch(kStringDevices);
  request.set_mechanism(mechanism);
  v1::Strings* const strings = request.mutable_strings();
  strings->set_alphabet("abcdefghijklmnopqrstuvwxyz");
  strings->set_length(4);
  strings->set_step(whole ? 0 : 2);
  strings->set_whole(whole);
  strings->set_spelling(v1::SPELLING_FOLDED);
  strings->set_unicode("15.0");
  strings->set_least_holders(100);
  request.set_shuffler_key(std::string(32, 'k'));
  SeededRandom random(3);
  const auto task =
      collector::MakeTask(request, std::array<uint8_t, 32>{1}, TestTaskStart(), random);
  EXPECT_TRUE(task.ok()) << task.status();
  known = *task;
  return known;
}

const StringsKind& StringsOf(const Task& task) {
  return static_cast<const StringsKind&>(task.kind());
}

// What so many devices hold each; all others a text of their own.
const std::map<std::string, int64_t>& Held() {
  static const auto& held = *new std::map<std::string, int64_t>{
      {"Rain", 3000}, {"rainbow", 2000}, {"sun", 2000}, {"", 1000}, {"caf\xc3\xa9", 1500}};
  return held;
}

Counts CountDevices(const std::shared_ptr<const Task>& task, RandomSource& random) {
  const auto placer = client::Placers::BuiltIn().Make(task);
  const client::SubmissionEncoder encoder(task->kind().tables());
  TablesAggregator aggregator(task->kind().tables());
  std::string reports;
  int64_t sent = 0;
  const auto hold = [&](const std::string& text) {
    const auto cells = placer->Place(absl::string_view(text), random);
    ASSERT_TRUE(cells.ok()) << cells.status();
    sent += encoder.Encode(*cells, random, &reports);
  };
  int64_t others = kStringDevices;
  for (const auto& [text, devices] : Held()) {
    for (int64_t i = 0; i < devices; ++i) hold(text);
    others -= devices;
  }
  for (int64_t i = 0; i < others; ++i) {
    std::string text;
    for (int letter = 0; letter < 4; ++letter) {
      text += static_cast<char>('a' + UniformBelow(26, random));
    }
    hold(text);
  }
  const auto added = aggregator.AddAll(AsBytes(reports));
  EXPECT_EQ(added.counted, sent);
  EXPECT_EQ(added.rejected.total(), 0);
  return std::move(aggregator).Finish();
}

v1::FrequentStrings AnswerOf(const Task& task, const Counts& counts,
                             const v1::StringsQuestion& question) {
  const StringsKind& kind = StringsOf(task);
  const auto search = collector::ReadStringsQuestion(kind, question);
  EXPECT_TRUE(search.ok()) << search.status();
  const auto cells = StringCounts::FromCells(kind.shape(), counts.tables[0].cells);
  EXPECT_TRUE(cells.ok()) << cells.status();
  const strings::PublicFunctions functions(task.id(), kind.shape());
  const auto decoded = collector::SearchStrings(
      {.kind = kind, .functions = functions, .counts = *cells, .submissions = kStringDevices},
      *search, {});
  EXPECT_TRUE(decoded.ok()) << decoded.status();
  v1::GetAnswerRequest request;
  request.set_confidence(1 - 1e-9);
  *request.mutable_strings() = question;
  v1::Answer answer;
  const absl::Status filled =
      collector::StringsAnswerer().Fill({.task = task,
                                         .counts = counts,
                                         .tally = {.submissions = kStringDevices},
                                         .strings = &*decoded},
                                        request, collector::Postprocess::kClip, &answer);
  EXPECT_TRUE(filled.ok()) << filled;
  return answer.strings();
}

v1::StringsQuestion Question() {
  v1::StringsQuestion question;
  question.set_false_strings(1e-6);
  return question;
}

class StringsWalkTest : public ::testing::TestWithParam<std::string> {};

// Each of the five is held by more than three times as many devices as the threshold says, and is
// missed with a probability far below 1e-6 (a Poisson number of mean 3T is below what T reaches
// with 90 %); the intervals of all five miss with at most 5e-9, and a string that nobody holds is
// there with about 1e-6. "Rain" and "rainbow" are folded and cut to one.
TEST_P(StringsWalkTest, WhatManyHoldIsFoundWithItsShare) {
  const auto task = MakeStringsTask(GetParam());
  ASSERT_EQ(task->scheme()->name(), GetParam());
  ASSERT_LE(*task->scheme()->Delta(kStringDevices, 2), 1e-5);
  SeededRandom random(5);
  const Counts counts = CountDevices(task, random);
  const v1::FrequentStrings found = AnswerOf(*task, counts, Question());
  ASSERT_LT(3 * found.threshold(), 1000);
  std::map<std::string, int64_t> truth = {
      {"rain", 5000}, {"sun", 2000}, {"", 1000}, {"caf\xef\xbf\xbd", 1500}};
  EXPECT_EQ(found.values_size(), static_cast<int>(truth.size()));
  for (int row = 0; row < found.values_size(); ++row) {
    ASSERT_TRUE(truth.contains(found.values(row))) << found.values(row);
    const double share = static_cast<double>(truth[found.values(row)]) / kStringDevices;
    EXPECT_LE(found.low(row), share) << found.values(row);
    EXPECT_GE(found.high(row), share) << found.values(row);
    EXPECT_LT(found.standard_errors(row), 0.03);
  }
  EXPECT_TRUE(found.complete());
  EXPECT_EQ(found.levels_size(), 2);
  EXPECT_EQ(found.values(0), "rain");

  v1::StringsQuestion looked_up = Question();
  for (const char* const text : {"SUN", "snow", "sunny", "Sun"}) looked_up.add_dictionary(text);
  const v1::FrequentStrings of_list = AnswerOf(*task, counts, looked_up);
  EXPECT_THAT(of_list.values(), ElementsAre("sun"));
  EXPECT_EQ(of_list.dictionary(), 3u);
}

INSTANTIATE_TEST_SUITE_P(EveryWay, StringsWalkTest,
                         ::testing::Values("one_message", "dummies", "every_level"),
                         [](const auto& info) { return info.param; });

TEST(StringsKindTest, WholeStringsAreLookedUpOnly) {
  const auto task = MakeStringsTask("one_message", /*whole=*/true);
  const auto search = collector::ReadStringsQuestion(StringsOf(*task), Question());
  EXPECT_THAT(std::string(search.status().message()), HasSubstr("dictionary must be given"));
  SeededRandom random(6);
  v1::StringsQuestion looked_up = Question();
  for (const char* const text : {"sun", "snow", ""}) looked_up.add_dictionary(text);
  const v1::FrequentStrings found = AnswerOf(*task, CountDevices(task, random), looked_up);
  EXPECT_THAT(found.values(), ElementsAre("sun", ""));
}

TEST(StringsKindTest, ADeviceRefusesWhatIsNoText) {
  const auto task = MakeStringsTask("one_message");
  const auto placer = client::Placers::BuiltIn().Make(task);
  SeededRandom random(1);
  const auto bad = placer->Place(absl::string_view("caf\xe9"), random);
  EXPECT_TRUE(absl::IsInvalidArgument(bad.status())) << bad.status();
  const auto number = placer->Place(std::optional<double>(1), random);
  EXPECT_TRUE(absl::IsInvalidArgument(number.status())) << number.status();
}

// The device draws as much for one text as for any other of the same way.
TEST(StringsKindTest, WhatIsDrawnSaysNothingOfTheText) {
  const auto task = MakeStringsTask("one_message");
  const auto placer = client::Placers::BuiltIn().Make(task);
  const client::SubmissionEncoder encoder(task->kind().tables());
  for (const char* const text : {"", "a", "aaaaaaaaaaaa", "zz\xc3\xa9"}) {
    SeededRandom random(9);
    std::string reports;
    const auto cells = placer->Place(absl::string_view(text), random);
    ASSERT_TRUE(cells.ok());
    EXPECT_EQ(encoder.Encode(*cells, random, &reports), 1);
    EXPECT_EQ(random.draws(), 4) << text;  // level, function, bucket and the coin
    EXPECT_EQ(reports.size(), 6u);
  }
}

TEST(StringsKindTest, TasksOutOfTheirBoundsAreRefusedByName) {
  v1::Task wire;
  ASSERT_TRUE(wire.ParseFromString(MakeStringsTask("one_message")->bytes()));
  const auto refusal = [&](const auto& change) {
    v1::Task changed = wire;
    change(*changed.mutable_strings(), changed);
    const auto task = Task::Parse(changed.SerializeAsString());
    EXPECT_FALSE(task.ok());
    return std::string(task.status().message());
  };
  const auto expect = [&](const char* words, const auto& change) {
    EXPECT_THAT(refusal(change), HasSubstr(words));
  };
  using Strings = v1::Strings;
  expect("strings.alphabet", [](Strings& s, v1::Task&) { s.set_alphabet("abca"); });
  expect("domain.size", [](Strings& s, v1::Task&) { s.set_alphabet("abc"); });
  expect("strings.length", [](Strings& s, v1::Task&) { s.set_length(256); });
  expect("strings.step", [](Strings& s, v1::Task&) { s.set_step(3); });
  expect("symbols^step", [](Strings& s, v1::Task&) {
    s.set_length(7);
    s.set_step(7);
  });
  expect("strings.range", [](Strings& s, v1::Task&) { s.set_range(32); });
  expect("strings.range", [](Strings& s, v1::Task&) { s.set_range(96); });
  expect("strings.range", [](Strings& s, v1::Task&) { s.set_range(uint64_t{1} << 25); });
  expect("strings.range", [](Strings& s, v1::Task&) { s.set_range(uint64_t{1} << 63); });
  expect("strings.spelling", [](Strings& s, v1::Task&) { s.clear_spelling(); });
  expect("strings.spelling", [](Strings& s, v1::Task&) { s.set_spelling(v1::SPELLING_AS_IT_IS); });
  expect("strings.unicode", [](Strings& s, v1::Task&) { s.set_unicode("14.0"); });
  expect("strings.least_holders", [](Strings& s, v1::Task&) { s.set_least_holders(0); });
  expect("strings.messages", [](Strings& s, v1::Task&) { s.clear_messages(); });
  expect("blanket_threshold",
         [](Strings& s, v1::Task&) { s.mutable_one_message()->set_blanket_threshold(0); });
  expect("strings.dummies.", [](Strings& s, v1::Task&) { s.mutable_dummies()->set_honest(0); });
  expect("all levels together", [](Strings& s, v1::Task&) {
    s.set_range(uint64_t{1} << 24);
    s.mutable_every_level()->set_honest(1);
  });
  expect("mechanism", [](Strings&, v1::Task& task) {
    task.mutable_mechanism()->mutable_grr()->set_blanket_threshold(1);
  });
  expect("task.strings must be absent",
         [](Strings&, v1::Task& task) { task.set_kind(v1::KIND_HISTOGRAM); });
}

}  // namespace
}  // namespace tombola
