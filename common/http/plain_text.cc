#include "common/http/plain_text.h"

#include <cstddef>
#include <cstdint>

namespace tombola::http {

bool IsPlainText(absl::string_view text) {
  size_t at = 0;
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  while (at < text.size()) {
    const uint8_t first = byte(at);
    size_t length = 1;
    if (first >= 0x80) length = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (length == 0 || first > 0xF4 || text.size() - at < length) return false;
    uint32_t character = length == 1 ? first : first & (0x7F >> length);
    for (size_t i = 1; i < length; ++i) {
      if ((byte(at + i) & 0xC0) != 0x80) return false;
      character = character << 6 | (byte(at + i) & 0x3F);
    }
    // Two bytes cannot be too long a form, since they begin with 0xC2 or more.
    if ((length == 3 && character < 0x800) || (length == 4 && character < 0x10000) ||
        character > 0x10FFFF || (character >= 0xD800 && character <= 0xDFFF) || character < 0x20 ||
        (character >= 0x7F && character <= 0x9F)) {
      return false;
    }
    at += length;
  }
  return true;
}

}  // namespace tombola::http
