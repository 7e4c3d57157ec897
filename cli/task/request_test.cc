#include "cli/task/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/command/text_lines.h"
#include "tests/support/scratch_directory.h"

namespace tombola::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

TaskRequestOptions GoodOptions() {
  TaskRequestOptions options;
  options.name = "colours";
  options.domain = 20;
  options.epsilon = 1;
  options.delta = 1e-6;
  options.users = 1000;
  return options;
}

std::string Refusal(const std::function<void(TaskRequestOptions*)>& change) {
  TaskRequestOptions options = GoodOptions();
  change(&options);
  const absl::Status status = ToRequest(options).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  return std::string(status.message());
}

TEST(ToRequestTest, LeavesToTheCollectorWhatWasNotSaid) {
  const auto request = ToRequest(GoodOptions());
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->name(), "colours");
  EXPECT_EQ(request->domain_size(), 20u);
  EXPECT_TRUE(request->labels().empty());
  EXPECT_EQ(request->epsilon(), 1);
  EXPECT_EQ(request->delta(), 1e-6);
  EXPECT_EQ(request->users(), 1000u);
  EXPECT_EQ(request->submissions_per_device(), 1u);
  EXPECT_EQ(request->dishonest_share(), 0);
  EXPECT_EQ(request->interval(), 0u);
  EXPECT_EQ(request->retry_window(), 0u);
  EXPECT_EQ(request->lifetime(), 0u);
  EXPECT_EQ(request->key_list_age(), 0u);
  EXPECT_FALSE(request->has_other());
  EXPECT_FALSE(request->has_smallest_batch());
  EXPECT_FALSE(request->has_max_local_epsilon());
  EXPECT_FALSE(request->has_range());
}

TEST(ToRequestTest, PassesOnWhatWasSaid) {
  TaskRequestOptions options = GoodOptions();
  options.domain = 0;
  options.values = {"red", "green", "other"};
  options.other = "other";
  options.min_batch = 500;
  options.dishonest = 0.25;
  options.interval = "90m";
  options.retry_window = "1h";
  options.lifetime = "2d30m";
  options.key_list_age = "3d";
  options.submissions_per_device = 7;
  options.mechanism = "local_hash";
  options.max_local_epsilon = 3;
  options.range = 11;
  const auto request = ToRequest(options);
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_THAT(request->labels(), ElementsAre("red", "green", "other"));
  EXPECT_EQ(request->domain_size(), 0u);
  EXPECT_EQ(request->other(), 2u);
  EXPECT_EQ(request->smallest_batch(), 500u);
  EXPECT_EQ(request->dishonest_share(), 0.25);
  EXPECT_EQ(request->interval(), 5400u);
  EXPECT_EQ(request->retry_window(), 3600u);
  EXPECT_EQ(request->lifetime(), 174600u);
  EXPECT_EQ(request->key_list_age(), 259200u);
  EXPECT_EQ(request->submissions_per_device(), 7u);
  EXPECT_EQ(request->mechanism(), "local_hash");
  EXPECT_EQ(request->max_local_epsilon(), 3);
  EXPECT_EQ(request->range(), 11u);
}

TEST(ToRequestTest, ReadsTheValuesFromAFile) {
  const ScratchDirectory directory;
  TaskRequestOptions options = GoodOptions();
  options.domain = 0;
  options.values_file = directory.File("values", "red\ngreen\nblue\n");
  options.other = "blue";
  const auto request = ToRequest(options);
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_THAT(request->labels(), ElementsAre("red", "green", "blue"));
  EXPECT_EQ(request->other(), 2u);
}

TEST(ToRequestTest, RefusesAMissingOrEmptyFileOfValues) {
  const ScratchDirectory directory;
  TaskRequestOptions options = GoodOptions();
  options.domain = 0;
  options.values_file = directory.In("missing");
  EXPECT_TRUE(absl::IsNotFound(ToRequest(options).status()));
  options.values_file = directory.File("empty", "");
  const absl::Status status = ToRequest(options).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr("--values"));
}

