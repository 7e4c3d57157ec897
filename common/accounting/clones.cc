#include "common/accounting/clones.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/accounting/blanket.h"
#include "common/accounting/search.h"
#include "common/base/status_macros.h"

namespace tombola::accounting {
namespace {

constexpr double kLargestLocalEpsilon = 700;

absl::Status ValidateClones(int64_t honest, double local_epsilon) {
  if (honest < 1 || honest > kLargestBatch) {
    return absl::InvalidArgumentError(absl::StrCat("honest must be in [1, 2^40], is ", honest));
  }
  if (!(local_epsilon > 0 && local_epsilon <= kLargestLocalEpsilon)) {
    return absl::InvalidArgumentError(
        absl::StrCat("local_epsilon must be in (0, 700], is ", local_epsilon));
  }
  return absl::OkStatus();
}

// gamma = 2 / (e^e0 + 1), rounded down: fewer clones are the worse case.
Blanket TwoValues(int64_t honest, double local_epsilon) {
  const double rare = std::exp(-local_epsilon);
  return {.honest = honest,
          .range = 2,
          .gamma = 2 * rare / (1 + rare) * (1 - 8 * std::numeric_limits<double>::epsilon())};
}

}  // namespace

absl::StatusOr<double> ClonesDelta(int64_t honest, double local_epsilon, double epsilon) {
  TOMBOLA_RETURN_IF_ERROR(ValidateClones(honest, local_epsilon));
  TOMBOLA_RETURN_IF_ERROR(ValidateEpsilon(epsilon));
  if (epsilon >= local_epsilon) return 0;
  return Delta(TwoValues(honest, local_epsilon), epsilon);
}

absl::StatusOr<double> ClonesEpsilon(int64_t honest, double local_epsilon, double delta) {
  TOMBOLA_RETURN_IF_ERROR(ValidateClones(honest, local_epsilon));
  const absl::StatusOr<double> epsilon = EpsilonAt(TwoValues(honest, local_epsilon), delta);
  // The search ends at 700, which rounding may leave a hair below the response's own.
  if (absl::IsFailedPrecondition(epsilon.status())) return local_epsilon;
  TOMBOLA_RETURN_IF_ERROR(epsilon.status());
  return std::min(*epsilon, local_epsilon);
}

absl::StatusOr<double> ClonesClosedEpsilon(int64_t honest, double local_epsilon, double delta) {
  TOMBOLA_RETURN_IF_ERROR(ValidateClones(honest, local_epsilon));
  TOMBOLA_RETURN_IF_ERROR(ValidateDelta(delta));
  const double n = static_cast<double>(honest);
  const double nats = std::log(4 / delta);
  const double most = std::log(n / (16 * nats));
  if (!(local_epsilon <= most)) {
    return absl::FailedPreconditionError(
        absl::StrCat("the closed form needs at least 16 ln(4/delta) e^local_epsilon = ",
                     16 * nats * std::exp(local_epsilon), " submissions, there are ", honest));
  }
  const double growth = std::exp(local_epsilon);
  const double y = 8 * std::sqrt(growth * nats / n) + 8 * growth / n;
  const double share = -std::expm1(-local_epsilon) / (1 + std::exp(-local_epsilon) / (1 + y));
  return std::log1p(share * y);
}

}  // namespace tombola::accounting
