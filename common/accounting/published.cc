#include "common/accounting/published.h"

#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/accounting/blanket.h"
#include "common/base/decimal.h"
#include "common/base/status_macros.h"

namespace tombola::accounting {
namespace {

// (13) of the paper needs (1 - e^(-epsilon/2))^2 >= epsilon^2 / 7; (14) needs delta <= 2 e^(-27/14)
// (docs/errata.md, section 4).
constexpr double kLargestEpsilon = 1;
// The paper's (13) and (14) hold somewhat beyond 1: what was planned for 1 may come out a rounding
// above it.
constexpr double kRounding = 1e-9;
constexpr double kLargestDelta = 0.29;
constexpr double kFactor = 14;
constexpr double kAueFactor = 200;
constexpr double kAueLargestEpsilon = 2;
constexpr double kAueLargestGamma = 0.5;

absl::Status OutOfBounds(absl::string_view field, absl::string_view bound, double value) {
  return absl::InvalidArgumentError(absl::StrCat(field, " must be ", bound, ", is ", value));
}

absl::Status Unproven(absl::string_view field, absl::string_view bound, double value) {
  return absl::FailedPreconditionError(absl::StrCat("the closed form is proven for ", field, " ",
                                                    bound, " only, which is ", value, " here"));
}

absl::Status InProvenRange(double epsilon, double delta) {
  TOMBOLA_RETURN_IF_ERROR(ValidateEpsilon(epsilon));
  if (!(delta > 0)) return OutOfBounds("delta", "in (0, 1)", delta);
  if (epsilon > kLargestEpsilon * (1 + kRounding)) return Unproven("epsilon", "<= 1", epsilon);
  if (delta > kLargestDelta) return Unproven("delta", "<= 0.29", delta);
  return absl::OkStatus();
}

absl::Status CheckHonest(int64_t honest, int64_t least) {
  if (honest >= least) return absl::OkStatus();
  return OutOfBounds("honest", absl::StrCat("at least ", least), static_cast<double>(honest));
}

absl::Status CheckAtLeastTwo(absl::string_view field, double value) {
  if (value >= 2 && std::isfinite(value)) return absl::OkStatus();
  return OutOfBounds(field, "finite and at least 2", value);
}

double EpsilonOfMu(double mu, double delta) {
  return std::sqrt(kFactor * std::log(2 / delta) / mu);
}

double DeltaOfMu(double mu, double epsilon) {
  return 2 * std::exp(-epsilon * epsilon * mu / kFactor);
}

// mu = (honest - 1)/K + dummies/range, the expected messages that support a value by chance.
absl::StatusOr<double> MuOf(const PublishedBatch& batch) {
  TOMBOLA_RETURN_IF_ERROR(CheckHonest(batch.honest, 2));
  TOMBOLA_RETURN_IF_ERROR(CheckAtLeastTwo("range", batch.range));
  if (!(batch.local_epsilon > 0) || !std::isfinite(batch.local_epsilon)) {
    return OutOfBounds("local_epsilon", "finite and greater than 0", batch.local_epsilon);
  }
  if (!(batch.dummies >= 0) || !std::isfinite(batch.dummies)) {
    return OutOfBounds("dummies", "finite and at least 0", batch.dummies);
  }
  const double k = std::expm1(batch.local_epsilon) + batch.range;
  return static_cast<double>(batch.honest - 1) / k + batch.dummies / batch.range;
}

absl::Status CheckLocal(const PublishedBatch& batch, double epsilon) {
  if (epsilon <= batch.local_epsilon) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("the closed form needs K >= range + e^epsilon - 1; its epsilon ",
                   RoundedUp(epsilon, 6), " is above the local epsilon ",
                   RoundedUp(batch.local_epsilon, 6), ", which holds without it"));
}

absl::StatusOr<double> PureDumpMu(double domain, double dummies) {
  TOMBOLA_RETURN_IF_ERROR(CheckAtLeastTwo("domain", domain));
  if (!(dummies > 1) || !std::isfinite(dummies)) {
    return OutOfBounds("dummies", "finite and above 1", dummies);
  }
  return (dummies - 1) / domain;
}

absl::Status CheckAue(double gamma, double epsilon, double delta) {
  if (!(epsilon < kAueLargestEpsilon)) return Unproven("epsilon", "< 2", epsilon);
  if (!(delta < 1)) return Unproven("delta", "< 1", delta);
  if (!(gamma <= kAueLargestGamma)) return Unproven("gamma", "<= 1/2", gamma);
  return absl::OkStatus();
}

absl::StatusOr<double> AueNoise(int64_t honest, double gamma) {
  TOMBOLA_RETURN_IF_ERROR(CheckHonest(honest, 1));
  if (!(gamma > 0 && gamma < 1)) return OutOfBounds("gamma", "in (0, 1)", gamma);
  return gamma * static_cast<double>(honest);
}

}  // namespace

