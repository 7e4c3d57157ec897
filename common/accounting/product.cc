#include "common/accounting/product.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/accounting/epsilon_search.h"
#include "common/accounting/fourier.h"
#include "common/accounting/loss_grid.h"
#include "common/base/status_macros.h"

namespace tombola::accounting {
namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon() / 2;
constexpr double kRoundingMargin = 1e-9;
constexpr double kRoundingOfOneUse = 1e-13;
constexpr double kTolerance = 2e-3;  // by which a finer grid may still change delta
constexpr double kReach = 9;         // standard deviations on each side of epsilon
constexpr double kTailShare = 1e-9;  // of delta, beyond the window
constexpr int64_t kMostWindow = int64_t{1} << 22;
constexpr int kMostHalvings = 8;
constexpr double kHopeless = 0.999;  // of delta: then it is called 1

// Where the sum is looked at: `points` grid points from `first` on, in steps.
struct Window {
  int64_t first = 0;
  size_t points = 0;
};

absl::Status Validate(absl::Span<const LossPart> parts, double epsilon) {
  if (!(epsilon >= 0) || !std::isfinite(epsilon)) {
    return absl::InvalidArgumentError(
        absl::StrCat("epsilon must be finite and at least 0, is ", epsilon));
  }
  int64_t uses = 0;
  for (const LossPart& part : parts) {
    if (part.uses < 1 || part.uses > kMostProductUses) {
      return absl::InvalidArgumentError(absl::StrCat("uses must be in [1, 2^20], is ", part.uses));
    }
    uses += part.uses;
  }
  if (uses < 1 || uses > kMostProductUses) {
    return absl::InvalidArgumentError(
        absl::StrCat("the uses of all parts together must be in [1, 2^20], are ", uses));
  }
  return absl::OkStatus();
}

// At least what is infinite of all parts together, before anything is put on a grid.
double InfiniteOf(absl::Span<const LossPart> parts) {
  double log_finite = 0;
  for (const LossPart& part : parts) {
    log_finite += static_cast<double>(part.uses) * std::log1p(-std::min(1.0, part.law.infinite));
  }
  return -std::expm1(log_finite);
}

// ln of Chernoff's bound on Pr[sum >= x].
double LogTail(const LossSum& sum, double x) {
  const double t = sum.Tilt(x);
  return sum.At(t).log_mgf - t * x;
}

Window WindowAround(const LossSum& sum, double epsilon, double deviation, double log_scale) {
  const double step = sum.step();
  double above = std::max(step, kReach * deviation);
  while (LogTail(sum, epsilon + above) > log_scale + std::log(kTailShare)) {
    above *= 1.3;
    if (above / step > static_cast<double>(kMostWindow)) break;
  }
  const auto index = static_cast<int64_t>(std::floor(epsilon / step));
  const double below = std::min(std::ceil(kReach * deviation / step) + 4, 0x1p20);
  Window window{.first = index - static_cast<int64_t>(below)};
  const double wanted = below + above / step + 8;
  window.points = std::bit_ceil(
      static_cast<size_t>(std::clamp(wanted, 16.0, static_cast<double>(kMostWindow))));
  return window;
}

size_t Wrapped(int64_t index, size_t points) {
  return static_cast<size_t>(index) & (points - 1);  // a power of two: also right below 0
}

// One use of the law, tilted to a mass of 1 and folded into the window's number of points.
ComplexPoints Tilted(const GridLaw& law, double step, double tilt, double log_mgf, size_t points) {
  ComplexPoints folded{std::vector<double>(points), std::vector<double>(points)};
  for (size_t i = 0; i < law.mass.size(); ++i) {
    if (law.mass[i] == 0) continue;
    const int64_t at = law.first + static_cast<int64_t>(i);
    folded.real[Wrapped(at, points)] +=
        law.mass[i] * std::exp(tilt * step * static_cast<double>(at) - log_mgf);
  }
  return folded;
}

double Norm(const std::vector<double>& values) {
  double squares = 0;
  for (const double value : values) squares += value * value;
  return std::sqrt(squares);
}

// The tilted law of the sum in the window, and a bound on its error in the 2-norm.
struct TiltedSum {
  std::vector<double> mass;  // at index i modulo the number of points
  double error = 0;
};

// The transforms of laws have absolute values of at most 1, so errors of factors add up. A power is
// taken by at most twice as many products as it has uses, each off by less than 3 units.
TiltedSum Convolve(const LossSum& sum, double tilt, const Window& window) {
  const Fourier fourier(window.points);
  const double relative = fourier.RelativeError();
  const double multiplied = 16 * kUnit * static_cast<double>(sum.uses());
  ComplexPoints product{std::vector<double>(window.points, 1), std::vector<double>(window.points)};
  double error = multiplied;
  for (const GridLaw& law : sum.laws()) {
    const double log_mgf = LossSum::LogMgf(law, sum.step(), tilt);
    ComplexPoints one = Tilted(law, sum.step(), tilt, log_mgf, window.points);
    error += static_cast<double>(law.uses) * relative * Norm(one.real);
    fourier.Forward(&one);
    MultiplyByPower(one, law.uses, &product);
  }
  fourier.Inverse(&product);
  for (double& value : product.real) value = std::max(value, 0.0);
  error += (relative + multiplied) * Norm(product.real);
  return {.mass = std::move(product.real), .error = 2 * error};
}

// delta = infinite + E[(1 - e^(epsilon - sum))_+], the latter as M(T) e^(-T epsilon) E_T[g(sum)]
// under the law tilted by T, g(s) = e^(-T(s - epsilon)) (1 - e^(epsilon - s)).
double DeltaOf(const LossSum& sum, double epsilon) {
  const double step = sum.step();
  const auto index = static_cast<int64_t>(std::floor(std::min(epsilon / step, 0x1p62)));
  if (sum.nothing_finite()) return std::min(1.0, sum.infinite() * (1 + kRoundingMargin));
  const double margin = 1 + kRoundingMargin + kRoundingOfOneUse * static_cast<double>(sum.uses());
  if (sum.most() < index) return std::min(1.0, sum.infinite() * margin);
  const double tilt = sum.Tilt(epsilon);
  const Cumulant tilted = sum.At(tilt);
  const double log_scale = tilted.log_mgf - tilt * epsilon;
  const Window window = WindowAround(sum, epsilon, std::sqrt(tilted.variance), log_scale);
  const TiltedSum law = Convolve(sum, tilt, window);
  double expected = 0;
  double squares = 0;
  const int64_t end = window.first + static_cast<int64_t>(window.points);
  for (int64_t at = std::max(window.first, index); at < end; ++at) {
    const double loss = static_cast<double>(at) * step;
    // Rounded up: near epsilon the difference cancels.
    const double beyond = loss - epsilon + 4 * kUnit * (std::abs(loss) + epsilon);
    if (beyond <= 0) continue;
    const double value = -std::expm1(-beyond) * std::exp(-tilt * (loss - epsilon));
    expected += law.mass[Wrapped(at, window.points)] * value;
    squares += value * value;
  }
  const double tail = std::exp(LogTail(sum, static_cast<double>(end) * step));
  const double inside = std::exp(log_scale) * (expected + std::sqrt(squares) * law.error);
  return std::min(1.0, (inside + tail + sum.infinite()) * margin);
}

// Splitting adds about step^2/6 to the variance of each use, so delta grows by about
// ln(1/delta) uses step^2 / (6 variance): the step at which that is the tolerance, ln(1/delta)
// being guessed from the normal law. Whole fractions of the smallest unit.
double FirstStep(absl::Span<const LossPart> parts, double epsilon) {
  double variance = 0;
  double mean = 0;
  double uses = 0;
  double unit = std::numeric_limits<double>::infinity();
  double farthest = 0;
  for (const LossPart& part : parts) {
    const double count = static_cast<double>(part.uses);
    uses += count;
    variance += count * part.law.spread;
    for (const LossAtom& atom : part.law.atoms) {
      mean += count * atom.mass * atom.loss;
      farthest = std::max(farthest, std::abs(atom.loss));
    }
    if (part.law.unit > 0) unit = std::min(unit, part.law.unit);
  }
  if (!(variance > 0)) return std::isfinite(unit) ? unit : std::max(epsilon, 1.0) / 64;
  const double distance = std::max(0.0, epsilon - mean);
  const double nats = std::min(100.0, 2 + distance * distance / (2 * variance));
  // No finer than that halving it a few times still counts the largest loss exactly.
  const double step =
      std::max(std::sqrt(6 * kTolerance * variance / (uses * nats)), farthest * 0x1p-30);
  return std::isfinite(unit) ? unit / std::ceil(unit / step) : step;
}

// About what a look on a grid takes: the atoms, and as many points of the grid as they are spread
// over, which is more than the window has.
int64_t PointsOf(absl::Span<const LossPart> parts, double step) {
  double points = 0;
  for (const LossPart& part : parts) {
    double farthest = 0;
    for (const LossAtom& atom : part.law.atoms) {
      farthest = std::max(farthest, std::abs(atom.loss));
    }
    points += static_cast<double>(part.law.atoms.size()) +
              std::min(2 * farthest / step, static_cast<double>(kMostWindow));
  }
  return static_cast<int64_t>(points);
}

absl::Status SpendOn(absl::Span<const LossPart> parts, double step, Work* work) {
  return work == nullptr ? absl::OkStatus() : work->Spend(PointsOf(parts, step));
}

}  // namespace

