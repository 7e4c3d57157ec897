#include "common/accounting/noise_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "common/accounting/blanket.h"
#include "common/accounting/composition.h"
#include "common/accounting/crossing.h"
#include "common/accounting/gaussian.h"
#include "common/accounting/product.h"
#include "common/accounting/two_bucket.h"
#include "common/base/status_macros.h"

namespace tombola::accounting {
namespace {

// Grids in the logarithm: one cell is cheap to look at, several are not.
constexpr double kNoiseGrid = 5e-8;
constexpr double kSeveralNoiseGrid = 5e-5;
constexpr double kShapeGrid = 5e-6;
constexpr double kSeveralShapeGrid = 5e-4;
constexpr double kResponseGrid = 5e-5;
// Of delta, left to the accountant that looks at what was found: it charges a little differently.
constexpr double kResponseMargin = 2e-4;
constexpr double kSmallestMean = 1e-3;
constexpr double kLargestCoin = 0.5;
constexpr double kGuessError = 0.05;
constexpr double kFloodStep = 0.5;  // of the first grid, in ln(1 - flood)
constexpr double kSmallestFloodStep = 0.02;

// What is searched: amount(index) = most * e^(index * grid) for index <= 0.
struct Amounts {
  double most;
  double least;
  double guess;
  double grid;
};

absl::StatusOr<double> SmallestAmount(
    const Amounts& amounts, double delta,
    absl::FunctionRef<absl::StatusOr<double>(double)> delta_with) {
  const auto amount_of = [&](int64_t index) {
    return amounts.most * std::exp(static_cast<double>(index) * amounts.grid);
  };
  const auto index_of = [&](double amount) {
    return static_cast<int64_t>(std::ceil(std::log(amount / amounts.most) / amounts.grid));
  };
  absl::Status failure;
  GridRange range{.good_end = 0, .bad_end = index_of(amounts.least)};
  range.start = index_of(std::clamp(amounts.guess, amounts.least, amounts.most));
  range.step = static_cast<int64_t>(kGuessError / amounts.grid);
  const std::optional<int64_t> found = FindCrossing(
      [&](int64_t index) {
        const absl::StatusOr<double> value = delta_with(amount_of(index));
        if (!value.ok()) {
          failure = value.status();
          return std::numeric_limits<double>::infinity();
        }
        return std::log(*value / delta);
      },
      range);
  TOMBOLA_RETURN_IF_ERROR(failure);
  if (found.has_value()) return amount_of(*found);
  return absl::FailedPreconditionError(
      absl::StrCat("no noise that is accounted for meets delta ", delta));
}

// In the central limit the counts are normal with the noise's variance, and GDP with theta^2 =
// 2 cells units^2 / variance.
double VarianceInTheLimit(double theta, int64_t cells, int64_t units = 1) {
  const double moved = static_cast<double>(units) / theta;
  return 2 * static_cast<double>(cells) * moved * moved;
}

absl::Status ValidateCells(int64_t cells, int64_t units = 1) {
  if (cells < 1 || cells > kMostProductUses / 2) {
    return absl::InvalidArgumentError(absl::StrCat("cells must be in [1, 2^19], is ", cells));
  }
  if (units >= 1 && units <= kMostUnits) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("units must be in [1, ", kMostUnits, "], is ", units));
}

// A target for noise of one noise_epsilon, all of it valid.
struct FloodSearch {
  double noise_epsilon, epsilon, delta;
  int64_t cells;
  Work* work;

  // The smallest shape that needs, given a bound, no more than that; without one, around a guess.
  // FailedPrecondition if the bound does not meet the target.
  absl::StatusOr<double> ShapeBelow(double flood, std::optional<double> bound) const;
};

absl::StatusOr<double> FloodSearch::ShapeBelow(double flood, std::optional<double> bound) const {
  const double variance_of_one = flood / ((1 - flood) * (1 - flood));
  const double most = kLargestDeviation * kLargestDeviation / variance_of_one * (1 - 1e-9);
  if (most < 1) {
    return absl::InvalidArgumentError(absl::StrCat("flood is too close to 1: ", flood));
  }
  // About as many lower-tail nats as delta has, at the speed at which the flood's ratio leaves 1.
  const double guess = std::log(1 / delta) / std::max(1.0, variance_of_one * (1 - flood)) + 10;
  const Amounts amounts{.most = std::min(most, bound.value_or(most)),
                        .least = 1,
                        .guess = bound.value_or(guess),
                        .grid = cells == 1 ? kShapeGrid : kSeveralShapeGrid};
  return SmallestAmount(amounts, delta, [&](double shape) -> absl::StatusOr<double> {
    TOMBOLA_ASSIGN_OR_RETURN(const NoiseLaw lesser,
                             LesserCount({noise_epsilon, std::max(1.0, shape), flood}));
    return CoarseCorrelatedCellsDelta(lesser, noise_epsilon, cells, epsilon, work);
  });
}

}  // namespace

