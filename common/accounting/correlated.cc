#include "common/accounting/correlated.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "common/accounting/blanket.h"
#include "common/accounting/epsilon_search.h"
#include "common/accounting/two_bucket.h"
#include "common/base/status_macros.h"

namespace tombola::accounting {
namespace {

constexpr double kRoundingMargin = 1e-9;
constexpr double kSmallestNoiseEpsilon = 1e-5;
constexpr double kLargestExponent = 700;

// The cases in which exactly one of the two differences is positive, divided by a^2.
double MixedSigns(const NoiseLaw& lesser, double noise_epsilon, double epsilon) {
  const double twice = 2 * noise_epsilon;
  const double less = std::exp(std::min(epsilon - twice, kLargestExponent));
  const double more = std::exp(std::min(epsilon, kLargestExponent));
  const double share = std::exp(-twice);  // b^2 / a^2
  double sum = share * lesser.pmf.back();
  double before = 0;
  for (const double here : lesser.pmf) {
    sum += std::max(0.0, here - less * before) + std::max(0.0, share * before - more * here);
    before = here;
  }
  return sum;
}

}  // namespace

absl::StatusOr<NoiseLaw> LesserCount(const CorrelatedNoise& noise) {
  TOMBOLA_RETURN_IF_ERROR(Validate(noise));
  TOMBOLA_ASSIGN_OR_RETURN(const NoiseLaw flood, NegativeBinomialNoise(noise.shape, noise.flood));
  return PlusGeometric(flood, 2 * noise.noise_epsilon);
}

absl::StatusOr<double> CorrelatedDelta(const NoiseLaw& lesser, double noise_epsilon,
                                       double epsilon) {
  TOMBOLA_ASSIGN_OR_RETURN(const double same_sign, TwoBucketDelta(lesser, epsilon));
  const double ratio = std::exp(-noise_epsilon);
  const double scale = 1 / ((1 + ratio) * (1 + ratio));  // a^2, and a b = ratio a^2
  const double sum = scale * (MixedSigns(lesser, noise_epsilon, epsilon) + ratio * same_sign) +
                     2 * lesser.missing();
  return std::min(1.0, sum * (1 + kRoundingMargin));
}

absl::Status Validate(const CorrelatedNoise& noise) {
  if (!(noise.noise_epsilon >= kSmallestNoiseEpsilon && noise.noise_epsilon <= kLargestExponent)) {
    return absl::InvalidArgumentError(
        absl::StrCat("noise_epsilon must be in [1e-5, 700], is ", noise.noise_epsilon));
  }
  if (!(noise.shape >= 1) || !std::isfinite(noise.shape)) {
    return absl::InvalidArgumentError(
        absl::StrCat("shape must be finite and at least 1, is ", noise.shape));
  }
  if (!(noise.flood > 0 && noise.flood < 1)) {
    return absl::InvalidArgumentError(absl::StrCat("flood must be in (0, 1), is ", noise.flood));
  }
  return absl::OkStatus();
}

double ExpectedMessages(const CorrelatedNoise& noise) {
  const double geometric = 1 / std::expm1(noise.noise_epsilon);
  return 2 * geometric + 2 * noise.shape * noise.flood / (1 - noise.flood);
}

absl::StatusOr<double> CorrelatedDelta(const CorrelatedNoise& noise, double epsilon) {
  TOMBOLA_ASSIGN_OR_RETURN(const NoiseLaw lesser, LesserCount(noise));
  return CorrelatedDelta(lesser, noise.noise_epsilon, epsilon);
}

absl::StatusOr<double> CorrelatedEpsilon(const CorrelatedNoise& noise, double delta) {
  TOMBOLA_ASSIGN_OR_RETURN(const NoiseLaw lesser, LesserCount(noise));
  return SmallestEpsilon(
      [&](double epsilon) { return CorrelatedDelta(lesser, noise.noise_epsilon, epsilon); }, delta);
}

}  // namespace tombola::accounting
