// Which characters the strings of a task are made of, and their symbols.
#ifndef TOMBOLA_COMMON_STRINGS_ALPHABET_H_
#define TOMBOLA_COMMON_STRINGS_ALPHABET_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tombola::strings {

// Symbols of a string or of a prefix of one.
using Symbols = std::vector<uint8_t>;

// Symbol 0, kEnd, fills a string up to its length. The last one, other(), stands for every
// character that the alphabet does not have. Immutable and thread-safe.
class Alphabet {
 public:
  static constexpr uint8_t kEnd = 0;

  // The characters of UTF-8 text, the first being symbol 1. InvalidArgument unless they are 1 to
  // 254 different ones, none of them U+0000 or U+FFFD, and the text is UTF-8.
  static absl::StatusOr<Alphabet> OfCharacters(absl::string_view characters);
  // The bytes 1 to 254, each being its own symbol; 0 and 255, which UTF-8 text does not have beside
  // U+0000, are other().
  static Alphabet OfBytes();

  bool of_bytes() const { return of_bytes_; }
  // In the order of symbols; empty of bytes.
  std::string characters() const;
  // With "end" and "other".
  int64_t symbols() const { return symbols_; }
  uint8_t other() const { return static_cast<uint8_t>(symbols_ - 1); }

  // `length` symbols: of a longer text the first ones, after a shorter one kEnd. A byte that is no
  // UTF-8 is other() in an alphabet of characters. The same for all texts that this makes alike:
  // whoever wants forms of a character or cases to be one normalises before.
  Symbols Encode(absl::string_view text, int64_t length) const;

  // The text of symbols, up to the first kEnd; other() is U+FFFD, in an alphabet of bytes the byte
  // 255. Every symbol must be below symbols().
  std::string Decode(absl::Span<const uint8_t> symbols) const;

 private:
  Alphabet() = default;

  bool of_bytes_ = false;
  int64_t symbols_ = 0;
  absl::flat_hash_map<int32_t, uint8_t> symbol_of_;  // of a character's code point
  std::vector<std::string> text_of_;                 // [symbol]
};

}  // namespace tombola::strings

#endif  // TOMBOLA_COMMON_STRINGS_ALPHABET_H_
