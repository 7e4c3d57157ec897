#include "cli/terminal/text_cells.h"

#include <gtest/gtest.h>

namespace tombola::cli {
namespace {

TEST(CellsTest, CountsWhatATerminalShows) {
  EXPECT_EQ(Cells(""), 0u);
  EXPECT_EQ(Cells("plain"), 5u);
  EXPECT_EQ(Cells("grün"), 4u);
  EXPECT_EQ(Cells("東京"), 4u);
  EXPECT_EQ(Cells("서울"), 4u);
  EXPECT_EQ(Cells("ＡＢ"), 4u);
  EXPECT_EQ(Cells("😀x"), 3u);
  EXPECT_EQ(Cells("e\u0301"), 1u) << "a combining accent";
  EXPECT_EQ(Cells("न\u094d"), 1u);
  EXPECT_EQ(Cells("a\u200bb"), 2u);
  EXPECT_EQ(Cells("Ωж±…█"), 5u);
  EXPECT_EQ(Cells("\u1b05\u1b34"), 1u) << "a vowel sign of Balinese";
  EXPECT_EQ(Cells("🪼"), 2u) << "of Unicode 15";
}

TEST(CellsTest, TakesOneForABrokenByteAndForAControlCharacter) {
  EXPECT_EQ(Cells("\xff\xfe"), 2u);
  EXPECT_EQ(Cells("\xe6\x9d"), 2u) << "a character cut short";
  EXPECT_EQ(Cells("\xe6x"), 2u);
  EXPECT_EQ(Cells("\x1b[0m"), 4u);
}

TEST(FitTest, FillsUpAndCuts) {
  EXPECT_EQ(Fit("ab", 4), "ab  ");
  EXPECT_EQ(Fit("abcd", 4), "abcd");
  EXPECT_EQ(Fit("abcde", 4), "abc…");
  EXPECT_EQ(Fit("東京", 4), "東京");
  EXPECT_EQ(Fit("東京", 5), "東京 ");
  EXPECT_EQ(Fit("東京都", 5), "東京…");
  EXPECT_EQ(Fit("東京都", 4), "東… ") << "a wide character never sticks out";
  EXPECT_EQ(Fit("abc", 1), "…");
  EXPECT_EQ(Fit("abc", 0), "");
}

TEST(FitTest, KeepsMarksWithTheirLetter) {
  EXPECT_EQ(Fit("e\u0301e\u0301", 3), "e\u0301e\u0301 ");
  EXPECT_EQ(Fit("e\u0301bc", 2), "e\u0301…");
}

TEST(FitTest, ShowsNothingThatATerminalWouldObey) {
  EXPECT_EQ(Fit("\x1b[2J", 4), "\ufffd[2J");
  EXPECT_EQ(Fit("a\nb", 3), "a\ufffdb");
  EXPECT_EQ(Fit("\xff", 1), "\ufffd");
}

TEST(CutTest, DoesNotFillUp) {
  EXPECT_EQ(Cut("ab", 4), "ab");
  EXPECT_EQ(Cut("abcde", 4), "abc…");
}

}  // namespace
}  // namespace tombola::cli
