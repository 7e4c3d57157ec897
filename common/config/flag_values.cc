#include "common/config/flag_values.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tombola::config {
namespace {

bool IsDecimal(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), absl::ascii_isdigit) &&
         (text[0] != '0' || text.size() == 1);
}

// Empty: it is one.
template <typename Number>
std::string WhyNot(const std::string& text) {
  Number number = 0;
  if (!IsDecimal(text)) {
    return absl::StrCat("must be a whole number in decimal digits, is \"", text, "\"");
  }
  return absl::SimpleAtoi(text, &number) ? "" : absl::StrCat(text, " is too large");
}

}  // namespace

CLI::Validator NotEmpty() {
  return CLI::Validator(
      [](const std::string& text) { return text.empty() ? "must not be empty" : std::string(); },
      "", "not_empty");
}

CLI::Validator AboveZero(double most) {
  const std::string bound = std::isinf(most) ? "" : absl::StrCat(" and at most ", most);
  return CLI::Validator(
      [most, bound](const std::string& text) {
        double number = 0;
        const bool taken = absl::SimpleAtod(text, &number) && number > 0 && number <= most;
        return taken ? std::string() : absl::StrCat("must be a number above 0", bound);
      },
      "", "above_zero");
}

void TakeWholeNumbersOnly(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    const std::string type = option->get_type_name();
    // A narrower type is CLI11's to check.
    if (absl::StartsWith(type, "INT")) option->check(WhyNot<int64_t>);
    if (absl::StartsWith(type, "UINT")) option->check(WhyNot<uint64_t>);
  }
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    TakeWholeNumbersOnly(*command);
  }
}

void TakeNoEmptyText(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (absl::StartsWith(option->get_type_name(), "TEXT")) option->check(NotEmpty());
  }
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    TakeNoEmptyText(*command);
  }
}

}  // namespace tombola::config
