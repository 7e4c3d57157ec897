#include "common/kind/number_text.h"

#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace tombola {
namespace {

// False where there is no finite number. An empty text leaves what is there.
bool ParseEnd(absl::string_view text, double* end) {
  return text.empty() || (absl::SimpleAtod(text, end) && std::isfinite(*end));
}

}  // namespace

absl::StatusOr<v1::NumberRange> ParseNumberRange(absl::string_view text, const Bins& bins) {
  double low = bins.low(), high = bins.high();
  const size_t dots = text.find("..");
  // Of three dots nobody can say whether the last is a point.
  if (dots == absl::string_view::npos || text.size() == 2 ||
      absl::StartsWith(text.substr(dots), "...") || !ParseEnd(text.substr(0, dots), &low) ||
      !ParseEnd(text.substr(dots + 2), &high)) {
    return absl::InvalidArgumentError(
        absl::StrCat("must be two numbers in [", bins.low(), ", ", bins.high(),
                     "] with two dots between, such as 2..5, of which one may be left out"));
  }
  v1::NumberRange range;
  range.set_low(low);
  range.set_high(high);
  return range;
}

absl::StatusOr<std::vector<double>> ParseFractions(absl::string_view text) {
  std::vector<double> fractions;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    double fraction = 0;
    if (!absl::SimpleAtod(part, &fraction) || !(fraction >= 0 && fraction <= 1)) {
      return absl::InvalidArgumentError(
          "must be numbers in [0, 1] between commas, such as 0.1,0.5");
    }
    fractions.push_back(fraction);
  }
  return fractions;
}

}  // namespace tombola
