#include "common/strings/normalizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "common/crypto/sha256.h"
#include "common/text/normal_form.h"
#include "common/text/repertoire.h"

namespace tombola::strings {
namespace {

using ::testing::HasSubstr;

const Normalizer& Of(bool fold_case) {
  static const Normalizer kept = *Normalizer::Create(kRepertoire, false);
  static const Normalizer folding = *Normalizer::Create(kRepertoire, true);
  return fold_case ? folding : kept;
}
std::string Composed(absl::string_view text) { return *Of(false).Normalize(text); }
std::string Folded(absl::string_view text) { return *Of(true).Normalize(text); }

TEST(NormalizerTest, ComposedAndDecomposedAreOne) {
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

TEST(NormalizerTest, CasesAreFoldedInFull) {
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

TEST(NormalizerTest, RefusesWhatIsNotUtf8) {
  for (const absl::string_view text : {"a\xFF", "\xC3", "\xED\xA0\x80", "\xC0\x80"}) {
    for (const bool fold_case : {false, true}) {
      EXPECT_EQ(Of(fold_case).Normalize(text).status().code(), absl::StatusCode::kInvalidArgument);
    }
  }
  // Also behind what is looked at.
  std::string late(kMostNormalizedCharacters, 'a');
  late += '\xFF';
  EXPECT_EQ(Of(false).Normalize(late).status().code(), absl::StatusCode::kInvalidArgument);
}

// Assigned by Unicode 15.1 and 16.0, so that a newer library would order or compose them.
TEST(NormalizerTest, CharactersOfLaterVersionsAreUnknown) {
  EXPECT_EQ(Composed("a\U0002EBF0z"), "a\uFFFDz");
  EXPECT_EQ(Folded("\uA7CB"), "\uFFFD");
  EXPECT_EQ(Composed("\U0010FFFF"), "\uFFFD");      // and of none
  EXPECT_EQ(Composed("\U0010FFFD"), "\U0010FFFD");  // of private use
}

TEST(NormalizerTest, LooksAtTheFirstCharacters) {
  const std::string most(kMostNormalizedCharacters, 'a');
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
TEST(NormalizerTest, EveryCharacterIsAsUnicode15HasIt) {
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

TEST(NormalizerTest, KnowsOneVersion) {
  EXPECT_TRUE(Normalizer::Create("15.0", true).ok());
  for (const absl::string_view version : {"", "14.0", "15.1", "15.0.0", "16.0"}) {
    const auto refused = Normalizer::Create(version, true);
    EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument) << version;
    EXPECT_THAT(refused.status().message(), HasSubstr("unicode_version must be 15.0"));
  }
}

TEST(NormalizerTest, RefusesAnAlphabetOfWhatNobodyCouldHold) {
  EXPECT_TRUE(Of(false).CheckAlphabet("ABC\u00E9\u0301").ok());
  EXPECT_TRUE(Of(true).CheckAlphabet("abc\u00E9").ok());
  EXPECT_THAT(Of(false).CheckAlphabet("A\u212B").message(), HasSubstr("character 2"));
  EXPECT_THAT(Of(true).CheckAlphabet("ab\u00DF").message(), HasSubstr("character 3"));
  EXPECT_THAT(Of(true).CheckAlphabet("aB").message(), HasSubstr("cases being folded"));
  EXPECT_EQ(Of(true).CheckAlphabet("a\U0002EBF0").code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tombola::strings
