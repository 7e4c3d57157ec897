#include "collector/answer/strings.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "collector/estimate/normal.h"
#include "common/base/status_macros.h"
#include "common/plan/string_threshold.h"
#include "common/strings/public_functions.h"

namespace tombola::collector {
namespace {

constexpr double kPower = 0.9;  // with which a string of `threshold` holders is found

const StringsKind& KindOf(const Task& task) { return static_cast<const StringsKind&>(task.kind()); }

double FalseStringsOf(const v1::StringsQuestion& question) {
  return question.false_strings() == 0 ? kUsualFalseStrings : question.false_strings();
}

absl::Status CheckQuestion(const StringsKind& kind, const v1::StringsQuestion& question) {
  if (!(FalseStringsOf(question) > 0 && FalseStringsOf(question) < 1)) {
    return absl::InvalidArgumentError("false_strings must be in (0, 1)");
  }
  if (question.dictionary_size() == 0) {
    if (!kind.shape().whole()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        "dictionary must be given: devices of this task hash whole strings alone");
  }
  const int64_t most =
      std::min<int64_t>(kMostDictionary, kMostDictionarySymbols / kind.shape().length());
  if (question.dictionary_size() > most) {
    return absl::InvalidArgumentError(absl::StrCat("dictionary has ", question.dictionary_size(),
                                                   " strings; of this task it must have at most ",
                                                   most));
  }
  size_t bytes = 0;
  for (const std::string& text : question.dictionary()) bytes += text.size();
  if (bytes > kMostDictionaryBytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "dictionary has ", bytes, " bytes; it must have at most ", kMostDictionaryBytes));
  }
  return absl::OkStatus();
}

// Of the search that a level was, or of a list, with the most candidates that a string is told
// from.
double ThresholdFor(const Evidence& evidence, const v1::StringsQuestion& question) {
  const StringsKind& kind = KindOf(evidence.task);
  const mechanism::CountModel model = kind.cells().count_model();
  const auto levels = static_cast<double>(kind.shape().levels());
  const auto reports = static_cast<double>(evidence.counts.tables.front().reports);
  double candidates = 1;
  for (const DecodedLevel& level : evidence.strings->levels) {
    candidates = std::max(candidates, level.candidates);
  }
  const bool looked_up = question.dictionary_size() > 0;
  return mechanism::ThresholdOf(
             {.by_chance =
                  std::max(1e-9, reports / levels / static_cast<double>(kind.shape().range())),
              .of_holder = mechanism::Signal(model),
              .surely = kind.cells().options().messages == strings::StringMessages::kEveryLevel,
              // One of a list that fills the length is complete at the last level alone.
              .levels = looked_up ? 1 : kind.shape().levels(),
              .candidates = candidates,
              .alpha = FalseStringsOf(question),
              .power = kPower})
      .holders;
}

}  // namespace

absl::StatusOr<int64_t> StringsAnswerer::Bytes(const Task& task,
                                               const v1::GetAnswerRequest& request,
                                               AnswerForm form) const {
  const StringsKind& kind = KindOf(task);
  const v1::StringsQuestion& question = request.strings();
  TOMBOLA_RETURN_IF_ERROR(CheckQuestion(kind, question));
  int64_t rows = kMostFoundStrings;
  if (question.dictionary_size() > 0) rows = std::min<int64_t>(rows, question.dictionary_size());
  if (question.top() > 0) rows = static_cast<int64_t>(std::min<uint64_t>(rows, question.top()));
  // A symbol is up to four bytes, of which each may become six in a text.
  const int64_t text = 4 * kind.shape().length();
  const int64_t row = 64 + 7 * 8 + text;
  const int64_t message = 2 * rows * row;
  const int64_t asked = 2 * static_cast<int64_t>(question.ByteSizeLong());
  return asked + message + (form == AnswerForm::kText ? rows * (200 + 6 * text) : 0);
}

