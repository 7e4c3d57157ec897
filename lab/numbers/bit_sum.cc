#include "lab/numbers/bit_sum.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "absl/types/span.h"
#include "cli/simulation/distributions.h"
#include "common/accounting/noise_law.h"
#include "common/base/status_macros.h"
#include "lab/numbers/shuffled_sum.h"

namespace tombola::lab {
namespace {

using accounting::NoiseLaw;

constexpr int64_t kMostPublishedBits = 64;
constexpr double kLieTolerance = 1e-4;
constexpr double kLeastLie = 1e-12;

// Of all bits, the share that differs from what was meant.
double Flipped(const BitSum& sum) { return sum.lie / 2; }

absl::StatusOr<NoiseLaw> Ones(int64_t bits, double probability) {
  if (bits == 0) return NoiseLaw{.pmf = {1}};
  return accounting::BinomialNoise(bits, probability);
}

NoiseLaw SumOf(const NoiseLaw& a, const NoiseLaw& b) {
  NoiseLaw sum = {.low = a.low + b.low,
                  .pmf = std::vector<double>(a.pmf.size() + b.pmf.size() - 1, 0),
                  .below = a.below + b.below,
                  .above = a.above + b.above};
  const NoiseLaw& wide = a.pmf.size() < b.pmf.size() ? b : a;
  const NoiseLaw& narrow = a.pmf.size() < b.pmf.size() ? a : b;
  for (size_t i = 0; i < narrow.pmf.size(); ++i) {
    for (size_t j = 0; j < wide.pmf.size(); ++j) sum.pmf[i + j] += narrow.pmf[i] * wide.pmf[j];
  }
  return sum;
}

double At(const NoiseLaw& law, int64_t point) {
  const int64_t index = point - law.low;
  return index < 0 || index >= static_cast<int64_t>(law.pmf.size()) ? 0 : law.pmf[index];
}

double HockeyStick(const NoiseLaw& p, const NoiseLaw& q, double factor) {
  double delta = p.missing();
  for (int64_t point = p.low; point <= p.high(); ++point) {
    delta += std::max(0.0, At(p, point) - factor * At(q, point));
  }
  return delta;
}

}  // namespace

double BitSum::Estimate(int64_t ones) const {
  const double all = static_cast<double>(bits);
  const double level = (static_cast<double>(ones) - all * Flipped(*this)) / (1 - lie);
  return 2 * level / all - 1;
}

// Whatever a bit is, what is said of it has the variance of a coin that falls on `Flipped`.
double BitSum::Variance(double number) const {
  const double flipped = Flipped(*this), all = static_cast<double>(bits);
  return 4 * flipped * (1 - flipped) / (all * (1 - lie) * (1 - lie)) +
         RoundingVariance(number, bits);
}

int64_t BitSum::Draw(double number, simulation::Generator& random) const {
  const double place = (number + 1) / 2 * static_cast<double>(bits);
  int64_t level = static_cast<int64_t>(std::floor(place));
  if (simulation::Uniform(random) < place - static_cast<double>(level)) ++level;
  return simulation::Binomial(level, 1 - Flipped(*this), random) +
         simulation::Binomial(bits - level, Flipped(*this), random);
}

absl::StatusOr<BitSum> PublishedBitSum(int64_t bits, const Target& target) {
  const double all = static_cast<double>(bits), users = static_cast<double>(target.honest);
  double epsilon = std::min(1.0, target.epsilon), delta = target.delta;
  if (bits > 1) {
    epsilon /= std::sqrt(8 * all * std::log(2 / delta));
    delta /= 2 * all;
  }
  const double log = std::log(4 / delta);
  const double coins = epsilon * epsilon >= 192 * log / users
                           ? 64 * log / (epsilon * epsilon)
                           : users - epsilon * users * std::sqrt(users / (432 * log));
  // The theorem's own condition on the coins.
  const double lie = std::max(coins, 14 * log) / users;
  if (lie >= 1) return absl::FailedPreconditionError("DDPS: too few devices for so many bits");
  return BitSum{bits, lie};
}

absl::StatusOr<BitSum> PublishedRealSum(const Target& target) {
  absl::StatusOr<BitSum> best = absl::FailedPreconditionError("DDPS: too few devices");
  double least = std::numeric_limits<double>::infinity();
  for (int64_t bits = 1; bits <= kMostPublishedBits; bits *= 2) {
    const absl::StatusOr<BitSum> sum = PublishedBitSum(bits, target);
    if (!sum.ok()) continue;
    const double variance = sum->Variance(1 / static_cast<double>(bits) - 1);
    if (variance >= least) continue;
    least = variance;
    best = sum;
  }
  return best;
}

absl::StatusOr<double> BitSumDelta(const BitSum& sum, int64_t users, double epsilon, int64_t ones) {
  const double flipped = Flipped(sum);
  TOMBOLA_ASSIGN_OR_RETURN(const NoiseLaw zeros, Ones((users - 1) * sum.bits - ones, flipped));
  TOMBOLA_ASSIGN_OR_RETURN(const NoiseLaw others, Ones(ones, 1 - flipped));
  TOMBOLA_ASSIGN_OR_RETURN(const NoiseLaw least, Ones(sum.bits, flipped));
  TOMBOLA_ASSIGN_OR_RETURN(const NoiseLaw most, Ones(sum.bits, 1 - flipped));
  const NoiseLaw noise = SumOf(zeros, others);
  const NoiseLaw low = SumOf(noise, least), high = SumOf(noise, most);
  const double factor = std::exp(epsilon);
  return std::max(HockeyStick(high, low, factor), HockeyStick(low, high, factor));
}

absl::StatusOr<BitSum> PlanBitSum(int64_t bits, const Target& target) {
  double low = kLeastLie, high = 1;
  while (high > low * (1 + kLieTolerance)) {
    const BitSum sum = {bits, std::sqrt(low * high)};
    TOMBOLA_ASSIGN_OR_RETURN(const double delta,
                             BitSumDelta(sum, target.honest, target.epsilon, 0));
    (kMixedBits * delta <= target.delta ? high : low) = sum.lie;
  }
  if (high == 1) return absl::FailedPreconditionError("DDPS: too few devices for so many bits");
  return BitSum{bits, high};
}

}  // namespace tombola::lab
