#include "common/stream/design.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/accounting/gaussian.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/random/discrete_noise.h"
#include "common/stream/chain_sum.h"

namespace tombola::stream {
namespace {

// Shares are of double precision and at most some hundred roundings off: lowered by this, rates of
// the nodes over a period sum to at most the whole.
constexpr double kRoundingOfShares = 0x1p-44;
// Lower rates would be too coarse.
constexpr uint64_t kLeastRate = uint64_t{1} << 10;
// Of delta, for that the noise is discrete. The expectation of (1 - e^(epsilon - loss))_+ is a sum
// over a lattice in place of an integral. By Poisson's summation only its kink tells the two apart,
// whose slope is theta: with s deviations to the kink by at most a share s (s + theta) / (12
// variance), the variance in steps, which is below this for every delta from 1e-300 on.
constexpr double kDiscrete = 1e-5;
constexpr double kLeastVariance = 0x1p24;
constexpr int kBltBuffers = 5;
constexpr int64_t kLargestLastWeight = int64_t{1} << 31;
// Steps of a BLT's grid are this power of two below the sensitivity.
constexpr int kBltGrid = 20;
constexpr double kVarianceOfRounding = 1.0 / 12;

struct Named {
  Method method;
  absl::string_view name;
};
constexpr std::array<Named, 6> kNames = {{{Method::kPlain, "plain"},
                                          {Method::kFenwick, "fenwick"},
                                          {Method::kBest, "best"},
                                          {Method::kKAry, "k_ary"},
                                          {Method::kSquareRoot, "square_root"},
                                          {Method::kBlt, "blt"}}};

absl::Status Validate(const Question& question) {
  if (!(question.epsilon > 0 && question.epsilon <= kLargestEpsilon)) {
    return absl::InvalidArgumentError(
        absl::StrCat("epsilon must be in (0, ", kLargestEpsilon, "], is ", question.epsilon));
  }
  if (!(question.delta >= 0 && question.delta < 1)) {
    return absl::InvalidArgumentError(absl::StrCat("delta must be in [0, 1), is ", question.delta));
  }
  if (question.periods < 1 || question.periods > kMostPeriods) {
    return absl::InvalidArgumentError(
        absl::StrCat("periods must be in [1, 2^20], is ", question.periods));
  }
  if (question.sensitivity < 1 || question.sensitivity > kLargestSensitivity) {
    return absl::InvalidArgumentError(
        absl::StrCat("sensitivity must be in [1, 2^31], is ", question.sensitivity));
  }
  if (question.intervals < 1 || question.intervals > kMostPeriods) {
    return absl::InvalidArgumentError(
        absl::StrCat("intervals must be in [1, 2^20], is ", question.intervals));
  }
  if (question.last_weight < 1 || question.last_weight > kLargestLastWeight) {
    return absl::InvalidArgumentError(
        absl::StrCat("last_weight must be in [1, 2^31], is ", question.last_weight));
  }
  return absl::OkStatus();
}

// The mean of the variances with the last one as often as it counts, in units of the mean.
double WeightedMean(const Design& design) {
  return design.mean_variance + static_cast<double>(design.last_weight - 1) /
                                    static_cast<double>(design.periods) * design.last_variance;
}

// What a record may change in all, as far as the noise knows.
double ShiftOf(const Question& question) {
  return static_cast<double>(question.sensitivity) * static_cast<double>(question.intervals);
}

uint64_t UnitsOf(double rate) {
  return static_cast<uint64_t>(rate * (1 - kRoundingOfShares) * static_cast<double>(kRateUnits));
}

absl::Status CheckRate(uint64_t units) {
  if (units >= kLeastRate) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "epsilon is too small for such a sensitivity, so many intervals and periods: the noise would "
      "be too large to draw");
}

struct Variances {
  double sum = 0, max = 0, last = 0;
  void Add(double variance) {
    sum += variance;
    max = std::max(max, variance);
    last = variance;
  }
  void Store(Design* design) const {
    design->mean_variance = sum / static_cast<double>(design->periods);
    design->max_variance = max;
    design->last_variance = last;
  }
};

double VarianceOfUnits(uint64_t units) {
  return DiscreteLaplaceVariance(static_cast<double>(units) / static_cast<double>(kRateUnits));
}

absl::Status MakeTree(Design* design) {
  absl::StatusOr<Structure> structure =
      design->method == Method::kPlain     ? Structure::Plain(design->periods)
      : design->method == Method::kFenwick ? Structure::Fenwick(design->periods)
                                           : Structure::Best(design->periods, Norm::kL1);
  TOMBOLA_RETURN_IF_ERROR(structure.status());
  design->structure = *std::move(structure);
  const NodeRates rates(*design);
  ChainSum<double> chain(*design->structure);
  Variances variances;
  uint64_t before = 0;
  double own = 0;
  for (int64_t t = 1; t <= design->periods; ++t) {
    const uint64_t units = rates.Of(t);
    TOMBOLA_RETURN_IF_ERROR(CheckRate(units));
    if (units != before) own = VarianceOfUnits(units);
    before = units;
    variances.Add(chain.Next(own));
  }
  variances.Store(design);
  return absl::OkStatus();
}

absl::Status MakeKAry(Design* design) {
  design->k_ary = BestKAry(design->periods);
  std::vector<double> of_level;
  for (const double share : LevelShares(design->k_ary, design->periods)) {
    design->level_rates.push_back(UnitsOf(share * design->rate));
    TOMBOLA_RETURN_IF_ERROR(CheckRate(design->level_rates.back()));
    of_level.push_back(VarianceOfUnits(design->level_rates.back()));
  }
  Variances variances;
  for (int64_t t = 1; t <= design->periods; ++t) {
    double variance = 0;
    for (int level = 0; level < design->k_ary.h; ++level) {
      variance += of_level[static_cast<size_t>(level)] *
                  static_cast<double>(std::abs(DigitOf(design->k_ary, t, level)));
    }
    variances.Add(variance);
  }
  variances.Store(design);
  return absl::OkStatus();
}

// The noise that hides a shift of this 2-norm, in steps.
absl::Status SetNoise(const Question& question, double squared_shift, Design* design) {
  TOMBOLA_ASSIGN_OR_RETURN(
      const double theta,
      accounting::GaussianTheta(question.epsilon, question.delta * (1 - kDiscrete)));
  const double variance = std::ceil(squared_shift / (theta * theta) * (1 + 1e-12));
  if (!(variance <= static_cast<double>(kLargestGaussianVariance))) {
    return absl::InvalidArgumentError(absl::StrCat(
        "sensitivity times intervals is too large for structure ", NameOf(design->method),
        ": the noise would be too large to draw; count in larger units"));
  }
  if (variance < kLeastVariance) {
    return absl::InvalidArgumentError(absl::StrCat("epsilon must be smaller for structure ",
                                                   NameOf(design->method),
                                                   ", which is for noise that is not tiny"));
  }
  design->noise_variance = static_cast<uint64_t>(variance);
  design->delta = question.delta;
  return absl::OkStatus();
}

double VarianceOfNoise(const Design& design) {
  return std::ldexp(static_cast<double>(design.noise_variance), -2 * design.grid_bits);
}

absl::Status MakeSquareRoot(const Question& question, Design* design) {
  design->grid_bits = kSquareRootBits;
  design->column = SquareRootColumn(design->periods);
  double squares = 0;
  for (const int64_t c : design->column) {
    squares += static_cast<double>(c) * static_cast<double>(c);
  }
  const double shift = ShiftOf(question);
  TOMBOLA_RETURN_IF_ERROR(SetNoise(question, squares * shift * shift, design));
  Variances variances;
  double so_far = 0;
  for (const double b : TotalsColumn(design->column)) {
    so_far += b * b;
    variances.Add(VarianceOfNoise(*design) * so_far + kVarianceOfRounding);
  }
  variances.Store(design);
  return absl::OkStatus();
}

// A record of `sensitivity` changes what is released in the k-th period after it by at most
// sensitivity c_k, and by less than a step and a half more, because what the buffers say is rounded
// to the grid (their own rounding is below 2^-20 of a step times 1/(1 - theta)). In `intervals`
// periods, by the triangle inequality, by so many times that in the 2-norm.
absl::Status MakeBlt(const Question& question, Design* design) {
  design->blt = SearchBlt(design->periods, kBltBuffers);
  const auto sensitivity = static_cast<double>(question.sensitivity);
  design->grid_bits = std::max(0, kBltGrid - std::ilogb(sensitivity));
  const double unit = std::ldexp(sensitivity, design->grid_bits);  // in steps
  double buffers_rounding = 0;
  for (size_t i = 0; i < design->blt.theta.size(); ++i) {
    buffers_rounding += std::ldexp(design->blt.omega[i], design->grid_bits - kBltFraction) /
                        (1 - design->blt.theta[i]);
  }
  TOMBOLA_CHECK(buffers_rounding < 0.5);
  const double slack = 1.5 / unit;
  const double shift = unit * static_cast<double>(question.intervals);
  const double squares = SquaredColumn(design->blt, design->periods, slack) * (1 + 1e-9);
  TOMBOLA_RETURN_IF_ERROR(SetNoise(question, squares * shift * shift, design));
  Variances variances;
  BltWalk walk(TotalsOf(design->blt));
  double so_far = 0;
  for (int64_t t = 1; t <= design->periods; ++t) {
    const double b = walk.Next();
    so_far += b * b;
    variances.Add(VarianceOfNoise(*design) * so_far + kVarianceOfRounding);
  }
  variances.Store(design);
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const Design>> MakeWith(Method method, const Question& question) {
  if (question.periods > MostPeriods(method)) {
    return absl::InvalidArgumentError(absl::StrCat("periods must be at most ", MostPeriods(method),
                                                   " for structure ", NameOf(method), ", is ",
                                                   question.periods));
  }
  if (IsGaussian(method) && question.delta == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("delta must be above 0 for structure ", NameOf(method)));
  }
  if (method == Method::kKAry && question.adaptive) {
    return absl::InvalidArgumentError(
        "structure k_ary is for streams that are fixed in advance: not where increments may react "
        "to "
        "totals");
  }
  auto design = std::make_shared<Design>();
  design->method = method;
  design->periods = question.periods;
  design->epsilon = question.epsilon;
  design->last_weight = question.last_weight;
  design->rate = question.epsilon / ShiftOf(question);
  switch (method) {
    case Method::kPlain:
    case Method::kFenwick:
    case Method::kBest:
      TOMBOLA_RETURN_IF_ERROR(MakeTree(design.get()));
      break;
    case Method::kKAry:
      TOMBOLA_RETURN_IF_ERROR(MakeKAry(design.get()));
      break;
    case Method::kSquareRoot:
      TOMBOLA_RETURN_IF_ERROR(MakeSquareRoot(question, design.get()));
      break;
    case Method::kBlt:
      TOMBOLA_RETURN_IF_ERROR(MakeBlt(question, design.get()));
      break;
  }
  return design;
}

}  // namespace

