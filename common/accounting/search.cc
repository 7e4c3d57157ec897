#include "common/accounting/search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/accounting/blanket.h"
#include "common/accounting/crossing.h"
#include "common/accounting/gaussian.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"

namespace tombola::accounting {
namespace {

constexpr double kEpsilonGrid = 5e-7;  // in ln epsilon
constexpr double kKappaGrid = 5e-6;    // in ln kappa
constexpr double kLargestEpsilon = 700;
constexpr double kGuessError = 0.02;  // relative, of the Gaussian limit as a guess

// ln(Delta / target), or less where Delta is so far above the target that a search learns no more
// from the exact one; the arguments are valid.
double LogExcess(const Blanket& blanket, double epsilon, double target) {
  constexpr double kFar = 1e6;
  const absl::StatusOr<double> delta = DeltaOrEnough(blanket, epsilon, kFar * target);
  TOMBOLA_CHECK(delta.ok());
  return std::log(*delta / target);
}

// In the central limit the log-likelihood ratio of D_m is normal, and the batch is GDP with
// theta^2 = 2 (1 - gamma)^2 range (1 - collision) / m.
double MessagesInTheLimit(const Blanket& blanket, double theta) {
  const double truthful = 1 - blanket.gamma;
  return 2 * truthful * truthful * blanket.range * (1 - blanket.collision) / (theta * theta);
}

double ThetaInTheLimit(const Blanket& blanket) {
  const double others = static_cast<double>(blanket.honest - 1) * blanket.gamma;
  const double messages = 1 + others + static_cast<double>(blanket.fakes);
  return std::sqrt(MessagesInTheLimit(blanket, 1) / messages);
}

// The kappa at which the limit needs as many messages as there are; both sides are monotone.
double KappaInTheLimit(const Blanket& batch, double theta) {
  double low = -40;  // in ln kappa
  double high = std::log(kLargestKappa);
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    Blanket blanket = batch;
    blanket.gamma = GammaOf(batch.range, std::exp(middle));
    (ThetaInTheLimit(blanket) <= theta ? low : high) = middle;
  }
  return std::exp(low);
}

// About what a look takes: its window, which grows as the deviation of the number of messages.
int64_t PointsOf(const Blanket& blanket) {
  return (int64_t{1} << 14) +
         2 * static_cast<int64_t>(std::sqrt(static_cast<double>(blanket.honest + blanket.fakes)));
}

int64_t Steps(double grid) { return static_cast<int64_t>(kGuessError / grid); }

}  // namespace

absl::StatusOr<double> EpsilonAt(const Blanket& blanket, double delta) {
  TOMBOLA_RETURN_IF_ERROR(Validate(blanket));
  TOMBOLA_RETURN_IF_ERROR(ValidateDelta(delta));
  const double local = LocalEpsilon(blanket.range, blanket.gamma);
  if (local <= kSmallestEpsilon) return local;
  const double most = std::min(local, kLargestEpsilon);
  const auto epsilon_of = [most](int64_t index) {
    return most * std::exp(static_cast<double>(index) * kEpsilonGrid);
  };
  const auto index_of = [most](double epsilon) {
    return static_cast<int64_t>(std::floor(std::log(epsilon / most) / kEpsilonGrid));
  };
  GridRange grid;
  grid.good_end = 0;
  grid.bad_end = index_of(kSmallestEpsilon) + 1;
  const double guess = GaussianEpsilon(ThetaInTheLimit(blanket), delta);
  grid.start = guess <= kSmallestEpsilon ? grid.bad_end : std::min<int64_t>(0, index_of(guess));
  grid.step = Steps(kEpsilonGrid);
  const std::optional<int64_t> found = FindCrossing(
      [&](int64_t index) { return LogExcess(blanket, epsilon_of(index), delta); }, grid);
  if (found.has_value()) return epsilon_of(*found);
  return absl::FailedPreconditionError(
      absl::StrCat("no epsilon up to ", kLargestEpsilon, " meets delta ", delta,
                   ": gamma is too small and there are only ", blanket.fakes, " fakes"));
}

absl::StatusOr<int64_t> SmallestHonest(const Blanket& batch, double epsilon, double delta) {
  Blanket blanket = batch;
  blanket.honest = 1;
  TOMBOLA_RETURN_IF_ERROR(Validate(blanket));
  TOMBOLA_ASSIGN_OR_RETURN(const double theta, GaussianTheta(epsilon, delta));
  const double needed = MessagesInTheLimit(blanket, theta) - static_cast<double>(blanket.fakes);
  const double guess = blanket.gamma > 0 ? needed / blanket.gamma : 1;
  GridRange grid;
  grid.good_end = kLargestBatch;
  grid.bad_end = 1;
  grid.start = static_cast<int64_t>(std::clamp(guess, 1.0, static_cast<double>(kLargestBatch)));
  grid.step = 1 + static_cast<int64_t>(static_cast<double>(grid.start) * kGuessError);
  const std::optional<int64_t> found = FindCrossing(
      [&](int64_t honest) {
        blanket.honest = honest;
        return LogExcess(blanket, epsilon, delta);
      },
      grid);
  if (found.has_value()) return *found;
  return absl::FailedPreconditionError(absl::StrCat("epsilon ", epsilon, " and delta ", delta,
                                                    " need more than 2^40 honest submissions"));
}

absl::StatusOr<double> LargestKappa(const Blanket& batch, double epsilon, double delta,
                                    Work* work) {
  Blanket blanket = batch;
  blanket.gamma = 0;
  TOMBOLA_RETURN_IF_ERROR(Validate(blanket));
  TOMBOLA_ASSIGN_OR_RETURN(const double theta, GaussianTheta(epsilon, delta));
  const double least = std::expm1(epsilon) * (1 - 1e-14);
  if (least >= kLargestKappa) return kLargestKappa;
  const auto kappa_of = [least](int64_t index) {
    return least * std::exp(static_cast<double>(index) * kKappaGrid);
  };
  const auto index_of = [least](double kappa) {
    // Not the logarithm of the quotient, which overflows for the smallest epsilons; and within
    // bounds, because a limit may be zero or infinite.
    const double index = std::floor((std::log(kappa) - std::log(least)) / kKappaGrid);
    return static_cast<int64_t>(std::clamp(index, -1e15, 1e15));
  };
  GridRange grid;
  grid.good_end = 0;
  grid.bad_end = index_of(kLargestKappa);
  grid.start = std::clamp<int64_t>(index_of(KappaInTheLimit(blanket, theta)), 0, grid.bad_end);
  grid.step = Steps(kKappaGrid);
  absl::Status failure;
  const std::optional<int64_t> found = FindCrossing(
      [&](int64_t index) {
        if (work != nullptr && failure.ok()) failure = work->SpendOfAll(PointsOf(blanket));
        if (!failure.ok()) return std::numeric_limits<double>::infinity();
        blanket.gamma = GammaOf(blanket.range, kappa_of(index));
        return LogExcess(blanket, epsilon, delta);
      },
      grid);
  TOMBOLA_RETURN_IF_ERROR(failure);
  if (found.has_value()) return kappa_of(*found);
  return absl::FailedPreconditionError(
      absl::StrCat("range ", blanket.range, " is too large for epsilon ", epsilon));
}

}  // namespace tombola::accounting
