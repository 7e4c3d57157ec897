#include "cli/terminal/svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tombola::svg {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(SvgTest, BeginsWithTitleDescriptionAndBothSetsOfColours) {
  const std::string svg =
      Begin({.width = 80, .height = 40, .title = "a < b", .description = "c & d"});
  EXPECT_THAT(svg, StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 80 40\""));
  EXPECT_THAT(svg, HasSubstr("role=\"img\">\n<title>a &lt; b</title>\n<desc>c &amp; d</desc>"));
  EXPECT_THAT(svg, HasSubstr("prefers-color-scheme:dark"));
  EXPECT_THAT(svg, HasSubstr("<rect class=\"paper\" width=\"80\" height=\"40\"/>"));
  EXPECT_THAT(Begin({}), Not(HasSubstr("<desc>")));
}

TEST(SvgTest, EscapesTextForContentAndAttributes) {
  EXPECT_EQ(Escape("<b a=\"1\">&"), "&lt;b a=&quot;1&quot;&gt;&amp;");
  EXPECT_EQ(Escape("grün 東京"), "grün 東京");
}

TEST(SvgTest, ReplacesWhatXmlDoesNotAllow) {
  EXPECT_EQ(Escape("a\x01\x1b"
                   "b\uffff"),
            "a\ufffd\ufffd"
            "b\ufffd");
  EXPECT_EQ(Escape("a\tb\n"), "a\tb\n");
}

}  // namespace
}  // namespace tombola::svg