TEST(ToRequestTest, NeedsValuesOrADomainAndNotBoth) {
  EXPECT_THAT(Refusal([](auto* options) { options->domain = 0; }),
              HasSubstr("one of --values and --domain"));
  EXPECT_THAT(Refusal([](auto* options) {
                options->values = {"red", "green"};
              }),
              HasSubstr("one of --values and --domain"));
}

TEST(ToRequestTest, OtherIsANumberWhereValuesHaveNoNames) {
  TaskRequestOptions options = GoodOptions();
  options.other = "19";
  EXPECT_EQ(ToRequest(options)->other(), 19u);
  EXPECT_THAT(Refusal([](auto* o) { o->other = "blue"; }), HasSubstr("--other"));
  EXPECT_THAT(Refusal([](auto* o) { o->other = "-1"; }), HasSubstr("--other"));
}

TEST(ToRequestTest, OtherIsANameWhereValuesHaveNames) {
  for (const char* other : {"blue", "0", ""}) {
    EXPECT_THAT(Refusal([&](auto* options) {
                  options->domain = 0;
                  options->values = {"red", "green"};
                  options->other = other;
                }),
                HasSubstr("--other"));
  }
}

TEST(ToRequestTest, RefusesADurationOutOfItsBounds) {
  for (const char* wrong :
       {"soon", "90", "0s", "-5m", "500ms", "1.5s", "inf", "87841h", "3661d", "1 h"}) {
    EXPECT_THAT(Refusal([&](auto* o) { o->interval = wrong; }), HasSubstr("--interval must be"));
    EXPECT_THAT(Refusal([&](auto* o) { o->retry_window = wrong; }), HasSubstr("--retry-window"));
    EXPECT_THAT(Refusal([&](auto* o) { o->lifetime = wrong; }), HasSubstr("--lifetime"));
    EXPECT_THAT(Refusal([&](auto* o) { o->key_list_age = wrong; }), HasSubstr("--key-list-age"));
  }
  for (const char* wrong : {"59m", "367d"}) {
    for (const auto& said : {Refusal([&](auto* o) { o->retry_window = wrong; }),
                             Refusal([&](auto* o) { o->key_list_age = wrong; })}) {
      EXPECT_THAT(said, ::testing::AllOf(HasSubstr("--"), HasSubstr("from 1h to 366d")));
    }
  }
  TaskRequestOptions options = GoodOptions();
  options.retry_window = "366d";
  options.key_list_age = "1h";
  EXPECT_TRUE(ToRequest(options).ok());
  options.interval = "1s";
  options.lifetime = "87840h";
  EXPECT_EQ(ToRequest(options)->interval(), 1u);
  EXPECT_EQ(ToRequest(options)->lifetime(), uint64_t{87840} * 3600);
}

TEST(ToRequestTest, ADeviceMakesOneSubmissionAtLeast) {
  EXPECT_THAT(Refusal([](auto* o) { o->submissions_per_device = 0; }),
              HasSubstr("--submissions-per-device must be at least 1"));
}

TEST(ToRequestTest, SetsSayHowManyThingsOrWhichTaskTells) {
  EXPECT_THAT(Refusal([](auto* o) { o->kind = "set"; }),
              ::testing::AllOf(HasSubstr("--max-items must be given"), HasSubstr("--sizes-of")));
  EXPECT_THAT(Refusal([](auto* o) { o->sizes_of = "ab"; }), HasSubstr("--kind set and key_value"));
  EXPECT_THAT(Refusal([](auto* o) { o->auto_items = true; }),
              HasSubstr("--kind set and key_value"));
  TaskRequestOptions options = GoodOptions();
  options.kind = "set";
  options.max_items = 3;
  EXPECT_EQ(ToRequest(options)->items().max_items(), 3u);
  options.sizes_of = "ab";
  EXPECT_THAT(ToRequest(options).status().message(), HasSubstr("--max-items auto"));
  options.max_items.reset();
  EXPECT_EQ(ToRequest(options)->items().max_items(), 0u);
  options.auto_items = true;
  EXPECT_EQ(ToRequest(options)->items().max_items(), 0u);
  options.sizes_of.clear();
  EXPECT_THAT(ToRequest(options).status().message(), HasSubstr("needs --sizes-of"));
}

