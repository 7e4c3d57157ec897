#include "cli/command/string_flags.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tombola::cli {
namespace {

constexpr double kLargestDictionary = 1e12;

}  // namespace

absl::StatusOr<strings::Alphabet> ReadAlphabet(const StringFlags& flags) {
  if (flags.alphabet.empty()) {
    return absl::InvalidArgumentError(
        "--alphabet must be given for --kind strings: its characters, or bytes");
  }
  if (flags.alphabet == kBytesAlphabet) return strings::Alphabet::OfBytes();
  absl::StatusOr<strings::Alphabet> alphabet = strings::Alphabet::OfCharacters(flags.alphabet);
  if (alphabet.ok()) return alphabet;
  return absl::InvalidArgumentError(absl::StrCat("--alphabet: ", alphabet.status().message()));
}

absl::StatusOr<mechanism::StringPlanRequest> ReadStringRequest(const StringFlags& flags,
                                                               int64_t symbols,
                                                               const mechanism::PlanRequest& plan) {
  if (!flags.length.has_value()) {
    return absl::InvalidArgumentError(
        "--length must be given for --kind strings: the most characters that count");
  }
  if (*flags.length < 1 || *flags.length > strings::kMostLength) {
    return absl::InvalidArgumentError(
        absl::StrCat("--length must be in [1, ", strings::kMostLength, "], is ", *flags.length));
  }
  mechanism::StringPlanRequest request{
      .plan = plan,
      .symbols = symbols,
      .length = *flags.length,
      .step = flags.step,
      .whole = flags.dictionary_only || flags.dictionary_size.has_value()};
  if (request.whole && flags.step.has_value()) {
    return absl::InvalidArgumentError(
        "--step is not for --dictionary-only and --dictionary-size, where whole strings are sent");
  }
  if (flags.step.has_value() && (*flags.step < 1 || *flags.step > *flags.length)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--step must be in [1, --length], is ", *flags.step));
  }
  if (flags.dictionary_size.has_value()) {
    if (!(*flags.dictionary_size >= 1 && *flags.dictionary_size <= kLargestDictionary)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--dictionary-size must be in [1, 1e12], is ", *flags.dictionary_size));
    }
    request.dictionary = *flags.dictionary_size;
  }
  return request;
}

}  // namespace tombola::cli
