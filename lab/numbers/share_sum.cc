#include "lab/numbers/share_sum.h"

#include <cmath>
#include <numbers>

#include "cli/simulation/distributions.h"
#include "common/random/random_source.h"

namespace tombola::lab {
namespace {

constexpr int64_t kFewestSharing = 19;

uint64_t AddModulo(uint64_t a, uint64_t b, uint64_t modulus) {
  return a >= modulus - b ? a - (modulus - b) : a + b;
}

}  // namespace

std::vector<uint64_t> ShareSum::Shares(double number, simulation::Generator& random) const {
  const double place = (number + 1) / 2 * static_cast<double>(steps);
  int64_t level = static_cast<int64_t>(std::floor(place));
  if (simulation::Uniform(random) < place - static_cast<double>(level)) ++level;
  // Such shares of n devices add up to a geometric variable.
  const double part = 1 / static_cast<double>(users), success = std::exp(-noise_epsilon);
  level += simulation::NegativeBinomial(part, success, random) -
           simulation::NegativeBinomial(part, success, random);
  const int64_t whole = static_cast<int64_t>(modulus);
  uint64_t left = static_cast<uint64_t>((level % whole + whole) % whole);
  std::vector<uint64_t> shares;
  for (int64_t i = 1; i < messages; ++i) {
    shares.push_back(UniformBelow(modulus, random));
    left = AddModulo(left, modulus - shares.back(), modulus);
  }
  shares.push_back(left % modulus);
  return shares;
}

// What lies above the largest sum by more than half of what is left is below 0.
double ShareSum::Mean(absl::Span<const uint64_t> messages) const {
  uint64_t sum = 0;
  for (const uint64_t message : messages) sum = AddModulo(sum, message, modulus);
  const double all = static_cast<double>(users), most = all * static_cast<double>(steps);
  double levels = static_cast<double>(sum);
  const double whole = static_cast<double>(modulus);
  if (levels > (most + whole) / 2) levels -= whole;
  return 2 * levels / most - 1;
}

double ShareSum::MeanVariance(double rounding) const {
  const double least = std::exp(-noise_epsilon), less = -std::expm1(-noise_epsilon);
  const double users_ = static_cast<double>(users);
  const double scale = 2 / (static_cast<double>(steps) * users_);
  return 2 * least / (less * less) * scale * scale + rounding / users_;
}

int64_t MessagesForSharing(double security, double modulus, double users) {
  const double each = std::log2(users) - std::numbers::log2e;
  return static_cast<int64_t>(std::ceil(2 + (2 * security + std::log2(modulus)) / each));
}

absl::StatusOr<ShareSum> PlanShareSum(const Target& target) {
  if (target.honest < kFewestSharing) {
    return absl::InvalidArgumentError("devices must be at least 19");
  }
  const double users = static_cast<double>(target.honest);
  ShareSum sum = {.users = target.honest};
  sum.steps = static_cast<int64_t>(std::ceil(std::sqrt(users)));
  sum.noise_epsilon = target.epsilon / static_cast<double>(sum.steps);
  sum.modulus = 2 * static_cast<uint64_t>(target.honest) * static_cast<uint64_t>(sum.steps);
  const double security = std::log2((1 + std::exp(target.epsilon)) / target.delta);
  sum.messages = MessagesForSharing(security, static_cast<double>(sum.modulus), users);
  return sum;
}

}  // namespace tombola::lab
