#include "common/strings/alphabet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"

namespace tombola::strings {
namespace {

using ::testing::HasSubstr;

Alphabet Of(absl::string_view characters) {
  absl::StatusOr<Alphabet> alphabet = Alphabet::OfCharacters(characters);
  EXPECT_TRUE(alphabet.ok()) << alphabet.status();
  return *std::move(alphabet);
}

void ExpectRefused(absl::string_view characters, const char* message) {
  const absl::StatusOr<Alphabet> alphabet = Alphabet::OfCharacters(characters);
  ASSERT_EQ(alphabet.status().code(), absl::StatusCode::kInvalidArgument) << message;
  EXPECT_THAT(alphabet.status().message(), HasSubstr(message));
}

TEST(AlphabetTest, CharactersAreNumberedFromOne) {
  const Alphabet alphabet = Of("abc€");
  EXPECT_EQ(alphabet.symbols(), 6);
  EXPECT_EQ(alphabet.other(), 5);
  EXPECT_EQ(alphabet.Encode("a€c", 4), (Symbols{1, 4, 3, 0}));
  EXPECT_EQ(alphabet.Encode("", 3), (Symbols{0, 0, 0}));
  EXPECT_EQ(alphabet.Decode(Symbols{1, 4, 3, 0}), "a€c");
}

TEST(AlphabetTest, LongerStringsAreCutAndUnknownCharactersAreOther) {
  const Alphabet alphabet = Of("abc");
  EXPECT_EQ(alphabet.Encode("abcab", 3), (Symbols{1, 2, 3}));
  EXPECT_EQ(alphabet.Encode("aüb", 4), (Symbols{1, 4, 2, 0}));
  // Each byte that is no UTF-8, and the character U+0000, is one symbol.
  EXPECT_EQ(alphabet.Encode("a\xFF\xC3"
                            "b",
                            5),
            (Symbols{1, 4, 4, 2, 0}));
  EXPECT_EQ(alphabet.Encode(absl::string_view("a\0b", 3), 4), (Symbols{1, 4, 2, 0}));
  EXPECT_EQ(alphabet.Decode(Symbols{1, 4, 0, 2}), "a\xEF\xBF\xBD");
}

TEST(AlphabetTest, OfBytesAByteIsItsSymbol) {
  const Alphabet alphabet = Alphabet::OfBytes();
  EXPECT_EQ(alphabet.symbols(), 256);
  EXPECT_EQ(alphabet.Encode("aü", 4), (Symbols{0x61, 0xC3, 0xBC, 0}));
  EXPECT_EQ(alphabet.Decode(Symbols{0x61, 0xC3, 0xBC, 0}), "aü");
  // U+0000 is not the end.
  EXPECT_EQ(alphabet.Encode(absl::string_view("a\0b\xFF", 4), 4), (Symbols{0x61, 255, 0x62, 255}));
}

TEST(AlphabetTest, RefusesRepeatsAndWhatIsNoText) {
  ExpectRefused("", "strings.alphabet must have at least 1 character");
  ExpectRefused("abca", "strings.alphabet must have every character once; character 4");
  ExpectRefused("a\xFF", "strings.alphabet must be UTF-8; character 2 is not");
  ExpectRefused(absl::string_view("a\0", 2), "U+0000 or U+FFFD; character 2");
  ExpectRefused("\xEF\xBF\xBD", "U+0000 or U+FFFD; character 1");
}

TEST(AlphabetTest, HasAtMost254Characters) {
  std::string characters;
  for (int point = 0x100; point < 0x100 + 254; ++point) {
    characters += static_cast<char>(0xC0 | point >> 6);
    characters += static_cast<char>(0x80 | (point & 0x3F));
  }
  EXPECT_EQ(Of(characters).symbols(), 256);
  ExpectRefused(characters + "a", "strings.alphabet must have at most 254 characters");
}

}  // namespace
}  // namespace tombola::strings
