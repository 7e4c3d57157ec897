#include "common/http/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tombola::http {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(TargetTest, DecodesPathAndQuery) {
  const auto target = ParseTarget("/v1/t%C3%A4sk/a+b?name=x%26y&v=a+b%2B&flag&v=2&=e&k=a=b");
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(target->path, "/v1/täsk/a+b");
  EXPECT_THAT(target->query, ElementsAre(Pair("name", "x&y"), Pair("v", "a b+"), Pair("flag", ""),
                                         Pair("v", "2"), Pair("", "e"), Pair("k", "a=b")));
}

TEST(TargetTest, KeepsEmptySegmentsAndSkipsEmptyPairs) {
  const auto target = ParseTarget("//a/?&&");
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(target->path, "//a/");
  EXPECT_THAT(target->query, IsEmpty());
  EXPECT_EQ(ParseTarget("/")->path, "/");
  EXPECT_EQ(ParseTarget("/?a?b=/c")->query[0].first, "a?b");
}

TEST(TargetTest, RefusesWhatTwoReadersCouldUnderstandDifferently) {
  for (const char* target :
       {"",           "*",     "a",       "http://host/", "/%",         "/%2",    "/%2g",
        "/%g2",       "/?a=%", "/?%zz",   "/a%2Fb",       "/a%2fb",     "/a%5Cb", "/a\\b",
        "/.",         "/..",   "/a/../b", "/a/%2e%2E/b",  "/%2e",       "/a#b",   "/%00",
        "/?a=%0d%0a", "/%7f",  "/%c2%80", "/%ff",         "/?a=%c0%af", "/\x80"}) {
    EXPECT_EQ(ParseTarget(target).status().code(), absl::StatusCode::kInvalidArgument) << target;
  }
}

TEST(TargetTest, DotsInNamesAreNames) {
  for (const char* target : {"/.a", "/a.", "/...", "/a..b", "/?a=../.."}) {
    EXPECT_TRUE(ParseTarget(target).ok()) << target;
  }
}

}  // namespace
}  // namespace tombola::http
