#include "common/accounting/submission_loss.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/accounting/blanket.h"
#include "common/accounting/gaussian.h"
#include "common/accounting/product.h"
#include "common/accounting/search.h"
#include "common/base/status_macros.h"

namespace tombola::accounting {
namespace {

constexpr double kRoundUp = 1 + 1e-14;
constexpr double kPointsInDeviation = 20;
constexpr int kMostPoints = 400;
constexpr double kUsualDelta = 1e-3;  // at which a curve's width is looked at

std::vector<LossPart> Repeated(const SubmissionLoss& one, int64_t uses) {
  std::vector<LossPart> parts = one.parts;
  for (LossPart& part : parts) part.uses *= uses;
  return parts;
}

double ChargeAt(const SubmissionLoss& one, int64_t uses, double epsilon) {
  const double different =
      one.difference > 0 ? (1 + std::exp(std::min(epsilon, 700.0))) * one.difference : 0;
  return static_cast<double>(uses) * (one.charge + different) * kRoundUp;
}

absl::Status ValidateUses(int64_t uses) {
  if (uses >= 1 && uses <= kMostProductUses) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("uses must be in [1, 2^20], is ", uses));
}

}  // namespace

absl::StatusOr<double> DeltaOver(const SubmissionLoss& one, int64_t uses, double epsilon) {
  TOMBOLA_RETURN_IF_ERROR(ValidateUses(uses));
  TOMBOLA_ASSIGN_OR_RETURN(const double delta, ProductDelta(Repeated(one, uses), epsilon));
  return std::min(1.0, delta + ChargeAt(one, uses, epsilon));
}

absl::StatusOr<double> CoarseDeltaOver(const SubmissionLoss& one, double epsilon, Work* work) {
  TOMBOLA_ASSIGN_OR_RETURN(const double delta, CoarseProductDelta(one.parts, epsilon, work));
  return std::min(1.0, delta + ChargeAt(one, 1, epsilon));
}

// The charge of a difference grows with epsilon: beyond the epsilon at which it reaches a share of
// the total it is not looked at any further, so that what is searched falls throughout. Smaller
// shares are for a total that the product alone nearly uses up.
absl::StatusOr<double> EpsilonOver(const SubmissionLoss& one, int64_t uses, double total_delta,
                                   Work* work) {
  TOMBOLA_RETURN_IF_ERROR(ValidateUses(uses));
  TOMBOLA_RETURN_IF_ERROR(ValidateDelta(total_delta));
  const std::vector<LossPart> parts = Repeated(one, uses);
  const auto charge = [&](double epsilon) { return ChargeAt(one, uses, epsilon); };
  if (one.difference <= 0) return ProductEpsilon(parts, total_delta, charge, work);
  absl::Status failure = absl::FailedPreconditionError(
      absl::StrCat("delta ", total_delta, " is too small for ", uses,
                   " submissions: what caps and tables cost them is more"));
  const double different = static_cast<double>(uses) * one.difference;
  for (const double share : {0.1, 1e-3, 0.5, 0.9}) {
    const double growth = share * total_delta / (kRoundUp * different) - 1;
    if (!(growth > 1)) continue;
    const double largest = std::log(growth);
    // Without an epsilon up to there a search would look for one for long, and in vain.
    TOMBOLA_ASSIGN_OR_RETURN(const double least, ProductDelta(parts, largest, work));
    if (least + charge(largest) > total_delta) continue;
    const absl::StatusOr<double> found = ProductEpsilon(
        parts, total_delta, [&](double epsilon) { return charge(std::min(epsilon, largest)); },
        work);
    if (found.ok() && *found <= largest) return found;
    if (absl::IsResourceExhausted(found.status())) return found.status();
    if (!found.ok()) failure = found.status();
  }
  return failure;
}

// With the width of the normal law that has the same delta at one epsilon. H_1 is at most H_a and
// a - 1 more, which is the point at 0.
absl::StatusOr<SubmissionLoss> LossFromCurve(DeltaAt delta_at, double negligible) {
  TOMBOLA_ASSIGN_OR_RETURN(const double at_most, delta_at(kSmallestEpsilon));
  const double level = std::min(kUsualDelta, at_most / 30);
  SubmissionLoss loss;
  if (!(level > negligible)) {
    loss.charge = at_most + std::expm1(kSmallestEpsilon) * kRoundUp;
    loss.parts = {{LossLaw{.atoms = {{0, 1}}}, 1}};
    return loss;
  }
  TOMBOLA_ASSIGN_OR_RETURN(const double epsilon, SmallestEpsilon(delta_at, level));
  TOMBOLA_ASSIGN_OR_RETURN(const double width, GaussianTheta(epsilon, level));
  const double step = width / kPointsInDeviation;
  std::vector<CurvePoint> points = {
      {0, std::min(1.0, at_most + std::expm1(kSmallestEpsilon) * kRoundUp)}};
  while (points.size() < kMostPoints && points.back().delta > negligible) {
    const double next = static_cast<double>(points.size()) * step;
    TOMBOLA_ASSIGN_OR_RETURN(const double delta, delta_at(next));
    points.push_back({next, delta});
  }
  loss.parts = {{FromCurve(points), 1}};
  return loss;
}

}  // namespace tombola::accounting
