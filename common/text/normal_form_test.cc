#include "common/text/normal_form.h"

#include <gtest/gtest.h>

#include "absl/status/status.h"

namespace tombola {
namespace {

std::string Kept(absl::string_view text) { return *NormalForm(text, Case::kKept); }
std::string Folded(absl::string_view text) { return *NormalForm(text, Case::kFolded); }

TEST(NormalFormTest, ComposesCharacters) {
  EXPECT_EQ(Kept("e\xCC\x81"), "\xC3\xA9");     // e and U+0301
  EXPECT_EQ(Kept("\xE2\x84\xAB"), "\xC3\x85");  // U+212B, the unit, is a letter
  // Marks in the order of their classes: U+0323 (220) before U+0307 (230).
  EXPECT_EQ(Kept("q\xCC\x87\xCC\xA3"), "q\xCC\xA3\xCC\x87");
  EXPECT_EQ(Kept("Ab \xEF\xAC\x81"), "Ab \xEF\xAC\x81");  // a ligature is not taken apart
  EXPECT_EQ(Kept(""), "");
}

TEST(NormalFormTest, FoldsCasesInFull) {
  EXPECT_EQ(Folded("STRASSE"), Folded("Stra\xC3\x9F"
                                      "e"));
  EXPECT_EQ(Folded("\xC3\x89T\xC3\x89"), "\xC3\xA9t\xC3\xA9");
  EXPECT_EQ(Folded("\xCE\xA3\xCF\x83\xCF\x82"), "\xCF\x83\xCF\x83\xCF\x83");  // sigmas
  EXPECT_NE(Kept("A"), Folded("A"));
}

TEST(NormalFormTest, AgainChangesNothing) {
  // U+0345 folds to iota, which is no mark: it must not jump over those beside it.
  for (const absl::string_view text :
       {"\xCE\xB1\xCD\x85\xCC\x81", "\xE1\xBE\xB4", "I\xCC\x87", "\xC4\xB0", "\xEF\xAC\x83",
        "\xED\x95\x9C", "\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB"}) {
    EXPECT_EQ(Kept(Kept(text)), Kept(text));
    EXPECT_EQ(Folded(Folded(text)), Folded(text));
    EXPECT_EQ(Folded(Kept(text)), Folded(text));
  }
}

TEST(NormalFormTest, RefusesWhatIsNoText) {
  for (const absl::string_view text : {"a\xFF", "\xC3", "\xED\xA0\x80"}) {
    EXPECT_EQ(NormalForm(text, Case::kKept).status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(NormalForm(text, Case::kFolded).status().code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST(NormalFormTest, SaysByWhichUnicode) { EXPECT_EQ(UnicodeVersion().find('.'), 2u); }

}  // namespace
}  // namespace tombola
