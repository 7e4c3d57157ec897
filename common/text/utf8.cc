#include "common/text/utf8.h"

#include <utf8proc.h>

namespace tombola {

bool Utf8Character::control() const {
  return valid() && utf8proc_category(point) == UTF8PROC_CATEGORY_CC;
}

size_t Utf8Character::cells() const { return static_cast<size_t>(utf8proc_charwidth(point)); }

Utf8Character TakeCharacter(absl::string_view& text) {
  Utf8Character next;
  const utf8proc_ssize_t length =
      utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                       static_cast<utf8proc_ssize_t>(text.size()), &next.point);
  next.bytes = text.substr(0, length > 0 ? static_cast<size_t>(length) : 1);
  text.remove_prefix(next.bytes.size());
  return next;
}

bool IsUtf8(absl::string_view text) {
  while (!text.empty()) {
    if (!TakeCharacter(text).valid()) return false;
  }
  return true;
}

bool IsPlainText(absl::string_view text) {
  while (!text.empty()) {
    const Utf8Character next = TakeCharacter(text);
    if (!next.valid() || next.control()) return false;
  }
  return true;
}

}  // namespace tombola
