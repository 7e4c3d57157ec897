// What people say of a stream.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "cli/task/request.h"

namespace tombola::cli {
namespace {

using ::testing::HasSubstr;

TaskRequestOptions StreamOptions() {
  TaskRequestOptions options;
  options.name = "ways";
  options.kind = "stream";
  options.values = {"car", "train"};
  options.interval = "24h";
  options.periods = 52;
  options.epsilon = 1;
  options.delta = 1e-6;
  options.users = 1000;
  return options;
}

std::string RefusalOf(const std::function<void(TaskRequestOptions*)>& change) {
  TaskRequestOptions options = StreamOptions();
  change(&options);
  const auto request = ToRequest(options);
  EXPECT_TRUE(absl::IsInvalidArgument(request.status())) << request.status();
  return std::string(request.status().message());
}

TEST(StreamRequestTest, HasPeriodsAndAStructure) {
  TaskRequestOptions options = StreamOptions();
  const auto usual = ToRequest(options);
  ASSERT_TRUE(usual.ok()) << usual.status();
  EXPECT_EQ(usual->kind(), v1::KIND_STREAM);
  EXPECT_EQ(usual->stream().periods(), 52u);
  EXPECT_EQ(usual->stream().structure(), "");
  EXPECT_EQ(usual->interval(), 24u * 3600);
  EXPECT_EQ(usual->lifetime(), 0u);
  EXPECT_EQ(usual->submissions_per_device(), 1u);
  options.structure = "fenwick";
  options.device_periods = 7;
  const auto said = ToRequest(options);
  ASSERT_TRUE(said.ok()) << said.status();
  EXPECT_EQ(said->stream().structure(), "fenwick");
  EXPECT_EQ(said->submissions_per_device(), 7u);
}

TEST(StreamRequestTest, IsOfAnotherKindWithItsFlags) {
  TaskRequestOptions options = StreamOptions();
  options.of = "key_value";
  options.max_items = 2;
  options.value_range = "0:5";
  options.frequency = 0.25;
  const auto pairs = ToRequest(options);
  ASSERT_TRUE(pairs.ok()) << pairs.status();
  EXPECT_EQ(pairs->stream().of(), v1::KIND_KEY_VALUE);
  EXPECT_EQ(pairs->items().max_items(), 2u);
  EXPECT_EQ(pairs->levels().high(), 5);
  EXPECT_EQ(pairs->frequency(), 0.25);
  options = StreamOptions();
  options.values.clear();
  options.of = "number";
  options.value_range = "0:100";
  const auto numbers = ToRequest(options);
  ASSERT_TRUE(numbers.ok()) << numbers.status();
  EXPECT_TRUE(numbers->has_numbers());
  EXPECT_THAT(RefusalOf([](auto* o) { o->of = "records"; }), HasSubstr("--of must be"));
  EXPECT_THAT(RefusalOf([](auto* o) { o->of = "set"; }), HasSubstr("--max-items must be given"));
  EXPECT_THAT(RefusalOf([](auto* o) { o->max_items = 2; }), HasSubstr("--max-items"));
  EXPECT_THAT(RefusalOf([](auto* o) {
                o->of = "set";
                o->auto_items = true;
                o->sizes_of = "pilot";
              }),
              HasSubstr("are not for --kind stream"));
}

TEST(StreamRequestTest, RefusesWhatDoesNotGoTogether) {
  EXPECT_THAT(RefusalOf([](auto* o) { o->periods.reset(); }),
              HasSubstr("--kind stream needs --periods and --interval"));
  EXPECT_THAT(RefusalOf([](auto* o) { o->interval = ""; }), HasSubstr("needs --periods"));
  EXPECT_THAT(RefusalOf([](auto* o) { o->lifetime = "90d"; }), HasSubstr("--lifetime"));
  EXPECT_THAT(RefusalOf([](auto* o) { o->merge_periods = true; }), HasSubstr("--merge-periods"));
  EXPECT_THAT(RefusalOf([](auto* o) { o->device_periods = 0; }),
              HasSubstr("--device-periods must be at least 1"));
  EXPECT_THAT(RefusalOf([](auto* o) {
                o->device_periods = 2;
                o->submissions_per_device = 3;
              }),
              HasSubstr("one of them must be given"));
  EXPECT_THAT(RefusalOf([](auto* o) { o->device_periods = 53; }),
              HasSubstr("--device-periods must be at most --periods, 52, is 53"));
  EXPECT_THAT(RefusalOf([](auto* o) { o->submissions_per_device = 53; }),
              HasSubstr("--submissions-per-device must be at most --periods, 52, is 53"));
  for (const auto& change : std::initializer_list<std::function<void(TaskRequestOptions*)>>{
           [](auto* o) { o->structure = "best"; }, [](auto* o) { o->device_periods = 2; },
           [](auto*) {}}) {
    EXPECT_THAT(RefusalOf([&](auto* o) {
                  o->kind = "histogram";
                  change(o);
                }),
                HasSubstr("are for --kind stream"));
  }
}

}  // namespace
}  // namespace tombola::cli
