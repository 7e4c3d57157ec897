#include "common/text/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace tombola {
namespace {

TEST(Utf8Test, KnowsWhatRfc3629Allows) {
  for (const char* text : {"", "a b\n", "\xc2\xa0", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf",
                           "\xee\x80\x80", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(IsUtf8(text)) << text;
  }
  for (const char* text :
       {"\x80", "\xc1\xbf", "\xc2", "\xc3(", "\xe0\x9f\xbf", "\xe1\x80", "\xed\xa0\x80",
        "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "a\xe2\x82"}) {
    EXPECT_FALSE(IsUtf8(text));
  }
  EXPECT_TRUE(IsUtf8(absl::string_view("\0", 1)));
}

TEST(Utf8Test, TakesOneCharacterOrOneByteThatIsNone) {
  absl::string_view text = "\xe6\x9d\xb1\xe6x";
  Utf8Character next = TakeCharacter(text);
  EXPECT_EQ(next.bytes, "東");
  EXPECT_EQ(next.point, 0x6771);
  EXPECT_EQ(next.cells(), 2u);
  next = TakeCharacter(text);
  EXPECT_EQ(next.bytes, "\xe6");
  EXPECT_FALSE(next.valid());
  EXPECT_FALSE(next.control());
  EXPECT_EQ(TakeCharacter(text).bytes, "x");
  EXPECT_TRUE(text.empty());
}

TEST(Utf8Test, KnowsControlCharacters) {
  for (const std::string& one : {std::string(1, '\0'), std::string("\x1b"), std::string("\x7f"),
                                 std::string("\u0085"), std::string("\u009f")}) {
    absl::string_view text = one;
    EXPECT_TRUE(TakeCharacter(text).control());
  }
  for (const char* const one : {" ", "\u00a0", "\u200b", "e"}) {
    absl::string_view text = one;
    EXPECT_FALSE(TakeCharacter(text).control()) << one;
  }
}

TEST(PlainTextTest, KnowsUtf8) {
  for (const char* text : {"", "a b", "\xc2\xa0", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf",
                           "\xee\x80\x80", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(IsPlainText(text)) << text;
  }
  for (const char* text : {"\t", "\x1f", "\x7f", "\x80", "\xc1\xbf", "\xc2", "\xc2\x9f", "\xc3(",
                           "\xe0\x9f\xbf", "\xe1\x80", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
                           "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "a\xe2\x82"}) {
    EXPECT_FALSE(IsPlainText(text));
  }
  EXPECT_FALSE(IsPlainText(absl::string_view("\0", 1)));
}

}  // namespace
}  // namespace tombola