TEST(ToRequestTest, RecordsSaySizesWhereTheirNumberIsToBeChosen) {
  const ScratchDirectory directory;
  const auto schema = [&](const std::string& most) {
    return directory.File("schema.json",
                          "{\"attributes\": [{\"name\": \"kind\", \"labels\": [\"a\", \"b\"]}], "
                          "\"questions\": [[\"kind\"]], \"max_records\": " +
                              most + "}");
  };
  TaskRequestOptions options = GoodOptions();
  options.kind = "records";
  options.domain = 0;
  options.schema_file = schema("\"auto\"");
  EXPECT_THAT(ToRequest(options).status().message(),
              ::testing::AllOf(HasSubstr("--sizes"), HasSubstr("--sizes-of")));
  options.sizes_of = "ab";
  const auto learnt = ToRequest(options);
  ASSERT_TRUE(learnt.ok()) << learnt.status();
  EXPECT_EQ(learnt->records().max_records(), 0u);
  EXPECT_EQ(learnt->smallest_batch(), 900u);
  options.sizes_file = "sizes.csv";
  EXPECT_THAT(ToRequest(options).status().message(), HasSubstr("not both"));
  options.sizes_of.clear();
  options.min_batch = 950;
  EXPECT_EQ(ToRequest(options)->smallest_batch(), 950u);
  options.schema_file = schema("3");
  EXPECT_THAT(ToRequest(options).status().message(), HasSubstr("max_records is \"auto\""));
  options.sizes_file.clear();
  options.min_batch.reset();
  EXPECT_FALSE(ToRequest(options)->has_smallest_batch());
  EXPECT_THAT(Refusal([](auto* o) { o->sizes_file = "sizes.csv"; }),
              HasSubstr("--sizes is for --kind records"));
}

class TaskFileTest : public ::testing::Test {
 protected:
  absl::StatusOr<TaskRequestOptions> Read(const std::string& text) {
    return ReadTaskFile(directory_.File("task.json", text));
  }
  void ExpectRefused(const std::string& text, const std::string& named) {
    const absl::Status status = Read(text).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << text << ": " << status;
    EXPECT_THAT(status.message(), HasSubstr(named)) << text;
    EXPECT_THAT(status.message(), HasSubstr(directory_.In("task.json")));
  }

  ScratchDirectory directory_;
};

TEST_F(TaskFileTest, ReadsEveryMember) {
  const auto options = Read(R"({
    "name": "colours", "values": ["red", "green"], "domain": 5, "other": "green", "epsilon": 1,
    "delta": 1e-6, "users": 1e6, "min_batch": 900000, "dishonest": 0.1, "interval": "1h",
    "retry_window": "2h", "submissions_per_device": 3, "lifetime": "720h",
    "key_list_age": "24h",
    "mechanism": "local_hash", "max_local_epsilon": 4.5, "range": 11})");
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->name, "colours");
  EXPECT_THAT(options->values, ElementsAre("red", "green"));
  EXPECT_EQ(options->domain, 5u);
  EXPECT_EQ(options->other, "green");
  EXPECT_EQ(options->epsilon, 1);
  EXPECT_EQ(options->delta, 1e-6);
  EXPECT_EQ(options->users, 1'000'000u);
  EXPECT_EQ(options->min_batch, 900'000u);
  EXPECT_EQ(options->dishonest, 0.1);
  EXPECT_EQ(options->interval, "1h");
  EXPECT_EQ(options->retry_window, "2h");
  EXPECT_EQ(options->submissions_per_device, 3u);
  EXPECT_EQ(options->lifetime, "720h");
  EXPECT_EQ(options->key_list_age, "24h");
  EXPECT_EQ(options->mechanism, "local_hash");
  EXPECT_EQ(options->max_local_epsilon, 4.5);
  EXPECT_EQ(options->range, 11u);
}

