#include "collector/http/parameters.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "common/base/time_text.h"

namespace tombola::collector {
namespace {

std::optional<double> ParseNumber(const std::string& text) {
  double number = 0;
  if (!absl::SimpleAtod(text, &number) || !std::isfinite(number)) return std::nullopt;
  return number;
}

}  // namespace

void Parameters::Refuse(absl::string_view name, absl::string_view bound) {
  if (status_.ok()) status_ = absl::InvalidArgumentError(absl::StrCat(name, " must be ", bound));
}

std::vector<std::string> Parameters::Texts(absl::string_view name) {
  if (std::find(read_.begin(), read_.end(), name) == read_.end()) read_.emplace_back(name);
  std::vector<std::string> texts;
  for (const auto& [key, value] : query_) {
    if (key == name) texts.push_back(value);
  }
  return texts;
}

std::optional<std::string> Parameters::Text(absl::string_view name) {
  std::vector<std::string> texts = Texts(name);
  if (texts.empty()) return std::nullopt;
  if (texts.size() > 1) Refuse(name, "given once");
  return std::move(texts.front());
}

std::optional<double> Parameters::Number(absl::string_view name) {
  const std::optional<std::string> text = Text(name);
  if (!text.has_value()) return std::nullopt;
  const std::optional<double> number = ParseNumber(*text);
  if (!number.has_value()) Refuse(name, "a number");
  return number;
}

std::vector<double> Parameters::Numbers(absl::string_view name) {
  std::vector<double> numbers;
  for (const std::string& text : Texts(name)) {
    const std::optional<double> number = ParseNumber(text);
    if (!number.has_value()) Refuse(name, "a number");
    numbers.push_back(number.value_or(0));
  }
  return numbers;
}

std::optional<int64_t> Parameters::Integer(absl::string_view name, int64_t least, int64_t most) {
  const std::optional<std::string> text = Text(name);
  if (!text.has_value()) return std::nullopt;
  int64_t number = 0;
  if (!absl::SimpleAtoi(*text, &number) || number < least || number > most) {
    Refuse(name, absl::StrCat("a whole number from ", least, " to ", most));
    return std::nullopt;
  }
  return number;
}

std::optional<int64_t> Parameters::Moment(absl::string_view name) {
  const std::optional<std::string> text = Text(name);
  if (!text.has_value()) return std::nullopt;
  const std::optional<absl::Time> moment = ParseMoment(*text);
  if (!moment.has_value()) {
    Refuse(name, kMomentForm);
    return std::nullopt;
  }
  return WholeSeconds(*moment);
}

std::string Parameters::OneOf(absl::string_view name, absl::Span<const absl::string_view> choices) {
  const std::optional<std::string> text = Text(name);
  if (!text.has_value()) return std::string(choices.front());
  if (std::find(choices.begin(), choices.end(), *text) == choices.end()) {
    Refuse(name, absl::StrJoin(choices, ", "));
  }
  return *text;
}

absl::Status Parameters::Finish() {
  for (const auto& [key, value] : query_) {
    if (std::find(read_.begin(), read_.end(), key) == read_.end()) {
      return absl::InvalidArgumentError(
          read_.empty() ? absl::StrCat("unknown parameter ", key, ": there are none here")
                        : absl::StrCat("unknown parameter ", key, ": there are ",
                                       absl::StrJoin(read_, ", ")));
    }
  }
  return status_;
}

}  // namespace tombola::collector
