#include "common/accounting/clones.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/accounting/binomial.h"
#include "common/accounting/binomial_excess.h"
#include "common/accounting/blanket.h"
#include "common/accounting/epsilon_search.h"
#include "common/accounting/message_bins.h"
#include "common/base/status_macros.h"

namespace tombola::accounting {
namespace {

constexpr double kRoundingMargin = 1e-9;
constexpr double kLargestLocalEpsilon = 700;
constexpr int64_t kMostSummed = 20000;
constexpr double kThresholdSlack = 1e-15;

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

std::vector<MessageBin> BinClones(int64_t honest, double local_epsilon) {
  const Binomial clones{honest - 1, std::exp(-local_epsilon), -std::expm1(-local_epsilon)};
  BinPlan plan = PlanFineBins(clones, /*fakes=*/0);
  if (plan.high - plan.low <= kMostSummed) {
    plan.fine_low = plan.low;
    plan.fine_high = plan.high;
    plan.width = 1;
  }
  return BinMessages(clones, /*fakes=*/0, plan);
}

// Given m = C + 1 messages, P(a) and Q(a) are mixtures of Bin(C, 1/2) at a - 1 and a, which are
// 2a/m and 2(m - a)/m times Bin(m, 1/2) at a. With t = (e^e0 - 1)/(e^e0 + 1) the positive part of
// P - e^epsilon Q sums up to (2 t (1 + e^epsilon) / m) E[(a - m share)_+] over a ~ Bin(m, 1/2),
// share = (1 + tanh(epsilon/2) / t) / 2.
double DeltaOver(const std::vector<MessageBin>& bins, double local_epsilon, double epsilon) {
  if (epsilon >= local_epsilon) return 0;
  const double t = std::tanh(local_epsilon / 2);
  const double share = (1 + std::tanh(epsilon / 2) / t) / 2 * (1 - kThresholdSlack);
  BinomialExcess excess(0.5, 0.5);
  double sum = 0;
  for (const MessageBin& bin : bins) {
    const double messages = static_cast<double>(bin.messages);
    const double scale = 2 * t * (1 + std::exp(epsilon)) / messages;
    sum += bin.mass * std::min(1.0, scale * excess.At(bin.messages, share * messages));
  }
  return std::min(1.0, sum * (1 + kRoundingMargin));
}

}  // namespace

absl::StatusOr<double> ClonesDelta(int64_t honest, double local_epsilon, double epsilon) {
  TOMBOLA_RETURN_IF_ERROR(ValidateClones(honest, local_epsilon));
  TOMBOLA_RETURN_IF_ERROR(ValidateEpsilon(epsilon));
  return DeltaOver(BinClones(honest, local_epsilon), local_epsilon, epsilon);
}

absl::StatusOr<double> ClonesEpsilon(int64_t honest, double local_epsilon, double delta) {
  TOMBOLA_RETURN_IF_ERROR(ValidateClones(honest, local_epsilon));
  const std::vector<MessageBin> bins = BinClones(honest, local_epsilon);
  TOMBOLA_ASSIGN_OR_RETURN(
      const double epsilon,
      SmallestEpsilon([&](double at) { return DeltaOver(bins, local_epsilon, at); }, delta));
  return std::min(epsilon, local_epsilon);
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