TEST_F(TaskFileTest, WhatIsAbsentHasTheDefaultsOfTheFlags) {
  const auto options = Read("{}");
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->submissions_per_device, 1u);
  EXPECT_EQ(options->epsilon, 0);
  EXPECT_FALSE(options->other.has_value());
  EXPECT_FALSE(options->min_batch.has_value());
  EXPECT_FALSE(options->max_local_epsilon.has_value());
  EXPECT_FALSE(options->range.has_value());
}

TEST_F(TaskFileTest, RefusesAnUnknownMemberByItsName) {
  ExpectRefused(R"({"name": "a", "epsilom": 1})", "unknown member epsilom");
  ExpectRefused(R"({"name": "a", "sizes_of": "ab"})", "unknown member sizes_of");
  ExpectRefused(R"({"name": "a", "sizes": "ab"})", "unknown member sizes");
}

TEST_F(TaskFileTest, RefusesAWrongTypeByTheMembersName) {
  for (const char* member :
       {"name", "other", "interval", "retry_window", "lifetime", "key_list_age", "mechanism"}) {
    for (const char* wrong : {"1", "true", "null", "[]"}) {
      ExpectRefused(Json{{member, Json::parse(wrong)}}.dump(), member + std::string(" must be"));
    }
  }
  for (const char* member : {"epsilon", "delta", "dishonest", "max_local_epsilon"}) {
    for (const char* wrong : {"\"1\"", "true", "null", "[1]"}) {
      ExpectRefused(Json{{member, Json::parse(wrong)}}.dump(), member + std::string(" must be"));
    }
  }
  for (const char* wrong : {"\"red\"", "[1, 2]", "[\"red\", null]", "{\"red\": 1}", "7"}) {
    ExpectRefused(Json{{"values", Json::parse(wrong)}}.dump(), "values must be a list of texts");
  }
}

// Each of these would otherwise become some other whole number without a word.
TEST_F(TaskFileTest, RefusesWhatIsNoWholeNumber) {
  for (const char* member : {"domain", "users", "min_batch", "submissions_per_device", "range"}) {
    for (const char* wrong : {"-1", "1.5", "true", "\"7\"", "null", "1e300", "-1e3",
                              "18446744073709551616", "18446744073709551615"}) {
      ExpectRefused(Json{{member, Json::parse(wrong)}}.dump(),
                    member + std::string(" must be a whole number"));
    }
  }
  ExpectRefused(R"({"submissions_per_device": 4294967297})", "between 0 and 4294967295");
}

TEST_F(TaskFileTest, RefusesWhatIsNoJsonObject) {
  for (const char* text : {"", "{", "[]", "7", "name: colours"}) {
    ExpectRefused(text, "must be a JSON object");
  }
}

TEST_F(TaskFileTest, AMissingFileIsNotFound) {
  EXPECT_TRUE(absl::IsNotFound(ReadTaskFile(directory_.In("missing")).status()));
}

TEST(ReadLinesTest, GivesLinesWithoutTheirEnds) {
  const ScratchDirectory directory;
  const auto lines = [&](absl::string_view text) {
    return *ReadLines("--values", directory.File("lines", text));
  };
  EXPECT_THAT(lines(""), ElementsAre());
  EXPECT_THAT(lines("a"), ElementsAre("a"));
  EXPECT_THAT(lines("a\n"), ElementsAre("a"));
  EXPECT_THAT(lines("a\r\nb c\r\n"), ElementsAre("a", "b c"));
  EXPECT_THAT(lines("a\n\nb"), ElementsAre("a", "", "b"));
  EXPECT_THAT(lines("\n"), ElementsAre(""));
  EXPECT_TRUE(absl::IsNotFound(ReadLines("--values", directory.In("missing")).status()));
}

}  // namespace
}  // namespace tombola::cli
