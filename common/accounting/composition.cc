#include "common/accounting/composition.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "common/accounting/binomial.h"
#include "common/accounting/blanket.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"

namespace tombola::accounting {
namespace {

constexpr int64_t kMostUses = int64_t{1} << 20;
constexpr double kRoundingMargin = 1e-11;
constexpr double kNegligibleTerm = 1e-18;
constexpr int kHalvings = 60;

absl::Status ValidateUses(const EpsilonDelta& single, int64_t uses) {
  TOMBOLA_RETURN_IF_ERROR(ValidateEpsilon(single.epsilon));
  if (!(single.delta >= 0 && single.delta < 1)) {
    return absl::InvalidArgumentError(absl::StrCat("delta must be in [0, 1), is ", single.delta));
  }
  if (uses < 1 || uses > kMostUses) {
    return absl::InvalidArgumentError(absl::StrCat("uses must be in [1, 2^20], is ", uses));
  }
  return absl::OkStatus();
}

// E[(1 - e^{e - (2X - uses) single})_+], rounded up: the divergence of `uses` randomised responses
// of the budget `single`.
double ResponsesDelta(double single, int64_t uses, double epsilon) {
  const double odds = std::exp(-single);
  const Binomial truths{uses, 1 / (1 + odds), odds / (1 + odds)};
  const auto loss = [&](int64_t x) { return static_cast<double>(2 * x - uses) * single; };
  const double at = (epsilon / single + static_cast<double>(uses)) / 2;
  const auto first = std::clamp<int64_t>(static_cast<int64_t>(std::floor(at)) - 1, 0, uses);
  double pmf = 0;
  double sum = 0;
  for (int64_t x = first; x <= uses; ++x) {
    const bool anchor = (x - first) % kPmfStepsPerAnchor == 0 || pmf < kLeastSteppedPmf;
    pmf = anchor ? BinomialPmf(truths, x) : PmfOneAbove(truths, x - 1, pmf);
    sum += pmf * std::max(0.0, -std::expm1(epsilon - loss(x)));
    if (static_cast<double>(x) <= truths.mean() || pmf > kNegligibleTerm * sum) continue;
    sum += BinomialUpperTail(truths, x + 1);
    break;
  }
  return std::min(1.0, sum * (1 + kRoundingMargin));
}

}  // namespace

double Times(int64_t count, double number) {
  if (count == 1) return number;
  return std::nextafter(static_cast<double>(count) * number,
                        std::numeric_limits<double>::infinity());
}

EpsilonDelta GroupPrivacy(const EpsilonDelta& single, int64_t k) {
  TOMBOLA_CHECK(k >= 1 && single.epsilon > 0);
  if (k == 1) return single;
  const double times = static_cast<double>(k);
  const double factor = std::expm1(times * single.epsilon) / std::expm1(single.epsilon);
  // The factor's rounding must not make the statement better than the truth.
  const double delta = single.delta * factor * (1 + 1e-12);
  return {.epsilon = times * single.epsilon, .delta = std::min(1.0, delta)};
}

absl::StatusOr<double> ComposedEpsilon(const EpsilonDelta& single, int64_t uses,
                                       double total_delta) {
  TOMBOLA_RETURN_IF_ERROR(ValidateUses(single, uses));
  if (!(total_delta >= 0 && total_delta < 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("total_delta must be in [0, 1), is ", total_delta));
  }
  const double times = static_cast<double>(uses);
  // What is left for the responses: 1 - (1 - total_delta) / (1 - delta)^uses.
  const double left = -std::expm1(std::log1p(-total_delta) - times * std::log1p(-single.delta));
  if (left < 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("total_delta must be at least 1 - (1 - delta)^uses = ",
                     -std::expm1(times * std::log1p(-single.delta)), ", is ", total_delta));
  }
  // The difference above is good to a few units of its terms, not of itself.
  const double spare = std::max(0.0, left - 1e-15 * total_delta) * (1 - kRoundingMargin);
  const auto meets = [&](double epsilon) {
    return ResponsesDelta(single.epsilon, uses, epsilon) <= spare;
  };
  if (meets(0)) return 0.0;
  double low = 0;
  double high = times * single.epsilon;  // where the responses' divergence is 0
  for (int i = 0; i < kHalvings && high - low > 1e-10 * high; ++i) {
    const double middle = (low + high) / 2;
    (meets(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace tombola::accounting
