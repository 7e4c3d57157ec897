#include "common/text/normal_form.h"

#include <utf8proc.h>

#include <cstdint>
#include <cstdlib>
#include <memory>

#include "absl/status/status.h"
#include "common/base/status_macros.h"
#include "common/text/utf8.h"

namespace tombola {
namespace {

struct Free {
  void operator()(uint8_t* bytes) const { std::free(bytes); }
};

absl::StatusOr<std::string> Mapped(absl::string_view text, int options) {
  uint8_t* made = nullptr;
  const utf8proc_ssize_t size = utf8proc_map(
      reinterpret_cast<const uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
      &made, static_cast<utf8proc_option_t>(options | UTF8PROC_STABLE));
  const std::unique_ptr<uint8_t, Free> held(made);
  if (size < 0) return absl::ResourceExhaustedError(utf8proc_errmsg(size));
  return std::string(reinterpret_cast<const char*>(made), static_cast<size_t>(size));
}

}  // namespace

// libutf8proc folds before it puts marks in order, and folding makes a letter of one of them,
// U+0345: so marks are put in order first (The Unicode Standard, D145).
absl::StatusOr<std::string> NormalForm(absl::string_view text, Case letters) {
  if (!IsUtf8(text)) return absl::InvalidArgumentError("the text must be UTF-8");
  if (letters == Case::kKept) return Mapped(text, UTF8PROC_COMPOSE);
  TOMBOLA_ASSIGN_OR_RETURN(const std::string ordered, Mapped(text, UTF8PROC_DECOMPOSE));
  return Mapped(ordered, UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD);
}

std::string UnicodeVersion() { return utf8proc_unicode_version(); }

}  // namespace tombola
