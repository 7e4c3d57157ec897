#include "common/accounting/blanket.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/accounting/binomial.h"
#include "common/accounting/binomial_excess.h"
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

// Rounded down, and up, by more than a few operations can lose.
constexpr double kDown = 1 - 16 * std::numeric_limits<double>::epsilon();
constexpr double kUp = 1 + 16 * std::numeric_limits<double>::epsilon();

// Of m messages b support the other value; how many support the victim's? Of the b each does with
// probability c = collision, of the rest with (1 - c)/(range - 1). Without collisions that is one
// binomial. Otherwise it is bounded, in the convex order, by one of the same mean whose probability
// is the mean one of the m messages at `last`, the largest b in question ("How it is computed",
// docs/privacy.md): its trials, not a whole number, fall linearly in b.
struct Supporters {
  double success;
  double failure;
  double trials;  // at b = 0
  double fewer;   // for each b

  static Supporters Among(int64_t m, const Blanket& blanket, int64_t last) {
    const double messages = static_cast<double>(m);
    const double range = blanket.range;
    if (blanket.collision <= 0) return {1 / (range - 1), (range - 2) / (range - 1), messages, 1};
    const double other = (1 - blanket.collision) / (range - 1);
    const double drop = std::max(0.0, (1 - range * blanket.collision) / (range - 1));
    const double share = std::min(1.0, static_cast<double>(last) / messages);
    const double success = std::max(blanket.collision, other - drop * share) * kDown;
    return {success, 1 - success, messages * other / success * kUp, drop / success * kDown};
  }
  double Trials(int64_t b) const { return trials - fewer * static_cast<double>(b); }
  // The most successes possible.
  int64_t Most(int64_t b) const { return static_cast<int64_t>(std::ceil(Trials(b))); }
};

// The divergence given m messages, b of which support the other value, grows with
// (a - Threshold(b))_+ where a are those that support the victim's.
struct Conditional {
  double growth;  // e^epsilon
  double offset;  // gamma (e^epsilon - 1) m / ((1 - gamma) range)
  Supporters supporters;

  // Rounded down: a lower threshold is a larger divergence.
  double Threshold(int64_t b) const {
    return (growth * static_cast<double>(b) + offset) *
           (1 - 8 * std::numeric_limits<double>::epsilon());
  }
  bool Reachable(int64_t b) const { return Threshold(b) < static_cast<double>(supporters.Most(b)); }
  bool Vanishes(int64_t b) const {
    if (!Reachable(b)) return true;
    const double threshold = Threshold(b);
    const Binomial law{supporters.Most(b), supporters.success, supporters.failure};
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
  double Excess(int64_t b, BinomialExcess& excess) const {
    const double trials = supporters.Trials(b);
    const double whole = std::floor(trials);
    return excess.At(static_cast<int64_t>(whole), trials - whole, Threshold(b));
  }
};

// E[(a - Threshold(b))_+] over b ~ `others`. The inner expectation falls with b, so above `top` it
// is at most its value at top + 1, and everywhere at most E[a | b = 0].
double ExpectedExcess(const Binomial& others, const Conditional& given, int64_t top) {
  BinomialExcess excess(given.supporters.success, given.supporters.failure);
  const double largest = given.supporters.trials * given.supporters.success;
  double weight = 0;
  double sum = 0;
  if (top < others.trials && given.Reachable(top + 1)) {
    const double value = given.Excess(top + 1, excess);
    sum = std::max(value, kSmallestPmf) * BinomialUpperTail(others, top + 1);
  }
  for (int64_t b = top; b >= 0; --b) {
    const int64_t step = top - b;
    weight = step % kPmfStepsPerAnchor == 0 ? BinomialPmf(others, b)
                                            : PmfOneBelow(others, b + 1, weight);
    sum += weight * given.Excess(b, excess);
    if (step % kStopCheckInterval != 0) continue;
    const double ratio = PmfOneBelow(others, b, 1.0);
    if (b == 0 || ratio >= 1) continue;
    const double rest = largest * std::max(weight, kSmallestPmf) * ratio / (1 - ratio);
    if (rest <= kNegligibleShare * sum || weight < kSmallestPmf) return sum + rest;
  }
  return sum;
}

// The hockey-stick divergence of one message: Pr[true support] - e^epsilon Pr[support], unless the
// values collide.
double LocalDelta(const Blanket& blanket, double epsilon) {
  const double local = LocalEpsilon(blanket.range, blanket.gamma);
  if (epsilon >= local) return 0;
  const double apart = 1 - blanket.collision;
  if (local > kLargestExponent) return apart;
  return apart * std::min(1.0, blanket.gamma / blanket.range * std::exp(epsilon) *
                                   std::expm1(local - epsilon));
}

double DeltaOverPlan(const Blanket& blanket, const Binomial& blankets, const BinPlan& plan,
                     double epsilon) {
  const double local = LocalDelta(blanket, epsilon);
  if (local == 0) return 0;
  double sum = 0;
  for (const MessageBin& bin : BinMessages(blankets, blanket.fakes, plan)) {
    if (bin.mass == 0) continue;
    sum += bin.mass * BlanketGivenMessages(bin.messages, blanket, epsilon);
  }
  return std::min(1.0, std::min(sum, local) * (1 + kRoundingMargin));
}

// What the fewest messages, below the window over which they are binned, add to delta.
double DeltaBelowWindow(const Blanket& blanket, const Binomial& blankets, const BinPlan& plan,
                        double epsilon) {
  if (plan.low <= 0 || blankets.trials == 0 || blankets.success <= 0) return 0;
  const double local = LocalDelta(blanket, epsilon);
  if (local == 0) return 0;
  const double sum = BinomialLowerTail(blankets, plan.low - 1) *
                     BlanketGivenMessages(blanket.fakes + 1, blanket, epsilon);
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
  if (!(blanket.collision >= 0 && blanket.collision <= 1 / blanket.range)) {
    return OutOfRange("collision", "in [0, 1/range]", blanket.collision);
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
double BlanketGivenMessages(int64_t m, const Blanket& blanket, double epsilon) {
  const double range = blanket.range;
  const double gamma = blanket.gamma;
  const double messages = static_cast<double>(m);
  const double exponent = std::min(epsilon, kLargestExponent);
  const double scale = (1 - gamma) * range / messages;
  const Binomial others{m, 1 / range, (range - 1) / range};
  const int64_t high = BinomialHighPoint(others, kTopNats);
  const Conditional given{std::exp(exponent), gamma * std::expm1(exponent) / scale,
                          Supporters::Among(m, blanket, high + 1)};
  if (!given.Reachable(0)) return 0;
  const int64_t top = given.LastVisible(high);
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

}  // namespace tombola::accounting