absl::StatusOr<double> SmallestPoissonMean(double epsilon, double delta, int64_t cells, Work* work,
                                           int64_t units) {
  TOMBOLA_RETURN_IF_ERROR(ValidateCells(cells, units));
  TOMBOLA_ASSIGN_OR_RETURN(const double theta, GaussianTheta(epsilon, delta));
  const double limit = VarianceInTheLimit(theta, cells, units);
  const Amounts amounts{.most = kLargestDeviation * kLargestDeviation,
                        .least = kSmallestMean,
                        .guess = std::max(limit, std::log(1 / delta)),
                        .grid = cells * units == 1 ? kNoiseGrid : kSeveralNoiseGrid};
  return SmallestAmount(amounts, delta, [&](double mean) -> absl::StatusOr<double> {
    TOMBOLA_ASSIGN_OR_RETURN(const NoiseLaw law, PoissonNoise(mean));
    return CoarseCellsDelta(law, cells, epsilon, work, units);
  });
}

// In the central limit theta^2 is the sum of what the levels have.
absl::StatusOr<double> SmallestPoissonScale(absl::Span<const double> shape, double epsilon,
                                            double delta, Work* work) {
  TOMBOLA_RETURN_IF_ERROR(CellOnEachLevel(shape).status());
  TOMBOLA_ASSIGN_OR_RETURN(const double theta, GaussianTheta(epsilon, delta));
  const auto [least, most] = std::minmax_element(shape.begin(), shape.end());
  double variance = 0;
  for (const double mean : shape) variance += VarianceInTheLimit(theta, 1) / mean;
  const auto levels = static_cast<double>(shape.size());
  const Amounts amounts{.most = kLargestPoissonMean / (levels * levels) / *most,
                        .least = kSmallestMean / *most,
                        .guess = std::max(variance, std::log(1 / delta) / *least),
                        .grid = kSeveralNoiseGrid};
  return SmallestAmount(amounts, delta, [&](double scale) -> absl::StatusOr<double> {
    std::vector<double> means(shape.begin(), shape.end());
    for (double& mean : means) mean *= scale;
    TOMBOLA_ASSIGN_OR_RETURN(const std::vector<LossPart> parts, CellOnEachLevel(means));
    return CoarseProductDelta(parts, epsilon, work);
  });
}

absl::StatusOr<double> SmallestCoin(int64_t honest, double epsilon, double delta, int64_t cells,
                                    Work* work, int64_t units) {
  TOMBOLA_RETURN_IF_ERROR(ValidateCells(cells, units));
  if (honest < 1 || honest > kLargestBatch) {
    return absl::InvalidArgumentError(absl::StrCat("honest must be in [1, 2^40], is ", honest));
  }
  TOMBOLA_ASSIGN_OR_RETURN(const double theta, GaussianTheta(epsilon, delta));
  const double n = static_cast<double>(honest);
  const double most = std::min(kLargestCoin, kLargestDeviation * kLargestDeviation / n);
  const Amounts amounts{.most = most,
                        .least = std::min(most, kSmallestMean / n),
                        .guess = VarianceInTheLimit(theta, cells, units) / n,
                        .grid = cells * units == 1 ? kNoiseGrid : kSeveralNoiseGrid};
  return SmallestAmount(amounts, delta, [&](double gamma) -> absl::StatusOr<double> {
    TOMBOLA_ASSIGN_OR_RETURN(const NoiseLaw law, BinomialNoise(honest, gamma));
    return CoarseCellsDelta(law, cells, epsilon, work, units);
  });
}

absl::StatusOr<double> SmallestShape(double noise_epsilon, double flood, double epsilon,
                                     double delta, int64_t cells, Work* work) {
  TOMBOLA_RETURN_IF_ERROR(ValidateCells(cells));
  TOMBOLA_RETURN_IF_ERROR(Validate(CorrelatedNoise{noise_epsilon, 1, flood}));
  TOMBOLA_RETURN_IF_ERROR(ValidateEpsilon(epsilon));
  TOMBOLA_RETURN_IF_ERROR(ValidateDelta(delta));
  return FloodSearch{noise_epsilon, epsilon, delta, cells, work}.ShapeBelow(flood, std::nullopt);
}

