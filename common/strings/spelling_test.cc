#include "common/strings/spelling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "common/crypto/sha256.h"
#include "common/text/repertoire.h"

namespace tombola::strings {
namespace {

using ::testing::HasSubstr;

std::string Composed(absl::string_view text) { return *Spell(text, Spelling::kComposed); }
std::string Folded(absl::string_view text) { return *Spell(text, Spelling::kFolded); }

TEST(SpellingTest, ComposedAndDecomposedAreOne) {
  EXPECT_EQ(Composed("e\u0301"), "\u00E9");
  EXPECT_EQ(Composed("\u212B"), "\u00C5");              // the unit is a letter
  EXPECT_EQ(Composed("s\u0307\u0323"), "\u1E69");       // marks in either order
  EXPECT_EQ(Composed("\u1E9B\u0323"), "\u1E9B\u0323");  // of UAX #15, figure 6
  EXPECT_EQ(Composed("\u0958"), "\u0915\u093C");        // excluded from composition
  EXPECT_EQ(Composed("\u1112\u1161\u11AB"), "\uD55C");  // Hangul, by arithmetic
  EXPECT_EQ(Composed("\uD558\u11AB"), "\uD55C");        // and from a syllable without tail
  EXPECT_EQ(Composed("\uFB01 \u2460 \u00B2"), "\uFB01 \u2460 \u00B2");  // not form KC
  EXPECT_EQ(Composed("A\u00DF"), "A\u00DF");
}

TEST(SpellingTest, CasesAreFoldedInFull) {
  EXPECT_EQ(Folded("Stra\u00DFe"), "strasse");
  EXPECT_EQ(Folded("\u1E9E"), "ss");                              // the capital sharp s
  EXPECT_EQ(Folded("\uFB03"), "ffi");                             // a ligature
  EXPECT_EQ(Folded("I"), "i");                                    // whatever the language
  EXPECT_EQ(Folded("\u0130"), "i\u0307");                         // the dotted capital of Turkish
  EXPECT_EQ(Folded("\u0131"), "\u0131");                          // its dotless i stays apart
  EXPECT_EQ(Folded("\u039F\u03A3\u03C2"), "\u03BF\u03C3\u03C3");  // sigmas
  EXPECT_EQ(Folded("\u1F80"), "\u1F00\u03B9");                    // an iota below
  EXPECT_EQ(Folded("\u13A0\uAB70"), "\u13A0\u13A0");              // Cherokee folds to capitals
  EXPECT_EQ(Folded("\u00C9"), Folded("e\u0301"));
}

TEST(SpellingTest, RefusesWhatIsNotUtf8) {
  // Also behind what is spelled.
  std::string late(kMostSpelledCharacters, 'a');
  late += '\xFF';
  for (const std::string& text : {std::string("a\xFF"), std::string("\xC3"),
                                  std::string("\xED\xA0\x80"), std::string("\xC0\x80"), late}) {
    for (const Spelling spelling : {Spelling::kComposed, Spelling::kFolded}) {
      EXPECT_EQ(Spell(text, spelling).status().code(), absl::StatusCode::kInvalidArgument);
    }
    EXPECT_EQ(*Spell(text, Spelling::kAsItIs), text);
  }
}

// Assigned by Unicode 15.1 and 16.0, so that a newer library would order or compose them.
TEST(SpellingTest, CharactersOfLaterVersionsAreUnknown) {
  EXPECT_EQ(Composed("a\U0002EBF0z"), "a\uFFFDz");
  EXPECT_EQ(Folded("\uA7CB"), "\uFFFD");
  EXPECT_EQ(Composed("\U0010FFFF"), "\uFFFD");      // and of none
  EXPECT_EQ(Composed("\U0010FFFD"), "\U0010FFFD");  // of private use
}

TEST(SpellingTest, LooksAtTheFirstCharacters) {
  const std::string most(kMostSpelledCharacters, 'a');
  for (const absl::string_view more : {"b", "\u0301"}) {
    EXPECT_EQ(Composed(absl::StrCat(most, more)), most);
  }
  // Marks of two classes in turns: as far from their order as can be.
  std::string marks = "a";
  while (marks.size() < 1 << 20) marks += "\u0301\u0323";
  const std::string spelled = Composed(marks);
  EXPECT_EQ(spelled.substr(0, 3), "\u1EA1");
  EXPECT_EQ(Composed(spelled), spelled);
}

std::string Utf8(uint32_t point) {
  std::string text;
  if (point < 0x80) return std::string(1, static_cast<char>(point));
  const int more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  constexpr uint32_t kLead[] = {0, 0xC0, 0xE0, 0xF0};
  text += static_cast<char>(kLead[more] | point >> (6 * more));
  for (int left = more - 1; left >= 0; --left) {
    text += static_cast<char>(0x80 | (point >> (6 * left) & 0x3F));
  }
  return text;
}

// The form of every character, alone and between marks: whatever the library, devices agree. If
// this fails with another libutf8proc, tasks must name another version.
TEST(SpellingTest, EveryCharacterIsAsUnicode15HasIt) {
  std::string all;
  for (uint32_t point = 0; point < 0x110000; ++point) {
    if (point >= 0xD800 && point < 0xE000) continue;
    const std::string text = Utf8(point);
    const std::string composed = Composed("a\u0301" + text + "\u0323");
    const std::string folded = Folded(text);
    ASSERT_EQ(Composed(composed), composed) << point;
    ASSERT_EQ(Folded(folded), folded) << point;
    if (!InRepertoire(static_cast<int32_t>(point))) {
      ASSERT_EQ(folded, "\uFFFD") << point;
      continue;
    }
    all += composed + folded;
  }
  const crypto::Sha256Digest digest = crypto::Sha256(all);
  EXPECT_EQ(absl::BytesToHexString(
                absl::string_view(reinterpret_cast<const char*>(digest.data()), digest.size())),
            "bef4d82797d990f35c7efcec0bf508b82f4c1c51176ac4f7e8d4b243af9db789");
}

TEST(SpellingTest, KnowsOneVersion) {
  EXPECT_TRUE(CheckUnicode("15.0").ok());
  for (const absl::string_view version : {"", "14.0", "15.1", "15.0.0", "16.0"}) {
    const absl::Status refused = CheckUnicode(version);
    EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition) << version;
    EXPECT_THAT(refused.message(), HasSubstr("strings.unicode must be 15.0"));
  }
}

TEST(SpellingTest, RefusesAnAlphabetOfWhatNobodyCouldHold) {
  EXPECT_TRUE(CheckSpelled("ABC\u00E9\u0301", Spelling::kComposed).ok());
  EXPECT_TRUE(CheckSpelled("abc\u00E9", Spelling::kFolded).ok());
  EXPECT_TRUE(CheckSpelled("A\u212B", Spelling::kAsItIs).ok());
  EXPECT_THAT(CheckSpelled("A\u212B", Spelling::kComposed).message(), HasSubstr("character 2"));
  EXPECT_THAT(CheckSpelled("ab\u00DF", Spelling::kFolded).message(), HasSubstr("character 3"));
  EXPECT_THAT(CheckSpelled("aB", Spelling::kFolded).message(), HasSubstr("cases folded"));
  EXPECT_EQ(CheckSpelled("a\U0002EBF0", Spelling::kFolded).code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tombola::strings