absl::Status StringsAnswerer::Fill(const Evidence& evidence, const v1::GetAnswerRequest& request,
                                   Postprocess postprocess, v1::Answer* answer) const {
  if (postprocess != Postprocess::kClip && postprocess != Postprocess::kNone) {
    return absl::InvalidArgumentError("postprocess must be clip or none for strings");
  }
  const StringsKind& kind = KindOf(evidence.task);
  const v1::StringsQuestion& question = request.strings();
  const DecodedStrings& decoded = *evidence.strings;
  const auto devices = static_cast<double>(evidence.tally.submissions);
  const double z = NormalTailQuantile((1 - request.confidence()) / 2);
  v1::FrequentStrings* const body = answer->mutable_strings();
  for (const FoundString& found : decoded.strings) {
    if (question.top() > 0 && static_cast<uint64_t>(body->values_size()) == question.top()) break;
    const double raw = found.holders / devices;
    const double error = found.stderr_of / devices;
    body->add_values(kind.alphabet().Decode(found.symbols));
    body->add_frequencies(postprocess == Postprocess::kNone ? raw : std::clamp(raw, 0.0, 1.0));
    body->add_raw(raw);
    body->add_standard_errors(error);
    body->add_low(raw - z * error);
    body->add_high(raw + z * error);
  }
  body->set_threshold(ThresholdFor(evidence, question));
  body->set_least_holders(static_cast<uint64_t>(kind.least_holders()));
  body->set_false_strings(FalseStringsOf(question));
  body->set_tests(static_cast<uint64_t>(decoded.tests));
  body->set_complete(decoded.complete);
  body->set_moved_by_report(1 / mechanism::Signal(kind.cells().count_model()));
  if (question.dictionary_size() > 0 && !decoded.levels.empty()) {
    body->set_dictionary(static_cast<uint64_t>(decoded.levels.front().candidates));
  }
  for (const DecodedLevel& level : decoded.levels) {
    v1::StringLevel* const added = body->add_levels();
    added->set_candidates(level.candidates);
    added->set_needed(level.threshold);
    added->set_found(level.survivors);
  }
  return absl::OkStatus();
}

absl::StatusOr<StringSearch> ReadStringsQuestion(const StringsKind& kind,
                                                 const v1::StringsQuestion& question) {
  TOMBOLA_RETURN_IF_ERROR(CheckQuestion(kind, question));
  StringSearch search{.false_strings = FalseStringsOf(question),
                      .looked_up = question.dictionary_size() > 0,
                      .dictionary = {}};
  search.dictionary.reserve(static_cast<size_t>(question.dictionary_size()));
  for (int i = 0; i < question.dictionary_size(); ++i) {
    const absl::StatusOr<std::string> spelled =
        strings::Spell(question.dictionary(i), kind.spelling());
    if (!spelled.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("dictionary: string ", i + 1, ": ", spelled.status().message()));
    }
    search.dictionary.push_back(kind.alphabet().Encode(*spelled, kind.shape().length()));
  }
  return search;
}

absl::StatusOr<DecodedStrings> SearchStrings(const CountedStrings& counted,
                                             const StringSearch& search, DecodeOptions options) {
  const strings::StringMessages messages = counted.kind.cells().options().messages;
  const int64_t sent = counted.kind.cells().cells();
  // Of submissions some of whose reports were bad there are fewer reports than they should have.
  const StringBatch batch{.functions = &counted.functions,
                          .counts = &counted.counts,
                          .devices = std::min(counted.submissions, counted.counts.reports() / sent),
                          .messages = messages,
                          .gamma = counted.kind.cells().gamma()};
  options.alpha = search.false_strings;
  options.least_holders = static_cast<double>(counted.kind.least_holders());
  TOMBOLA_ASSIGN_OR_RETURN(DecodedStrings decoded,
                           search.looked_up ? DecodeDictionary(batch, search.dictionary, options)
                                            : DecodeStrings(batch, options));
  if (static_cast<int64_t>(decoded.strings.size()) > kMostFoundStrings) {
    decoded.strings.resize(static_cast<size_t>(kMostFoundStrings));
    decoded.complete = false;
  }
  return decoded;
}

}  // namespace tombola::collector
