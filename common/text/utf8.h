// Characters of UTF-8 text, by libutf8proc.
#ifndef TOMBOLA_COMMON_TEXT_UTF8_H_
#define TOMBOLA_COMMON_TEXT_UTF8_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace tombola {

// What stands at the front of a text: a character, or a byte that begins none.
struct Utf8Character {
  absl::string_view bytes;
  int32_t point = -1;  // -1: the byte is no UTF-8

  bool valid() const { return point >= 0; }
  // U+0000 to U+001F and U+007F to U+009F: what a terminal may obey instead of showing it.
  bool control() const;
  // How many cells of a terminal it takes: two for the wide characters of East Asia and emoji, none
  // for combining marks. Of a valid one.
  size_t cells() const;
};

// Takes it off the front of the text, which must not be empty.
Utf8Character TakeCharacter(absl::string_view& text);

// RFC 3629: shortest forms, no surrogates, at most U+10FFFF.
bool IsUtf8(absl::string_view text);

// For text from outside that goes into answers, files and terminals: UTF-8 without control
// characters.
bool IsPlainText(absl::string_view text);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_TEXT_UTF8_H_
