#include "common/accounting/noise_law.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "common/accounting/binomial.h"
#include "common/accounting/blanket.h"
#include "common/accounting/saddle_point.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"

namespace tombola::accounting {
namespace {

constexpr double kCut = 1e-40;  // the mass that a window may leave out on each side
constexpr int64_t kNoEnd = std::numeric_limits<int64_t>::max() / 4;

// The smallest point in (bad, good] where `holds`, which is false at `bad` and true at `good`.
template <typename Predicate>
int64_t FirstHolding(int64_t bad, int64_t good, const Predicate& holds) {
  while (std::llabs(good - bad) > 1) {
    const int64_t middle = bad + (good - bad) / 2;
    (holds(middle) ? good : bad) = middle;
  }
  return good;
}

// A law says Pmf(k), Up(k) = Pmf(k + 1) / Pmf(k), which falls with k, its mean and its last point.
// Beyond k the probabilities fall at least as fast as a geometric series of the ratio at k.
template <typename Law>
double TailAbove(const Law& law, int64_t k) {
  if (k >= law.last()) return 0;
  const double ratio = law.Up(k);
  return ratio < 1 ? law.Pmf(k) * ratio / (1 - ratio) : 1;
}

template <typename Law>
double TailBelow(const Law& law, int64_t k) {
  if (k <= 0) return 0;
  const double ratio = 1 / law.Up(k - 1);
  return ratio < 1 ? law.Pmf(k) * ratio / (1 - ratio) : 1;
}

template <typename Law>
NoiseLaw Tabulate(const Law& law) {
  const auto centre = std::min(law.last(), static_cast<int64_t>(law.mean()));
  const auto enough_above = [&](int64_t k) { return TailAbove(law, k) <= kCut; };
  const auto enough_below = [&](int64_t k) { return TailBelow(law, k) <= kCut; };
  int64_t reach = 1;
  while (!enough_above(std::min(law.last(), centre + reach))) reach *= 2;
  const int64_t high = FirstHolding(centre - 1, std::min(law.last(), centre + reach), enough_above);
  const int64_t low = FirstHolding(centre + 1, 0, enough_below);
  NoiseLaw table{.low = low, .below = TailBelow(law, low), .above = TailAbove(law, high)};
  table.pmf.reserve(static_cast<size_t>(high - low + 1));
  for (int64_t k = low; k <= high; ++k) {
    const bool anchor = (k - low) % kPmfStepsPerAnchor == 0;
    table.pmf.push_back(anchor ? law.Pmf(k) : table.pmf.back() * law.Up(k - 1));
  }
  return table;
}

struct PoissonLaw {
  double lambda;

  double mean() const { return lambda; }
  int64_t last() const { return kNoEnd; }
  double Up(int64_t k) const { return lambda / static_cast<double>(k + 1); }
  double Pmf(int64_t k) const {
    if (k == 0) return std::exp(-lambda);
    const double x = static_cast<double>(k);
    return std::exp(-StirlingError(x) - Deviance(x, 1, lambda)) / std::sqrt(2 * M_PI * x);
  }
};

struct BinomialLaw {
  Binomial law;

  double mean() const { return law.mean(); }
  int64_t last() const { return law.trials; }
  double Up(int64_t k) const { return PmfOneAbove(law, k, 1); }
  double Pmf(int64_t k) const { return BinomialPmf(law, k); }
};

struct NegativeBinomialLaw {
  double shape, success;

  double mean() const { return shape * success / (1 - success); }
  int64_t last() const { return kNoEnd; }
  double Up(int64_t k) const {
    const double x = static_cast<double>(k);
    return (x + shape) / (x + 1) * success;
  }
  // shape/n times the binomial probability of `shape` failures in n = shape + k trials, which the
  // saddle-point form gives for a real number of trials as well.
  double Pmf(int64_t k) const {
    if (k == 0) return std::exp(shape * std::log1p(-success));
    const double x = static_cast<double>(k);
    const double n = x + shape;
    const double exponent = StirlingError(n) - StirlingError(x) - StirlingError(shape) -
                            Deviance(x, n, success) - Deviance(shape, n, 1 - success);
    return shape / n * std::exp(exponent) * std::sqrt(n / (2 * M_PI * x * shape));
  }
};

absl::Status CheckWidth(double variance) {
  if (std::sqrt(variance) <= kLargestDeviation) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the noise's standard deviation must be at most ",
                                                 kLargestDeviation, ", is ", std::sqrt(variance)));
}

absl::Status CheckOpenUnit(absl::string_view field, double value) {
  if (value > 0 && value < 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(field, " must be in (0, 1), is ", value));
}

}  // namespace

absl::StatusOr<NoiseLaw> PoissonNoise(double mean) {
  if (!(mean > 0)) {
    return absl::InvalidArgumentError(absl::StrCat("mean must be greater than 0, is ", mean));
  }
  TOMBOLA_RETURN_IF_ERROR(CheckWidth(mean));
  return Tabulate(PoissonLaw{mean});
}

absl::StatusOr<NoiseLaw> BinomialNoise(int64_t trials, double success) {
  if (trials < 1 || trials > kLargestBatch) {
    return absl::InvalidArgumentError(absl::StrCat("trials must be in [1, 2^40], is ", trials));
  }
  TOMBOLA_RETURN_IF_ERROR(CheckOpenUnit("success", success));
  const BinomialLaw law{{trials, success, 1 - success}};
  TOMBOLA_RETURN_IF_ERROR(CheckWidth(law.law.variance()));
  return Tabulate(law);
}

absl::StatusOr<NoiseLaw> NegativeBinomialNoise(double shape, double success) {
  if (!(shape >= 1) || !std::isfinite(shape)) {
    return absl::InvalidArgumentError(
        absl::StrCat("shape must be finite and at least 1, is ", shape));
  }
  TOMBOLA_RETURN_IF_ERROR(CheckOpenUnit("success", success));
  const NegativeBinomialLaw law{shape, success};
  TOMBOLA_RETURN_IF_ERROR(CheckWidth(law.mean() / (1 - success)));
  return Tabulate(law);
}

// H(k) = q H(k - 1) + (1 - q) Pr[X = k].
NoiseLaw PlusGeometric(const NoiseLaw& law, double rate) {
  TOMBOLA_CHECK(rate >= 1 / kLargestDeviation);
  const double keep = std::exp(-rate);
  const double drop = -std::expm1(-rate);
  NoiseLaw sum{.low = law.low, .below = law.below, .above = law.above};
  double last = 0;
  for (const double p : law.pmf) sum.pmf.push_back(last = keep * last + drop * p);
  while (last * keep / drop > kCut) sum.pmf.push_back(last *= keep);
  sum.above += last * keep / drop;
  return sum;
}

}  // namespace tombola::accounting