absl::StatusOr<double> ProductDeltaOnGrid(absl::Span<const LossPart> parts, double step,
                                          double epsilon) {
  TOMBOLA_RETURN_IF_ERROR(Validate(parts, epsilon));
  if (!(step > 0) || !std::isfinite(step)) {
    return absl::InvalidArgumentError(
        absl::StrCat("step must be finite and greater than 0, is ", step));
  }
  if (InfiniteOf(parts) > kHopeless) return 1;
  return DeltaOf(LossSum(parts, step), epsilon);
}

absl::StatusOr<double> CoarseProductDelta(absl::Span<const LossPart> parts, double epsilon,
                                          Work* work) {
  TOMBOLA_RETURN_IF_ERROR(Validate(parts, epsilon));
  if (InfiniteOf(parts) > kHopeless) return 1;
  const double step = FirstStep(parts, epsilon);
  TOMBOLA_RETURN_IF_ERROR(SpendOn(parts, step, work));
  return DeltaOf(LossSum(parts, step), epsilon);
}

absl::StatusOr<double> ProductDelta(absl::Span<const LossPart> parts, double epsilon, Work* work) {
  TOMBOLA_RETURN_IF_ERROR(Validate(parts, epsilon));
  if (InfiniteOf(parts) > kHopeless) return 1;
  double step = FirstStep(parts, epsilon);
  TOMBOLA_RETURN_IF_ERROR(SpendOn(parts, step, work));
  double delta = DeltaOf(LossSum(parts, step), epsilon);
  for (int i = 0; i < kMostHalvings; ++i) {
    const double before = delta;
    step /= 2;
    TOMBOLA_RETURN_IF_ERROR(SpendOn(parts, step, work));
    delta = std::min(delta, DeltaOf(LossSum(parts, step), epsilon));
    if (delta >= before * (1 - kTolerance)) break;
  }
  return delta;
}

