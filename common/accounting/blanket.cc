#include "common/accounting/blanket.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/accounting/binomial.h"
#include "common/accounting/binomial_excess.h"
#include "common/accounting/delta_or_enough.h"
#include "common/accounting/message_bins.h"
#include "common/base/status_macros.h"

namespace tombola::accounting {
namespace {

constexpr double kRoundingMargin = 1e-9;
// e^epsilon stays finite; delta falls with epsilon, so a smaller one is safe.
constexpr double kLargestExponent = 700;
constexpr double kTopNats = 28;  // above lies at most 1e-12 of the divergence
constexpr double kNegligibleShare = 1e-12;
constexpr double kSmallestPmf = 1e-250;
constexpr double kMostBelowWindow = 1e-30;  // of the mass of m (message_bins.h)
constexpr int64_t kStopCheckInterval = 16;

// Given m messages of which b support the other value, the victim's value is supported by
// a ~ Bin(m - b, 1/(range - 1)), and the divergence grows with (a - Threshold(b))_+.
struct Conditional {
  double growth;      // e^epsilon
  double offset;      // gamma (e^epsilon - 1) m / ((1 - gamma) range)
  Binomial supports;  // at b = 0

  // Rounded down: a lower threshold is a larger divergence.
  double Threshold(int64_t b) const {
    return (growth * static_cast<double>(b) + offset) *
           (1 - 8 * std::numeric_limits<double>::epsilon());
  }
  bool Reachable(int64_t b) const {
    return Threshold(b) < static_cast<double>(supports.trials - b);
  }
  bool Vanishes(int64_t b) const {
    if (!Reachable(b)) return true;
    const double threshold = Threshold(b);
    Binomial law = supports;
    law.trials -= b;
    if (threshold < law.mean() || law.failure <= 0) return false;
    return BinomialPmf(law, static_cast<int64_t>(threshold) + 1) < kSmallestPmf;
  }
  // The largest b in [0, top] that does not vanish, -1 if all do.
  int64_t LastVisible(int64_t top) const {
    if (!Vanishes(top)) return top;
    int64_t visible = -1;
    while (top - visible > 1) {
      const int64_t middle = visible + (top - visible) / 2;
      (Vanishes(middle) ? top : visible) = middle;
    }
    return visible;
  }
};

// E[(a - Threshold(b))_+] over b ~ `others`. The inner expectation falls with b, so above `top` it
// is at most its value at top + 1, and everywhere at most E[a | b = 0].
double ExpectedExcess(const Binomial& others, const Conditional& given, int64_t top) {
  BinomialExcess excess(given.supports.success, given.supports.failure);
  const double largest = given.supports.mean();
  double weight = 0;
  double sum = 0;
  if (given.Reachable(top + 1)) {
    const double value = excess.At(others.trials - top - 1, given.Threshold(top + 1));
    sum = std::max(value, kSmallestPmf) * BinomialUpperTail(others, top + 1);
  }
  for (int64_t b = top; b >= 0; --b) {
    const int64_t step = top - b;
    weight = step % kPmfStepsPerAnchor == 0 ? BinomialPmf(others, b)
                                            : PmfOneBelow(others, b + 1, weight);
    sum += weight * excess.At(others.trials - b, given.Threshold(b));
    if (step % kStopCheckInterval != 0) continue;
    const double ratio = PmfOneBelow(others, b, 1.0);
    if (b == 0 || ratio >= 1) continue;
    const double rest = largest * std::max(weight, kSmallestPmf) * ratio / (1 - ratio);
    if (rest <= kNegligibleShare * sum || weight < kSmallestPmf) return sum + rest;
  }
  return sum;
}

// The hockey-stick divergence of one message: Pr[true support] - e^epsilon Pr[support].
double LocalDelta(double range, double gamma, double epsilon) {
  const double local = LocalEpsilon(range, gamma);
  if (epsilon >= local) return 0;
  if (local > kLargestExponent) return 1;
  return std::min(1.0, gamma / range * std::exp(epsilon) * std::expm1(local - epsilon));
}

double DeltaOverPlan(const Blanket& blanket, const Binomial& blankets, const BinPlan& plan,
                     double epsilon) {
  const double local = LocalDelta(blanket.range, blanket.gamma, epsilon);
  if (local == 0) return 0;
  double sum = 0;
  for (const MessageBin& bin : BinMessages(blankets, blanket.fakes, plan)) {
    if (bin.mass == 0) continue;
    sum += bin.mass * BlanketGivenMessages(bin.messages, blanket.range, blanket.gamma, epsilon);
  }
  return std::min(1.0, std::min(sum, local) * (1 + kRoundingMargin));
}

// What the fewest messages, below the window over which they are binned, add to delta.
double DeltaBelowWindow(const Blanket& blanket, const Binomial& blankets, const BinPlan& plan,
                        double epsilon) {
  if (plan.low <= 0 || blankets.trials == 0 || blankets.success <= 0) return 0;
  const double local = LocalDelta(blanket.range, blanket.gamma, epsilon);
  if (local == 0) return 0;
  const double sum = BinomialLowerTail(blankets, plan.low - 1) *
                     BlanketGivenMessages(blanket.fakes + 1, blanket.range, blanket.gamma, epsilon);
  return std::min(sum, local);
}

Binomial OtherBlankets(const Blanket& blanket) {
  return {blanket.honest - 1, blanket.gamma, 1 - blanket.gamma};
}

absl::Status OutOfRange(absl::string_view field, absl::string_view bound, double value) {
  return absl::InvalidArgumentError(absl::StrCat(field, " must be ", bound, ", is ", value));
}

}  // namespace

absl::Status Validate(const Blanket& blanket) {
  const double honest = static_cast<double>(blanket.honest);
  const double fakes = static_cast<double>(blanket.fakes);
  if (blanket.honest < 1 || blanket.honest > kLargestBatch) {
    return OutOfRange("honest", "in [1, 2^40]", honest);
  }
  if (!(blanket.range >= 2) || !std::isfinite(blanket.range)) {
    return OutOfRange("range", "finite and at least 2", blanket.range);
  }
  if (!(blanket.gamma >= 0 && blanket.gamma < 1)) {
    return OutOfRange("gamma", "in [0, 1)", blanket.gamma);
  }
  if (blanket.fakes < 0 || blanket.fakes > kLargestBatch) {
    return OutOfRange("fakes", "in [0, 2^40]", fakes);
  }
  return absl::OkStatus();
}

absl::Status ValidateEpsilon(double epsilon) {
  if (epsilon > 0 && std::isfinite(epsilon)) return absl::OkStatus();
  return OutOfRange("epsilon", "finite and greater than 0", epsilon);
}

absl::Status ValidateDelta(double delta) {
  if (delta > 0 && delta < 1) return absl::OkStatus();
  return OutOfRange("delta", "in (0, 1)", delta);
}

double GammaOf(double range, double kappa) {
  const double nearest = range / (range + kappa);
  return std::min(std::nextafter(std::nextafter(nearest, 1), 1), std::nextafter(1, 0));
}

double LocalEpsilon(double range, double gamma) {
  const double exact = std::log1p(range * (1 - gamma) / gamma);
  return exact * (1 + 4 * std::numeric_limits<double>::epsilon());
}

// With c = (1 - gamma) range / m the expression in the header is c E[(a - Threshold(b))_+]; the sum
// over b of the binomial weight times the excess of a given b has positive terms only, unlike the
// size-biased form of docs/privacy.md, to which it is equal.
double BlanketGivenMessages(int64_t m, double range, double gamma, double epsilon) {
  const double messages = static_cast<double>(m);
  const double exponent = std::min(epsilon, kLargestExponent);
  const double scale = (1 - gamma) * range / messages;
  const Binomial others{m, 1 / range, (range - 1) / range};
  const Conditional given{std::exp(exponent), gamma * std::expm1(exponent) / scale,
                          Binomial{m, 1 / (range - 1), (range - 2) / (range - 1)}};
  if (!given.Reachable(0)) return 0;
  const int64_t top = given.LastVisible(BinomialHighPoint(others, kTopNats));
  if (top < 0) return std::min(1.0, scale * messages * messages * kSmallestPmf);
  return std::min(1.0, scale * ExpectedExcess(others, given, top));
}

absl::StatusOr<double> Delta(const Blanket& blanket, double epsilon) {
  TOMBOLA_RETURN_IF_ERROR(Validate(blanket));
  TOMBOLA_RETURN_IF_ERROR(ValidateEpsilon(epsilon));
  const Binomial blankets = OtherBlankets(blanket);
  return DeltaOverPlan(blanket, blankets, PlanFineBins(blankets, blanket.fakes), epsilon);
}

absl::StatusOr<double> DeltaOrEnough(const Blanket& blanket, double epsilon, double enough) {
  if (enough >= kMostBelowWindow) return Delta(blanket, epsilon);
  TOMBOLA_RETURN_IF_ERROR(Validate(blanket));
  TOMBOLA_RETURN_IF_ERROR(ValidateEpsilon(epsilon));
  const Binomial blankets = OtherBlankets(blanket);
  const BinPlan plan = PlanFineBins(blankets, blanket.fakes);
  const double part = DeltaBelowWindow(blanket, blankets, plan, epsilon);
  return part > enough ? part : DeltaOverPlan(blanket, blankets, plan, epsilon);
}

absl::StatusOr<double> DeltaWithBins(const Blanket& blanket, double epsilon, int bins) {
  TOMBOLA_RETURN_IF_ERROR(Validate(blanket));
  TOMBOLA_RETURN_IF_ERROR(ValidateEpsilon(epsilon));
  if (bins < 1) return OutOfRange("bins", "at least 1", bins);
  const Binomial blankets = OtherBlankets(blanket);
  return DeltaOverPlan(blanket, blankets, PlanBins(blankets, bins), epsilon);
}

}  // namespace tombola::accounting
