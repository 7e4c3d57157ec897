#include "common/kind/strings.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/table/count_model.h"

namespace tombola {
namespace {

using strings::StringMessages;

constexpr uint64_t kMostHolders = uint64_t{1} << 40;

absl::Status RefuseStrings(absl::string_view field, absl::string_view bound) {
  return absl::InvalidArgumentError(absl::StrCat("task.", field, " must be ", bound));
}

absl::StatusOr<mechanism::StringsOptions> ReadMessages(const v1::Strings& wire) {
  const auto of = [](StringMessages messages, const v1::Dummies& dummies) {
    // What does not fit is out of bounds all the same.
    return mechanism::StringsOptions{
        .messages = messages,
        .dummies = {.rate = dummies.rate(),
                    .honest = static_cast<int64_t>(std::min(dummies.honest(), uint64_t{1} << 62)),
                    .max = dummies.max()}};
  };
  switch (wire.messages_case()) {
    case v1::Strings::kOneMessage:
      return mechanism::StringsOptions{.messages = StringMessages::kOne,
                                       .blanket_threshold = wire.one_message().blanket_threshold(),
                                       .dummies = {}};
    case v1::Strings::kDummies:
      return of(StringMessages::kDummies, wire.dummies());
    case v1::Strings::kEveryLevel:
      return of(StringMessages::kEveryLevel, wire.every_level());
    default:
      return RefuseStrings("strings.messages", "one_message, dummies or every_level");
  }
}

}  // namespace

absl::StatusOr<strings::Alphabet> ReadAlphabet(const v1::Strings& wire) {
  if (wire.alphabet().empty()) return strings::Alphabet::OfBytes();
  return strings::Alphabet::OfCharacters(wire.alphabet());
}

absl::StatusOr<strings::Spelling> ReadSpelling(const v1::Strings& wire) {
  strings::Spelling spelling = strings::Spelling::kAsItIs;
  switch (wire.spelling()) {
    case v1::SPELLING_AS_IT_IS:
      if (!wire.alphabet().empty()) {
        return RefuseStrings("strings.spelling",
                             "COMPOSED or FOLDED for an alphabet of characters");
      }
      if (!wire.unicode().empty()) return RefuseStrings("strings.unicode", "empty for AS_IT_IS");
      return spelling;
    case v1::SPELLING_COMPOSED:
      spelling = strings::Spelling::kComposed;
      break;
    case v1::SPELLING_FOLDED:
      spelling = strings::Spelling::kFolded;
      break;
    default:
      return RefuseStrings("strings.spelling", "AS_IT_IS, COMPOSED or FOLDED");
  }
  TOMBOLA_RETURN_IF_ERROR(strings::CheckUnicode(wire.unicode()));
  TOMBOLA_RETURN_IF_ERROR(strings::CheckSpelled(wire.alphabet(), spelling));
  return spelling;
}

absl::StatusOr<std::shared_ptr<const Kind>> StringsKind::Read(const v1::Task& task) {
  if (!task.has_strings() || task.has_items() || task.has_levels() || task.has_numbers() ||
      task.has_records() || task.has_mechanism()) {
    return absl::InvalidArgumentError(
        "task.strings must be set for strings, task.items, levels, numbers, records and mechanism "
        "absent");
  }
  if (!task.domain().labels().empty() || task.domain().has_other()) {
    return absl::InvalidArgumentError(
        "task.domain.labels and other must be absent for strings, which have an alphabet");
  }
  const v1::Strings& wire = task.strings();
  TOMBOLA_ASSIGN_OR_RETURN(strings::Alphabet alphabet, ReadAlphabet(wire));
  if (task.domain().size() != static_cast<uint64_t>(alphabet.symbols())) {
    return RefuseStrings("domain.size",
                         absl::StrCat(alphabet.symbols(),
                                      ", the symbols of task.strings.alphabet with \"end\" "
                                      "and \"other\""));
  }
  if (wire.range() > static_cast<uint64_t>(strings::kMostRange)) {
    return RefuseStrings("strings.range", "a power of two from 64 to 2^24");
  }
  TOMBOLA_ASSIGN_OR_RETURN(const strings::Shape shape,
                           strings::Shape::Create({.symbols = alphabet.symbols(),
                                                   .length = wire.length(),
                                                   .step = wire.step(),
                                                   .range = static_cast<int64_t>(wire.range()),
                                                   .whole = wire.whole()}));
  TOMBOLA_ASSIGN_OR_RETURN(const strings::Spelling spelling, ReadSpelling(wire));
  if (wire.least_holders() < 1 || wire.least_holders() > kMostHolders) {
    return RefuseStrings("strings.least_holders", "between 1 and 2^40");
  }
  TOMBOLA_ASSIGN_OR_RETURN(const mechanism::StringsOptions messages, ReadMessages(wire));
  TOMBOLA_ASSIGN_OR_RETURN(auto mechanism, mechanism::Strings::Create(shape, messages));
  return std::shared_ptr<const Kind>(new StringsKind(std::move(alphabet), spelling,
                                                     static_cast<int64_t>(wire.least_holders()),
                                                     std::move(mechanism)));
}

StringsKind::StringsKind(strings::Alphabet alphabet, strings::Spelling spelling,
                         int64_t least_holders, std::shared_ptr<const mechanism::Strings> mechanism)
    : alphabet_(std::move(alphabet)),
      spelling_(spelling),
      least_holders_(least_holders),
      mechanism_(std::move(mechanism)),
      tables_({mechanism_}),
      scheme_(mechanism_) {}

double StringsKind::PredictedMse(int64_t submissions) const {
  return mechanism::EstimateVariance(mechanism_->count_model(),
                                     {.submissions = submissions, .fakes = 0}, 0);
}

}  // namespace tombola
