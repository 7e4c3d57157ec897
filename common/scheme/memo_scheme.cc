#include "common/scheme/memo_scheme.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/accounting/blanket.h"
#include "common/accounting/composition.h"
#include "common/base/status_macros.h"

namespace tombola::mechanism {

MemoScheme::MemoScheme(std::shared_ptr<const Scheme> report, double memo_epsilon, int64_t values)
    : report_(std::move(report)), epsilon_(accounting::Times(values, memo_epsilon)) {}

// Below its budget nothing is claimed.
absl::StatusOr<double> MemoScheme::Delta(int64_t honest, double epsilon) const {
  TOMBOLA_RETURN_IF_ERROR(accounting::ValidateEpsilon(epsilon));
  if (honest < 1) return absl::InvalidArgumentError(absl::StrCat("honest must be at least 1"));
  return epsilon >= epsilon_ ? 0 : 1;
}

absl::StatusOr<double> MemoScheme::EpsilonAt(int64_t /*honest*/, double delta) const {
  TOMBOLA_RETURN_IF_ERROR(accounting::ValidateDelta(delta));
  return epsilon_;
}

absl::StatusOr<int64_t> MemoScheme::SmallestHonest(double epsilon, double delta) const {
  TOMBOLA_RETURN_IF_ERROR(accounting::ValidateDelta(delta));
  if (epsilon >= epsilon_) return 1;
  return absl::FailedPreconditionError(absl::StrCat(
      "memos have epsilon ", epsilon_, " whatever the batch, more than the target's ", epsilon));
}

}  // namespace tombola::mechanism
