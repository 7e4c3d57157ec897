#include "collector/http/parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tombola::collector {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Query = std::vector<std::pair<std::string, std::string>>;

http::Request AskingFor(Query query) {
  http::Request request;
  request.query = std::move(query);
  return request;
}

TEST(ParametersTest, ReadsWhatIsThere) {
  const http::Request request = AskingFor(
      {{"top", "3"}, {"value", "a"}, {"value", "b"}, {"x", "1e-3"}, {"order", "frequency"}});
  Parameters parameters(request);
  EXPECT_EQ(parameters.Integer("top", 0, 10), 3);
  EXPECT_EQ(parameters.Number("x"), 1e-3);
  EXPECT_THAT(parameters.Texts("value"), ElementsAre("a", "b"));
  EXPECT_EQ(parameters.OneOf("order", {"natural", "frequency"}), "frequency");
  EXPECT_EQ(parameters.OneOf("format", {"json", "csv"}), "json");
  EXPECT_EQ(parameters.Text("missing"), std::nullopt);
  EXPECT_TRUE(parameters.Finish().ok());
}

TEST(ParametersTest, NamesWhatIsUnknown) {
  const http::Request request = AskingFor({{"top", "3"}, {"tops", "4"}});
  Parameters parameters(request);
  parameters.Integer("top", 0, 10);
  const absl::Status status = parameters.Finish();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("tops"));
  EXPECT_THAT(std::string(Parameters(request).Finish().message()), HasSubstr("there are none"));
}

TEST(ParametersTest, RefusesWhatIsOutOfItsBounds) {
  const auto refusal = [](const std::string& text, const auto& read) {
    const http::Request request = AskingFor({{"p", text}});
    Parameters parameters(request);
    read(parameters);
    return std::string(parameters.Finish().message());
  };
  const auto integer = [](Parameters& p) { p.Integer("p", 0, 10); };
  for (const char* const text : {"-1", "11", "1.5", "", "x", "99999999999999999999"}) {
    EXPECT_EQ(refusal(text, integer), "p must be a whole number from 0 to 10") << text;
  }
  const auto number = [](Parameters& p) { p.Number("p"); };
  for (const char* const text : {"", "x", "nan", "inf", "1e999"}) {
    EXPECT_EQ(refusal(text, number), "p must be a number") << text;
  }
  const auto choice = [](Parameters& p) { p.OneOf("p", {"a", "b"}); };
  EXPECT_EQ(refusal("c", choice), "p must be a, b");
}

TEST(ParametersTest, WhatMayBeGivenOnceIsRefusedTwice) {
  const http::Request request = AskingFor({{"top", "3"}, {"top", "4"}});
  Parameters parameters(request);
  parameters.Integer("top", 0, 10);
  EXPECT_EQ(parameters.Finish().message(), "top must be given once");
}

}  // namespace
}  // namespace tombola::collector
