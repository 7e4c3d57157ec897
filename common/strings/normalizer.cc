#include "common/strings/normalizer.h"

#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/base/status_macros.h"
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
  for (size_t taken = 0; taken < kMostNormalizedCharacters && !text.empty(); ++taken) {
    const Utf8Character next = TakeCharacter(text);
    absl::StrAppend(&known, InRepertoire(next.point) ? next.bytes : kReplacement);
  }
  return known;
}

}  // namespace

absl::StatusOr<Normalizer> Normalizer::Create(absl::string_view unicode_version, bool fold_case) {
  if (unicode_version != kRepertoire) {
    return absl::InvalidArgumentError(
        absl::StrCat("strings.normalization.unicode_version must be ", kRepertoire,
                     ", the only version of Unicode that is known here"));
  }
  if (VersionOf(UnicodeVersion()) < VersionOf(kRepertoire)) {
    return absl::FailedPreconditionError(
        absl::StrCat("libutf8proc must know Unicode ", kRepertoire,
                     " to normalise the strings of this task, knows ", UnicodeVersion()));
  }
  return Normalizer(fold_case ? Case::kFolded : Case::kKept);
}

absl::StatusOr<std::string> Normalizer::Normalize(absl::string_view text) const {
  TOMBOLA_ASSIGN_OR_RETURN(const std::string known, Known(text));
  return NormalForm(known, letters_);
}

absl::Status Normalizer::CheckAlphabet(absl::string_view characters) const {
  for (int64_t place = 1; !characters.empty(); ++place) {
    const Utf8Character next = TakeCharacter(characters);
    if (!next.valid()) continue;  // which Alphabet refuses
    TOMBOLA_ASSIGN_OR_RETURN(const std::string normal, Normalize(next.bytes));
    if (normal == next.bytes) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("strings.alphabet must have characters as they are after normalisation; "
                     "character ",
                     place, " is not", letters_ == Case::kFolded ? ", cases being folded" : ""));
  }
  return absl::OkStatus();
}

}  // namespace tombola::strings