absl::StatusOr<double> ProductEpsilon(absl::Span<const LossPart> parts, double delta,
                                      ExtraDelta extra, Work* work) {
  TOMBOLA_RETURN_IF_ERROR(Validate(parts, 0));
  if (InfiniteOf(parts) > delta) {
    return absl::FailedPreconditionError(
        absl::StrCat("no epsilon meets delta ", delta, ": what tells everything has a larger one"));
  }
  // A guess of epsilon for the first step: the mean and so many standard deviations.
  double mean = 0;
  double variance = 0;
  for (const LossPart& part : parts) {
    for (const LossAtom& atom : part.law.atoms) {
      mean += static_cast<double>(part.uses) * atom.mass * atom.loss;
      variance += static_cast<double>(part.uses) * atom.mass * atom.loss * atom.loss;
    }
  }
  const double nats = std::log(1 / std::clamp(delta, 1e-300, 0.5));
  double step = FirstStep(parts, std::max(0.0, mean) + std::sqrt(2 * nats * variance));
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= kMostHalvings; ++i) {
    const LossSum sum(parts, step);
    TOMBOLA_ASSIGN_OR_RETURN(const double found,
                             SmallestEpsilon(
                                 [&](double at) -> absl::StatusOr<double> {
                                   TOMBOLA_RETURN_IF_ERROR(SpendOn(parts, step, work));
                                   return DeltaOf(sum, at) + extra(at);
                                 },
                                 delta));
    best = std::min(best, found);
    TOMBOLA_RETURN_IF_ERROR(SpendOn(parts, step / 2, work));
    const double finer = DeltaOf(LossSum(parts, step / 2), best) + extra(best);
    if (finer >= delta * (1 - kTolerance)) break;
    step /= 2;
  }
  return best;
}

}  // namespace tombola::accounting