absl::StatusOr<double> PublishedEpsilon(const PublishedBatch& batch, double delta) {
  TOMBOLA_RETURN_IF_ERROR(ValidateDelta(delta));
  TOMBOLA_ASSIGN_OR_RETURN(const double mu, MuOf(batch));
  const double epsilon = EpsilonOfMu(mu, delta);
  TOMBOLA_RETURN_IF_ERROR(InProvenRange(epsilon, delta));
  TOMBOLA_RETURN_IF_ERROR(CheckLocal(batch, epsilon));
  return epsilon;
}

absl::StatusOr<double> PublishedDelta(const PublishedBatch& batch, double epsilon) {
  TOMBOLA_RETURN_IF_ERROR(ValidateEpsilon(epsilon));
  TOMBOLA_ASSIGN_OR_RETURN(const double mu, MuOf(batch));
  const double delta = DeltaOfMu(mu, epsilon);
  TOMBOLA_RETURN_IF_ERROR(InProvenRange(epsilon, delta));
  TOMBOLA_RETURN_IF_ERROR(CheckLocal(batch, epsilon));
  return delta;
}

absl::StatusOr<double> PublishedLargestK(int64_t honest, double epsilon, double delta) {
  TOMBOLA_RETURN_IF_ERROR(CheckHonest(honest, 2));
  TOMBOLA_RETURN_IF_ERROR(InProvenRange(epsilon, delta));
  return epsilon * epsilon * static_cast<double>(honest - 1) / (kFactor * std::log(2 / delta));
}

absl::StatusOr<double> PublishedPureDumpDummies(double domain, double epsilon, double delta) {
  TOMBOLA_RETURN_IF_ERROR(CheckAtLeastTwo("domain", domain));
  TOMBOLA_RETURN_IF_ERROR(InProvenRange(epsilon, delta));
  return kFactor * domain * std::log(2 / delta) / (epsilon * epsilon) + 1;
}

absl::StatusOr<double> PublishedPureDumpEpsilon(double domain, double dummies, double delta) {
  TOMBOLA_RETURN_IF_ERROR(ValidateDelta(delta));
  TOMBOLA_ASSIGN_OR_RETURN(const double mu, PureDumpMu(domain, dummies));
  const double epsilon = EpsilonOfMu(mu, delta);
  TOMBOLA_RETURN_IF_ERROR(InProvenRange(epsilon, delta));
  return epsilon;
}

absl::StatusOr<double> PublishedPureDumpDelta(double domain, double dummies, double epsilon) {
  TOMBOLA_RETURN_IF_ERROR(ValidateEpsilon(epsilon));
  TOMBOLA_ASSIGN_OR_RETURN(const double mu, PureDumpMu(domain, dummies));
  const double delta = DeltaOfMu(mu, epsilon);
  TOMBOLA_RETURN_IF_ERROR(InProvenRange(epsilon, delta));
  return delta;
}

absl::StatusOr<double> PublishedAueGamma(int64_t honest, double epsilon, double delta) {
  TOMBOLA_RETURN_IF_ERROR(CheckHonest(honest, 1));
  TOMBOLA_RETURN_IF_ERROR(ValidateEpsilon(epsilon));
  TOMBOLA_RETURN_IF_ERROR(ValidateDelta(delta));
  const double noise = kAueFactor * std::log(4 / delta) / (epsilon * epsilon);
  const double gamma = noise / static_cast<double>(honest);
  TOMBOLA_RETURN_IF_ERROR(CheckAue(gamma, epsilon, delta));
  return gamma;
}

absl::StatusOr<double> PublishedAueEpsilon(int64_t honest, double gamma, double delta) {
  TOMBOLA_RETURN_IF_ERROR(ValidateDelta(delta));
  TOMBOLA_ASSIGN_OR_RETURN(const double noise, AueNoise(honest, gamma));
  const double epsilon = std::sqrt(kAueFactor * std::log(4 / delta) / noise);
  TOMBOLA_RETURN_IF_ERROR(CheckAue(gamma, epsilon, delta));
  return epsilon;
}

absl::StatusOr<double> PublishedAueDelta(int64_t honest, double gamma, double epsilon) {
  TOMBOLA_RETURN_IF_ERROR(ValidateEpsilon(epsilon));
  TOMBOLA_ASSIGN_OR_RETURN(const double noise, AueNoise(honest, gamma));
  const double delta = 4 * std::exp(-epsilon * epsilon * noise / kAueFactor);
  TOMBOLA_RETURN_IF_ERROR(CheckAue(gamma, epsilon, delta));
  return delta;
}

}  // namespace tombola::accounting
