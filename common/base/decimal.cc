#include "common/base/decimal.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/base/check.h"

namespace tombola {
namespace {

// digits[0].digits[1]... times 10^exponent, without a sign.
struct Scientific {
  std::string digits;
  int exponent = 0;
};

// The nearest decimal of so many digits: std::to_chars rounds exactly.
Scientific Nearest(double magnitude, int digits) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof(text), magnitude,
                                 std::chars_format::scientific, digits - 1);
  TOMBOLA_CHECK(end.ec == std::errc());
  const absl::string_view written(text, static_cast<size_t>(end.ptr - text));
  const size_t e = written.find('e');
  Scientific result;
  for (const char c : written.substr(0, e)) {
    if (c != '.') result.digits.push_back(c);
  }
  result.exponent = std::atoi(std::string(written.substr(e + 1)).c_str());
  return result;
}

double ReadBack(const Scientific& decimal) {
  const std::string text = absl::StrCat(decimal.digits.substr(0, 1), ".", decimal.digits.substr(1),
                                        "e", decimal.exponent);
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc::result_out_of_range) return value;
  return decimal.exponent > 0 ? std::numeric_limits<double>::infinity() : 0;
}

// The next decimal of as many digits.
void StepAway(Scientific* decimal) {
  for (size_t i = decimal->digits.size(); i-- > 0;) {
    if (decimal->digits[i] != '9') {
      ++decimal->digits[i];
      return;
    }
    decimal->digits[i] = '0';
  }
  decimal->digits[0] = '1';
  ++decimal->exponent;
}

// The one before.
void StepToZero(Scientific* decimal) {
  if (decimal->digits.find_first_not_of('0', 1) == std::string::npos && decimal->digits[0] == '1') {
    std::fill(decimal->digits.begin(), decimal->digits.end(), '9');
    --decimal->exponent;
    return;
  }
  size_t i = decimal->digits.size() - 1;
  for (; decimal->digits[i] == '0'; --i) decimal->digits[i] = '9';
  --decimal->digits[i];
}

// As %g with as many digits.
std::string Write(Scientific decimal) {
  const int most = static_cast<int>(decimal.digits.size());
  const size_t last = decimal.digits.find_last_not_of('0');
  decimal.digits.resize(std::max<size_t>(1, last + 1));
  const int kept = static_cast<int>(decimal.digits.size());
  if (decimal.exponent < -4 || decimal.exponent >= most) {
    const int size = std::abs(decimal.exponent);
    return absl::StrCat(decimal.digits.substr(0, 1), kept > 1 ? "." : "", decimal.digits.substr(1),
                        decimal.exponent < 0 ? "e-" : "e+", size < 10 ? "0" : "", size);
  }
  if (decimal.exponent < 0) {
    return absl::StrCat("0.",
                        std::string(static_cast<size_t>(-(int64_t{decimal.exponent} + 1)), '0'),
                        decimal.digits);
  }
  const auto whole = static_cast<size_t>(decimal.exponent + 1);
  if (decimal.digits.size() <= whole) {
    return absl::StrCat(decimal.digits, std::string(whole - decimal.digits.size(), '0'));
  }
  return absl::StrCat(decimal.digits.substr(0, whole), ".", decimal.digits.substr(whole));
}

// Of a finite number above 0. The nearest decimal is less than half a step off, so one step mends
// it.
std::string Rounded(double magnitude, int digits, bool away) {
  Scientific decimal = Nearest(magnitude, digits);
  const double read = ReadBack(decimal);
  if (away && read < magnitude) StepAway(&decimal);
  if (!away && read > magnitude) StepToZero(&decimal);
  return Write(std::move(decimal));
}

std::string Towards(double value, int digits, bool up) {
  TOMBOLA_CHECK(digits >= 1 && digits <= std::numeric_limits<double>::max_digits10);
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (value == 0) return "0";
  return value > 0 ? Rounded(value, digits, up) : absl::StrCat("-", Rounded(-value, digits, !up));
}

}  // namespace

std::string RoundedUp(double value, int digits) { return Towards(value, digits, true); }

std::string RoundedDown(double value, int digits) { return Towards(value, digits, false); }

std::string PercentText(double probability, int digits) {
  TOMBOLA_CHECK(probability > 0 && probability < 1);
  const double left = 100 * (1 - probability);
  for (;; ++digits) {
    Scientific decimal = Nearest(100 * probability, digits);
    const double off = std::abs(100 - ReadBack(decimal) - left);
    if (off <= left / 100 || digits == std::numeric_limits<double>::max_digits10) {
      return Write(std::move(decimal));
    }
  }
}

}  // namespace tombola
