#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/report/key_value_line.h"
#include "cli/report/number_line.h"
#include "cli/report/set_line.h"

namespace tombola::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(SetRecordTest, IsAJsonListOfTextsOrWholeNumbers) {
  const auto values = [](const char* line) {
    return std::get<std::vector<std::string>>(SetRecord(line).value());
  };
  EXPECT_THAT(values(R"(["a", "b c", "a"])"), ElementsAre("a", "b c", "a"));
  EXPECT_THAT(values("[3, 0]"), ElementsAre("3", "0"));
  EXPECT_THAT(values(" [] "), IsEmpty());
}

TEST(SetRecordTest, RefusesEverythingElse) {
  for (const char* line :
       {"a", R"("a")", R"({"a": 1})", "[1.5]", "[[1]]", "[true]", "[", "[1] 2"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(SetRecord(line).status())) << line;
  }
}

TEST(KeyValueRecordTest, IsAJsonObjectOfNumbers) {
  const auto pairs = [](const char* line) {
    return std::get<std::vector<KeyValue>>(KeyValueRecord(line).value());
  };
  EXPECT_THAT(pairs(R"({"a": 0.5, "b": -1})"), ElementsAre(KeyValue{"a", 0.5}, KeyValue{"b", -1}));
  EXPECT_THAT(pairs("{}"), IsEmpty());
  // Kept, so that whoever places them can refuse them by name.
  EXPECT_THAT(pairs(R"({"a": 1, "a": 2})"), ElementsAre(KeyValue{"a", 1}, KeyValue{"a", 2}));
}

TEST(KeyValueRecordTest, RefusesEverythingElse) {
  for (const char* line : {"a", "[1]", R"({"a": "1"})", R"({"a": null})", R"({"a": NaN})",
                           R"({"a": [1]})", R"({"a": {"b": 1}})", R"({"a": true})", "{", "3"}) {
    EXPECT_THAT(std::string(KeyValueRecord(line).status().message()), HasSubstr("JSON object"))
        << line;
  }
}

TEST(NumberRecordTest, IsAJsonNumberOrNull) {
  const auto number = [](const char* line) {
    return std::get<std::optional<double>>(NumberRecord(line).value());
  };
  EXPECT_EQ(number("0.5"), 0.5);
  EXPECT_EQ(number(" -3 "), -3);
  EXPECT_EQ(number("1e3"), 1000);
  EXPECT_EQ(number(R"({"value": 2.5})"), 2.5);
  EXPECT_EQ(number("null"), std::nullopt);
  EXPECT_EQ(number(R"({"value": null})"), std::nullopt);
}

TEST(NumberRecordTest, RefusesEverythingElse) {
  for (const char* line :
       {"", "a", "NaN", "Infinity", "1e999", "1 2", "0x10", R"("1")", "[1]", "true", "{}",
        R"({"value": "1"})", R"({"value": 1, "b": 2})", R"({"b": 1})"}) {
    EXPECT_THAT(std::string(NumberRecord(line).status().message()), HasSubstr("JSON number"))
        << line;
  }
}

}  // namespace
}  // namespace tombola::cli
