#include "common/strings/alphabet.h"

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/strings/shape.h"
#include "common/text/utf8.h"

namespace tombola::strings {
namespace {

constexpr absl::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr int32_t kReplacementPoint = 0xFFFD;

}  // namespace

absl::StatusOr<Alphabet> Alphabet::OfCharacters(absl::string_view characters) {
  Alphabet made;
  made.text_of_.emplace_back();
  while (!characters.empty()) {
    const size_t place = made.text_of_.size();
    const Utf8Character character = TakeCharacter(characters);
    if (!character.valid()) {
      return absl::InvalidArgumentError(
          absl::StrCat("strings.alphabet must be UTF-8; character ", place, " is not"));
    }
    if (character.point == 0 || character.point == kReplacementPoint) {
      return absl::InvalidArgumentError(absl::StrCat(
          "strings.alphabet must not have U+0000 or U+FFFD; character ", place, " is one"));
    }
    if (place + 2 > static_cast<size_t>(kMostSymbols)) {
      return absl::InvalidArgumentError(absl::StrCat("strings.alphabet must have at most ",
                                                     kMostSymbols - 2, " characters, has more"));
    }
    if (!made.symbol_of_.emplace(character.point, static_cast<uint8_t>(place)).second) {
      return absl::InvalidArgumentError(absl::StrCat(
          "strings.alphabet must have every character once; character ", place, " is a repeat"));
    }
    made.text_of_.emplace_back(character.bytes);
  }
  if (made.text_of_.size() == 1) {
    return absl::InvalidArgumentError("strings.alphabet must have at least 1 character, has none");
  }
  made.text_of_.emplace_back(kReplacement);
  made.symbols_ = static_cast<int64_t>(made.text_of_.size());
  return made;
}

Alphabet Alphabet::OfBytes() {
  Alphabet made;
  made.of_bytes_ = true;
  made.symbols_ = kMostSymbols;
  made.text_of_.emplace_back();
  for (int64_t byte = 1; byte < made.symbols_; ++byte) {
    made.text_of_.emplace_back(1, static_cast<char>(byte));
  }
  return made;
}

std::string Alphabet::characters() const {
  std::string all;
  if (of_bytes_) return all;
  for (size_t symbol = 1; symbol + 1 < text_of_.size(); ++symbol) all += text_of_[symbol];
  return all;
}

Symbols Alphabet::Encode(absl::string_view text, int64_t length) const {
  Symbols symbols(static_cast<size_t>(length), kEnd);
  for (uint8_t& symbol : symbols) {
    if (text.empty()) break;
    if (of_bytes_) {
      const auto byte = static_cast<uint8_t>(text.front());
      text.remove_prefix(1);
      symbol = byte == 0 ? other() : byte;
    } else {
      const auto found = symbol_of_.find(TakeCharacter(text).point);
      symbol = found == symbol_of_.end() ? other() : found->second;
    }
  }
  return symbols;
}

std::string Alphabet::Decode(absl::Span<const uint8_t> symbols) const {
  std::string text;
  for (const uint8_t symbol : symbols) {
    if (symbol == kEnd) break;
    text += text_of_[symbol];
  }
  return text;
}

}  // namespace tombola::strings
