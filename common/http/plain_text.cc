#include "common/http/plain_text.h"

#include "common/text/utf8.h"

namespace tombola::http {

bool IsPlainText(absl::string_view text) {
  while (!text.empty()) {
    const Utf8Character next = TakeCharacter(text);
    if (!next.valid() || next.control()) return false;
  }
  return true;
}

}  // namespace tombola::http
