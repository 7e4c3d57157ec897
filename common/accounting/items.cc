#include "common/accounting/items.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/accounting/binomial.h"
#include "common/accounting/blanket.h"
#include "common/accounting/correlated.h"
#include "common/accounting/crossing.h"
#include "common/accounting/gaussian.h"
#include "common/accounting/loss_grid.h"
#include "common/accounting/product.h"
#include "common/accounting/saddle_point.h"
#include "common/accounting/two_bucket.h"
#include "common/base/status_macros.h"

namespace tombola::accounting {
namespace {

constexpr double kChargeShare = 1e-3;  // of delta, for thinning the crowd
constexpr double kFirstCharge = 1e-12;
constexpr int kCharges = 4;
constexpr double kSameCharge = 0.3;
constexpr double kRoundUp = 1 + 1e-9;
constexpr double kPointsInDeviation = 32;
constexpr int kHalvings = 100;

// At least Pr[X > x] of a Poisson law of a mean below x.
double PoissonAbove(double mean, int64_t x) {
  const double k = static_cast<double>(x + 1);
  const double pmf = std::exp(-StirlingError(k) - Deviance(k, 1, mean)) / std::sqrt(2 * M_PI * k);
  return pmf / (1 - mean / (k + 1)) * kRoundUp;
}

// At least Pr[X <= x] of a law with a mean above x >= 0: the probabilities below x fall at least as
// fast as the first two.
double BinomialBelow(const Binomial& law, int64_t x) {
  const double pmf = BinomialPmf(law, x);
  return (x == 0 ? pmf : pmf / (1 - PmfOneBelow(law, x, 1))) * kRoundUp;
}

// A point below which, itself included, lies at most `tail`, and hardly any larger one does; -1 if
// none is seen to.
int64_t LowPoint(const Binomial& law, double tail) {
  int64_t good = -1;
  auto bad = static_cast<int64_t>(law.mean());
  while (bad - good > 1) {
    const int64_t middle = good + (bad - good) / 2;
    (BinomialBelow(law, middle) <= tail ? good : bad) = middle;
  }
  return good;
}

// The largest mean, to 1e-12, whose Poisson law exceeds x with probability `tail` at most.
double ThinnedMean(int64_t x, double tail) {
  double low = 0;
  double high = static_cast<double>(x);
  for (int i = 0; i < kHalvings && high - low > 1e-12 * high; ++i) {
    const double middle = (low + high) / 2;
    (PoissonAbove(middle, x) <= tail ? low : high) = middle;
  }
  return low;
}

// One report: uniform, which says nothing, with probability gamma; else it is one cell gained and
// another lost.
LossLaw OneResponse(const NoiseLaw& law, double gamma) {
  const LossPart gained{Gained(law), 1};
  const LossPart lost{Lost(law), 1};
  const double step = std::sqrt(gained.law.spread + lost.law.spread) / kPointsInDeviation;
  LossLaw one{.unit = step};  // on a grid already, which no finer one makes better
  one.atoms.push_back({0, gamma});
  if (!(step > 0)) {
    one.infinite = 1 - gamma;
    return one;
  }
  const GridLaw a = OnGrid(gained, step);
  const GridLaw b = OnGrid(lost, step);
  std::vector<double> sum(a.mass.size() + b.mass.size() - 1);
  for (size_t i = 0; i < a.mass.size(); ++i) {
    if (a.mass[i] == 0) continue;
    for (size_t j = 0; j < b.mass.size(); ++j) sum[i + j] += a.mass[i] * b.mass[j];
  }
  for (size_t i = 0; i < sum.size(); ++i) {
    if (sum[i] == 0) continue;
    const auto index = static_cast<double>(a.first + b.first + static_cast<int64_t>(i));
    one.atoms.push_back({step * index, (1 - gamma) * sum[i]});
  }
  one.infinite = (1 - gamma) * (a.infinite + b.infinite);
  return one;
}

absl::Status SpendOnOne(const NoiseLaw& law, Work* work) {
  return work == nullptr ? absl::OkStatus()
                         : work->SpendOfAll(static_cast<int64_t>(law.pmf.size()));
}

absl::Status Validate(const Responses& responses) {
  const auto refuse = [](absl::string_view field, absl::string_view bound) {
    return absl::InvalidArgumentError(absl::StrCat(field, " must be ", bound));
  };
  if (responses.sent < 2 || responses.held < responses.sent ||
      responses.held % responses.sent != 0) {
    return refuse("sent", "at least 2 and divide held");
  }
  if (responses.cells < 2 * responses.held) return refuse("cells", "at least twice held");
  if (responses.honest < 1 || responses.honest > kLargestBatch / responses.sent) {
    return refuse("honest", "at least 1, and at most 2^40 reports");
  }
  if (!(responses.gamma > 0 && responses.gamma < 1)) return refuse("gamma", "in (0, 1)");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<double> CellsDelta(const NoiseLaw& law, int64_t cells, double epsilon,
                                  int64_t units) {
  if (cells == 1 && units == 1) return TwoBucketDelta(law, epsilon);
  TOMBOLA_RETURN_IF_ERROR(ValidateEpsilon(epsilon));
  return ProductDelta(SeveralCells(law, cells, units), epsilon);
}

absl::StatusOr<double> CoarseCellsDelta(const NoiseLaw& law, int64_t cells, double epsilon,
                                        Work* work, int64_t units) {
  if (cells == 1 && units == 1) {
    TOMBOLA_RETURN_IF_ERROR(SpendOnOne(law, work));
    return TwoBucketDelta(law, epsilon);
  }
  TOMBOLA_RETURN_IF_ERROR(ValidateEpsilon(epsilon));
  return CoarseProductDelta(SeveralCells(law, cells, units), epsilon, work);
}

absl::StatusOr<double> CellsEpsilon(const NoiseLaw& law, int64_t cells, double delta,
                                    int64_t units) {
  return cells == 1 && units == 1 ? TwoBucketEpsilon(law, delta)
                                  : ProductEpsilon(SeveralCells(law, cells, units), delta);
}

absl::StatusOr<double> CorrelatedCellsDelta(const NoiseLaw& lesser, double noise_epsilon,
                                            int64_t cells, double epsilon) {
  if (cells == 1) return CorrelatedDelta(lesser, noise_epsilon, epsilon);
  TOMBOLA_RETURN_IF_ERROR(ValidateEpsilon(epsilon));
  return ProductDelta(SeveralCorrelatedCells(lesser, noise_epsilon, cells), epsilon);
}

absl::StatusOr<double> CoarseCorrelatedCellsDelta(const NoiseLaw& lesser, double noise_epsilon,
                                                  int64_t cells, double epsilon, Work* work) {
  if (cells == 1) {
    TOMBOLA_RETURN_IF_ERROR(SpendOnOne(lesser, work));
    return CorrelatedDelta(lesser, noise_epsilon, epsilon);
  }
  TOMBOLA_RETURN_IF_ERROR(ValidateEpsilon(epsilon));
  return CoarseProductDelta(SeveralCorrelatedCells(lesser, noise_epsilon, cells), epsilon, work);
}

absl::StatusOr<NoiseLaw> SampledPoisson(double mean, int64_t held, int64_t sent) {
  const double group = mean * static_cast<double>(held) / static_cast<double>(sent);
  return PoissonNoise(std::min(group, kLargestPoissonMean));
}

// More dummies only help, so a part of too many is accounted for: then all levels together have no
// more atoms than one level may have.
absl::StatusOr<std::vector<LossPart>> CellOnEachLevel(absl::Span<const double> means) {
  const auto levels = static_cast<int64_t>(means.size());
  if (levels < 1 || levels > kMostNoiseLevels) {
    return absl::InvalidArgumentError(
        absl::StrCat("levels must be in [1, ", kMostNoiseLevels, "], are ", levels));
  }
  const double most = kLargestPoissonMean / static_cast<double>(levels * levels);
  std::vector<LossPart> parts;
  for (const double mean : means) {
    TOMBOLA_ASSIGN_OR_RETURN(const NoiseLaw law, PoissonNoise(std::min(mean, most)));
    for (LossPart& part : SeveralCells(law, 1)) parts.push_back(std::move(part));
  }
  return parts;
}

absl::StatusOr<SubmissionLoss> ResponsesLoss(const Responses& responses, double charge) {
  TOMBOLA_RETURN_IF_ERROR(Validate(responses));
  const Binomial crowd{(responses.honest - 1) * responses.sent, responses.gamma,
                       1 - responses.gamma};
  const int64_t fewest = LowPoint(crowd, charge / 2);
  const double thinned = fewest < 1 ? 0 : ThinnedMean(fewest, charge / 2);
  if (!(thinned > 0)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "too few uniform reports are sure to come from ", responses.honest, " honest submissions"));
  }
  const double mean = thinned / static_cast<double>(responses.cells);
  TOMBOLA_ASSIGN_OR_RETURN(const NoiseLaw law,
                           SampledPoisson(mean, responses.held, responses.sent));
  return SubmissionLoss{.parts = {{OneResponse(law, responses.gamma), responses.sent}},
                        .charge = charge};
}

// The first charge may be too small for a crowd, or too large for a small delta; the product that
// goes with it tells which is better.
absl::StatusOr<double> ResponsesDelta(const Responses& responses, double epsilon) {
  TOMBOLA_RETURN_IF_ERROR(ValidateEpsilon(epsilon));
  double best = 1;
  double charge = kFirstCharge;
  for (int i = 0; i < kCharges; ++i) {
    double product = 1;
    const absl::StatusOr<SubmissionLoss> loss = ResponsesLoss(responses, charge);
    if (loss.ok()) {
      TOMBOLA_ASSIGN_OR_RETURN(product, ProductDelta(loss->parts, epsilon));
      best = std::min(best, product + loss->charge);
    } else if (!absl::IsFailedPrecondition(loss.status())) {
      return loss.status();
    }
    const double last = charge;
    charge = std::max(1e-300, kChargeShare * product);
    if (std::abs(charge - last) <= kSameCharge * last) break;
  }
  return best;
}

absl::StatusOr<double> CoarseResponsesDelta(const Responses& responses, double epsilon,
                                            double delta, Work* work) {
  TOMBOLA_RETURN_IF_ERROR(ValidateEpsilon(epsilon));
  const absl::StatusOr<SubmissionLoss> loss = ResponsesLoss(responses, kChargeShare * delta);
  if (absl::IsFailedPrecondition(loss.status())) return 1;
  TOMBOLA_RETURN_IF_ERROR(loss.status());
  TOMBOLA_ASSIGN_OR_RETURN(const double product, CoarseProductDelta(loss->parts, epsilon, work));
  return std::min(1.0, product + loss->charge);
}

absl::StatusOr<double> ResponsesEpsilon(const Responses& responses, double delta) {
  TOMBOLA_RETURN_IF_ERROR(ValidateDelta(delta));
  TOMBOLA_ASSIGN_OR_RETURN(const SubmissionLoss loss,
                           ResponsesLoss(responses, kChargeShare * delta));
  return EpsilonOver(loss, 1, delta);
}

absl::StatusOr<int64_t> SmallestResponsesHonest(const Responses& responses, double epsilon,
                                                double delta) {
  TOMBOLA_ASSIGN_OR_RETURN(const double theta, GaussianTheta(epsilon, delta));
  const double cells = static_cast<double>(responses.cells);
  const double guess = 2 * cells / (theta * theta * responses.gamma);
  absl::Status failure;
  GridRange range{.good_end = kLargestBatch / responses.sent, .bad_end = 1};
  range.start = static_cast<int64_t>(std::clamp(guess, 2.0, static_cast<double>(range.good_end)));
  range.step = std::max<int64_t>(1, range.start / 20);
  const std::optional<int64_t> found = FindCrossing(
      [&](int64_t honest) {
        Responses at = responses;
        at.honest = honest;
        const absl::StatusOr<double> value = ResponsesDelta(at, epsilon);
        if (!value.ok()) {
          failure = value.status();
          return std::numeric_limits<double>::infinity();
        }
        return std::log(*value / delta);
      },
      range);
  TOMBOLA_RETURN_IF_ERROR(failure);
  if (found.has_value()) return *found;
  return absl::FailedPreconditionError(
      absl::StrCat("no batch of up to 2^40 reports meets epsilon ", epsilon, ", delta ", delta));
}

}  // namespace tombola::accounting
