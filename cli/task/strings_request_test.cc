// What people say of strings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "cli/task/request.h"

namespace tombola::cli {
namespace {

using ::testing::HasSubstr;

TaskRequestOptions WordOptions() {
  TaskRequestOptions options;
  options.name = "words";
  options.kind = "strings";
  options.strings.alphabet = "abcdefgh";
  options.strings.length = 6;
  options.epsilon = 1;
  options.delta = 1e-6;
  options.users = 1000;
  return options;
}

std::string RefusedWords(const std::function<void(TaskRequestOptions*)>& change) {
  TaskRequestOptions options = WordOptions();
  change(&options);
  const auto request = ToRequest(options);
  EXPECT_TRUE(absl::IsInvalidArgument(request.status())) << request.status();
  return std::string(request.status().message());
}

TEST(StringsRequestTest, HasAnAlphabetALengthAndASpelling) {
  TaskRequestOptions options = WordOptions();
  const auto usual = ToRequest(options);
  ASSERT_TRUE(usual.ok()) << usual.status();
  EXPECT_EQ(usual->kind(), v1::KIND_STRINGS);
  EXPECT_EQ(usual->strings().alphabet(), "abcdefgh");
  EXPECT_EQ(usual->strings().length(), 6u);
  EXPECT_EQ(usual->strings().step(), 0u);
  EXPECT_EQ(usual->strings().least_holders(), 0u);
  EXPECT_EQ(usual->strings().spelling(), v1::SPELLING_COMPOSED);
  EXPECT_EQ(usual->strings().unicode(), "15.0");
  options.strings.fold_case = true;
  options.strings.step = 3;
  options.strings.min_holders = 50;
  const auto said = ToRequest(options);
  ASSERT_TRUE(said.ok()) << said.status();
  EXPECT_EQ(said->strings().spelling(), v1::SPELLING_FOLDED);
  EXPECT_EQ(said->strings().step(), 3u);
  EXPECT_EQ(said->strings().least_holders(), 50u);
  options.strings = {.alphabet = "bytes", .length = 9, .step = {}, .min_holders = {}};
  const auto bytes = ToRequest(options);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_EQ(bytes->strings().alphabet(), "");
  EXPECT_EQ(bytes->strings().spelling(), v1::SPELLING_AS_IT_IS);
  EXPECT_EQ(bytes->strings().unicode(), "");
}

TEST(StringsRequestTest, RefusalsNameTheFlag) {
  EXPECT_THAT(RefusedWords([](auto* o) { o->strings.alphabet = ""; }), HasSubstr("--alphabet"));
  EXPECT_THAT(RefusedWords([](auto* o) { o->strings.alphabet = "abb"; }), HasSubstr("--alphabet"));
  EXPECT_THAT(RefusedWords([](auto* o) {
                o->strings.alphabet = "aB";
                o->strings.fold_case = true;
              }),
              HasSubstr("--alphabet"));
  EXPECT_THAT(RefusedWords([](auto* o) { o->strings.length.reset(); }), HasSubstr("--length"));
  EXPECT_THAT(RefusedWords([](auto* o) { o->strings.length = 256; }), HasSubstr("[1, 255]"));
  EXPECT_THAT(RefusedWords([](auto* o) { o->strings.step = 7; }), HasSubstr("--step"));
  EXPECT_THAT(RefusedWords([](auto* o) {
                o->strings.step = 2;
                o->strings.dictionary_only = true;
              }),
              HasSubstr("--step"));
  EXPECT_THAT(RefusedWords([](auto* o) { o->strings.min_holders = 0; }),
              HasSubstr("--min-holders"));
  EXPECT_THAT(RefusedWords([](auto* o) { o->domain = 5; }), HasSubstr("--domain"));
  EXPECT_THAT(RefusedWords([](auto* o) { o->numbers.missing = true; }), HasSubstr("--missing"));
  EXPECT_THAT(RefusedWords([](auto* o) {
                o->kind = "histogram";
                o->domain = 5;
              }),
              HasSubstr("--kind strings"));
}

}  // namespace
}  // namespace tombola::cli