absl::string_view NameOf(Method method) {
  for (const Named& named : kNames) {
    if (named.method == method) return named.name;
  }
  return "";
}

bool IsGaussian(Method method) { return method == Method::kSquareRoot || method == Method::kBlt; }

int64_t MostPeriods(Method method) {
  if (method == Method::kBest) return kMostSearchedPeriods;
  if (method == Method::kSquareRoot) return kMostSquareRootPeriods;
  return kMostPeriods;
}

// Laplace noise hides half the shift twice as well, in epsilon; Gaussian noise in theta.
double EpsilonOfPart(const Design& design, int64_t parts) {
  const auto part = static_cast<double>(parts);
  if (!IsGaussian(design.method)) return design.epsilon / part;
  const double delta = design.delta * (1 - kDiscrete);
  const absl::StatusOr<double> theta = accounting::GaussianTheta(design.epsilon, delta);
  TOMBOLA_CHECK(theta.ok());
  // 0 would say that nothing shows, which is true but for delta.
  return std::min(design.epsilon,
                  accounting::GaussianEpsilon(*theta / part, delta) * (1 + 1e-9) + 1e-12);
}

absl::StatusOr<std::shared_ptr<const Design>> MakeDesign(const Question& question) {
  TOMBOLA_RETURN_IF_ERROR(Validate(question));
  if (question.method.has_value()) return MakeWith(*question.method, question);
  std::shared_ptr<const Design> best;
  absl::Status refused = absl::InternalError("no method was tried");
  for (const Method method : kMethods) {
    // The square root is matched by what takes less memory.
    if (method == Method::kSquareRoot || question.periods > MostPeriods(method) ||
        (IsGaussian(method) && question.delta == 0) ||
        (method == Method::kKAry && question.adaptive)) {
      continue;
    }
    auto design = MakeWith(method, question);
    if (!design.ok()) {
      refused = design.status();
    } else if (best == nullptr ||
               WeightedMean(**design) < WeightedMean(*best) * (1 - kRoundingOfShares)) {
      best = *std::move(design);
    }
  }
  if (best == nullptr) return refused;
  return best;
}

NodeRates::NodeRates(const Design& design) : design_(design) {
  TOMBOLA_CHECK(design.structure.has_value());
  const auto last_weight = static_cast<double>(design.last_weight);
  if (design.method == Method::kFenwick) {
    fenwick_.emplace(design.periods, Norm::kL1, last_weight);
  }
  if (design.method == Method::kBest) {
    std::vector<double> weights(static_cast<size_t>(design.periods), 1);
    weights.back() = last_weight;
    listed_ = SharesOf(*design.structure, Norm::kL1, weights);
  }
}

uint64_t NodeRates::Of(int64_t node) const {
  const double share = fenwick_.has_value()      ? fenwick_->Of(node)
                       : listed_.of_node.empty() ? 1
                                                 : listed_.of_node[static_cast<size_t>(node - 1)];
  return UnitsOf(share * design_.rate);
}

}  // namespace tombola::stream