absl::StatusOr<CorrelatedNoise> SmallestFlood(double noise_epsilon, double epsilon, double delta,
                                              int64_t cells, Work* work) {
  TOMBOLA_RETURN_IF_ERROR(ValidateEpsilon(epsilon));
  TOMBOLA_RETURN_IF_ERROR(ValidateDelta(delta));
  TOMBOLA_ASSIGN_OR_RETURN(const double limit,
                           cells == 1 ? epsilon / 2 : LargestNoiseEpsilon(epsilon, delta, cells));
  if (!(noise_epsilon < limit)) {
    return absl::InvalidArgumentError(
        absl::StrCat("noise_epsilon must be below ", limit, ", is ", noise_epsilon));
  }
  TOMBOLA_RETURN_IF_ERROR(Validate(CorrelatedNoise{noise_epsilon, 1, 0.5}));
  const FloodSearch search{noise_epsilon, epsilon, delta, cells, work};
  std::optional<CorrelatedNoise> best;
  absl::Status exhausted;
  // One look tells whether a success probability needs fewer messages than the best so far.
  const auto consider = [&](double log_rest) {
    const double flood = -std::expm1(log_rest);
    std::optional<double> bound;
    if (best.has_value()) {
      bound = best->shape * best->flood / (1 - best->flood) * (1 - flood) / flood;
      if (*bound <= 1) return;
    }
    const absl::StatusOr<double> shape = search.ShapeBelow(flood, bound);
    if (absl::IsResourceExhausted(shape.status())) exhausted = shape.status();
    if (shape.ok()) best = CorrelatedNoise{noise_epsilon, *shape, flood};
  };
  // The best flood's 1 - flood is a little above what noise_epsilon leaves of its limit.
  const double centre = std::log(std::min(0.5, limit - noise_epsilon));
  // With several cells every look is a convolution, and the best was never seen further away.
  const int below = cells == 1 ? 3 : 1;
  const int above = cells == 1 ? 5 : 2;
  for (int i = -below; i <= above; ++i) {
    const double x = centre + i * kFloodStep;
    if (x <= -0.1) consider(x);
  }
  TOMBOLA_RETURN_IF_ERROR(exhausted);
  if (!best.has_value()) {
    return absl::FailedPreconditionError(
        absl::StrCat("no flood meets epsilon ", epsilon, " with noise_epsilon ", noise_epsilon));
  }
  for (double step = kFloodStep / 2; step > kSmallestFloodStep; step /= 2) {
    const double x = std::log1p(-best->flood);
    consider(x - step);
    consider(std::min(-0.01, x + step));
  }
  TOMBOLA_RETURN_IF_ERROR(exhausted);
  return *best;
}

absl::StatusOr<double> LargestNoiseEpsilon(double epsilon, double delta, int64_t cells) {
  TOMBOLA_RETURN_IF_ERROR(ValidateCells(cells));
  TOMBOLA_RETURN_IF_ERROR(ValidateEpsilon(epsilon));
  TOMBOLA_RETURN_IF_ERROR(ValidateDelta(delta));
  // Without a loss that is infinite two at 0 cost nothing, and 2 cells of epsilon / (2 cells) meet
  // every delta.
  double low = epsilon / (2 * static_cast<double>(cells));
  double high = epsilon;
  for (int i = 0; i < 60 && high - low > 1e-10 * high; ++i) {
    const double middle = (low + high) / 2;
    TOMBOLA_ASSIGN_OR_RETURN(const double composed, ComposedEpsilon({middle, 0}, 2 * cells, delta));
    (composed <= epsilon ? low : high) = middle;
  }
  return low;
}

// gamma / (1 - gamma) is searched. At least one report says its cell with probability sent
// (1 - gamma), and then hides among the uniform reports of all, if every one is: where that alone
// takes delta, it is the better guess.
absl::StatusOr<double> SmallestResponse(const Responses& responses, double epsilon, double delta,
                                        Work* work) {
  TOMBOLA_ASSIGN_OR_RETURN(const double theta, GaussianTheta(epsilon, delta));
  const double sent = static_cast<double>(responses.sent);
  const double held = static_cast<double>(responses.held);
  const double crowd =
      static_cast<double>(responses.honest) * held / static_cast<double>(responses.cells);
  TOMBOLA_ASSIGN_OR_RETURN(const NoiseLaw law, PoissonNoise(std::min(crowd, kLargestPoissonMean)));
  TOMBOLA_ASSIGN_OR_RETURN(const double alone, TwoBucketDelta(law, epsilon));
  const Amounts amounts{
      .most = 1e9,
      .least = 1e-12,
      .guess = std::max(VarianceInTheLimit(theta, responses.sent) / crowd, sent * alone / delta),
      .grid = kResponseGrid};
  const auto gamma_of = [](double odds) { return odds / (1 + odds); };
  TOMBOLA_ASSIGN_OR_RETURN(const double odds,
                           SmallestAmount(amounts, delta * (1 - kResponseMargin), [&](double at) {
                             Responses with = responses;
                             with.gamma = gamma_of(at);
                             return CoarseResponsesDelta(with, epsilon, delta, work);
                           }));
  return gamma_of(odds);
}

}  // namespace tombola::accounting
