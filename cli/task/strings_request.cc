#include "cli/task/strings_request.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/base/status_macros.h"
#include "common/strings/alphabet.h"
#include "common/strings/shape.h"
#include "common/strings/spelling.h"
#include "common/text/repertoire.h"

namespace tombola::cli {
namespace {

constexpr absl::string_view kBytes = "bytes";

absl::Status Refuse(absl::string_view flag, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(flag, " ", what));
}

absl::Status CheckAlphabet(const TaskStrings& flags) {
  if (flags.alphabet.empty()) {
    return Refuse("--alphabet", "must be given: the characters that strings are made of, or bytes");
  }
  if (flags.alphabet == kBytes) return absl::OkStatus();
  const auto alphabet = strings::Alphabet::OfCharacters(flags.alphabet);
  if (!alphabet.ok()) {
    return Refuse("--alphabet", absl::StrCat("is none: ", alphabet.status().message()));
  }
  const absl::Status spelled = strings::CheckSpelled(
      flags.alphabet, flags.fold_case ? strings::Spelling::kFolded : strings::Spelling::kComposed);
  if (!spelled.ok()) return Refuse("--alphabet", absl::StrCat("is none: ", spelled.message()));
  return absl::OkStatus();
}

absl::StatusOr<v1::Strings> ReadStrings(const TaskStrings& flags) {
  TOMBOLA_RETURN_IF_ERROR(CheckAlphabet(flags));
  const bool bytes = flags.alphabet == kBytes;
  if (!flags.length.has_value() || *flags.length < 1 || *flags.length > strings::kMostLength) {
    return Refuse("--length",
                  absl::StrCat("must be in [1, ", strings::kMostLength, "]: the ",
                               bytes ? "bytes" : "characters", " of a string that count"));
  }
  if (flags.step.has_value() && (*flags.step < 1 || *flags.step > *flags.length)) {
    return Refuse("--step", absl::StrCat("must be in [1, ", *flags.length, "], is ", *flags.step));
  }
  if (flags.step.has_value() && flags.dictionary_only) {
    return Refuse("--step", "is not for --dictionary-only, which has no levels");
  }
  if (flags.min_holders == 0) return Refuse("--min-holders", "must be at least 1");
  v1::Strings wire;
  if (!bytes) wire.set_alphabet(flags.alphabet);
  wire.set_length(*flags.length);
  wire.set_step(flags.step.value_or(0));
  wire.set_whole(flags.dictionary_only);
  wire.set_least_holders(flags.min_holders.value_or(0));
  if (bytes && !flags.fold_case) {
    wire.set_spelling(v1::SPELLING_AS_IT_IS);
    return wire;
  }
  wire.set_spelling(flags.fold_case ? v1::SPELLING_FOLDED : v1::SPELLING_COMPOSED);
  wire.set_unicode(std::string(kRepertoire));
  return wire;
}

}  // namespace

absl::Status SetStrings(const TaskRequestOptions& options, v1::CreateTaskRequest* request) {
  if (request->kind() != v1::KIND_STRINGS) {
    if (!options.strings.any()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        "--alphabet, --length, --step, --fold-case, --dictionary-only and --min-holders are for "
        "--kind strings");
  }
  if (!options.values_file.empty() || !options.values.empty() || options.domain != 0 ||
      options.other.has_value()) {
    return absl::InvalidArgumentError(
        "--values, --domain and --other are not for --kind strings, which nobody lists: "
        "--alphabet and --length say what they may be");
  }
  TOMBOLA_ASSIGN_OR_RETURN(*request->mutable_strings(), ReadStrings(options.strings));
  return absl::OkStatus();
}

}  // namespace tombola::cli
