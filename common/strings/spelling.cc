#include "common/strings/spelling.h"

#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/base/status_macros.h"
#include "common/text/normal_form.h"
#include "common/text/repertoire.h"
#include "common/text/utf8.h"

namespace tombola::strings {
namespace {

constexpr absl::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// Of "15.0.0" 15 and 0; 0 and 0 of what is no version.
std::pair<int, int> VersionOf(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, '.');
  int major = 0, minor = 0;
  const bool read =
      parts.size() >= 2 && absl::SimpleAtoi(parts[0], &major) && absl::SimpleAtoi(parts[1], &minor);
  return read ? std::pair(major, minor) : std::pair(0, 0);
}

// Every character that is looked at, U+FFFD for those that the repertoire lacks.
absl::StatusOr<std::string> Known(absl::string_view text) {
  if (!IsUtf8(text)) return absl::InvalidArgumentError("the string must be UTF-8");
  std::string known;
  for (size_t taken = 0; taken < kMostSpelledCharacters && !text.empty(); ++taken) {
    const Utf8Character next = TakeCharacter(text);
    absl::StrAppend(&known, InRepertoire(next.point) ? next.bytes : kReplacement);
  }
  return known;
}

}  // namespace

absl::Status CheckUnicode(absl::string_view version) {
  if (version != kRepertoire) {
    return absl::FailedPreconditionError(
        absl::StrCat("strings.unicode must be ", kRepertoire,
                     ", the only version of Unicode that strings are spelled by here"));
  }
  if (VersionOf(UnicodeVersion()) < VersionOf(kRepertoire)) {
    return absl::FailedPreconditionError(absl::StrCat("libutf8proc must know Unicode ", kRepertoire,
                                                      " to spell the strings of this task, knows ",
                                                      UnicodeVersion()));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> Spell(absl::string_view text, Spelling spelling) {
  if (spelling == Spelling::kAsItIs) return std::string(text);
  TOMBOLA_ASSIGN_OR_RETURN(const std::string known, Known(text));
  return NormalForm(known, spelling == Spelling::kFolded ? Case::kFolded : Case::kKept);
}

absl::Status CheckSpelled(absl::string_view alphabet, Spelling spelling) {
  for (int64_t place = 1; !alphabet.empty(); ++place) {
    const Utf8Character next = TakeCharacter(alphabet);
    if (!next.valid()) continue;  // which Alphabet refuses
    TOMBOLA_ASSIGN_OR_RETURN(const std::string spelled, Spell(next.bytes, spelling));
    if (spelled == next.bytes) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "strings.alphabet must have characters as they are spelled, in normalization form C",
        spelling == Spelling::kFolded ? " and with cases folded" : "", "; character ", place,
        " is not"));
  }
  return absl::OkStatus();
}

}  // namespace tombola::strings
