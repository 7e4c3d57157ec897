#include "common/mechanism/dummies.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tombola::mechanism {
namespace {

constexpr int64_t kMaxHonest = int64_t{1} << 40;
constexpr int64_t kMaxDummies = 65534;
constexpr double kUlp = std::numeric_limits<double>::epsilon();

absl::Status Validate(const DummyOptions& options, absl::string_view prefix) {
  if (options.rate < 1 || options.rate > Dummies::kLargestRate) {
    return absl::InvalidArgumentError(
        absl::StrCat(prefix, "rate is ", options.rate, "; it must be in [1, 2^54]"));
  }
  if (options.honest < 1 || options.honest > kMaxHonest) {
    return absl::InvalidArgumentError(
        absl::StrCat(prefix, "honest is ", options.honest, "; it must be in [1, 2^40]"));
  }
  if (options.max < 1 || options.max > kMaxDummies) {
    return absl::InvalidArgumentError(
        absl::StrCat(prefix, "max is ", options.max, "; it must be in [1, 65534]"));
  }
  return absl::OkStatus();
}

class PoissonMessages final : public MessageLaw {
 public:
  PoissonMessages(double rate, double capped) : rate_(rate), capped_(capped) {}

  double LogMgf(double t) const override { return rate_ * std::expm1(t); }
  double Capped() const override { return capped_; }

 private:
  double rate_;
  double capped_;
};

}  // namespace

absl::StatusOr<Dummies> Dummies::Create(const DummyOptions& options, absl::string_view prefix) {
  absl::Status valid = Validate(options, prefix);
  if (!valid.ok()) return valid;
  return Dummies(options, CountTable::Poisson(options.rate));
}

// E[Y] = sum of Pr[Y > k] and E[Y^2] = sum of (2k + 1) Pr[Y > k] for Y = min(X, max).
Dummies::Dummies(const DummyOptions& options, CountTable table)
    : options_(options), table_(std::move(table)) {
  const auto end = std::min(static_cast<uint32_t>(options.max), table_.most());
  double square = 0;
  for (uint32_t k = 0; k < end; ++k) {
    const double above = table_.Above(k);
    mean_ += above;
    square += (2.0 * k + 1) * above;
  }
  variance_ = std::max(0.0, square - mean_ * mean_);
}

int64_t Dummies::Draw(RandomSource& random) const {
  return std::min<int64_t>(table_.Draw(random), options_.max);
}

void Dummies::DrawUniform(int64_t domain_size, RandomSource& random,
                          std::vector<SignedReport>* dummies) const {
  dummies->resize(static_cast<size_t>(Draw(random)));
  for (SignedReport& dummy : *dummies) {
    dummy.change =
        static_cast<int32_t>(UniformBelow(static_cast<uint64_t>(domain_size), random)) + 1;
  }
}

std::unique_ptr<MessageLaw> Dummies::message_law() const {
  return std::make_unique<PoissonMessages>(
      std::ldexp(static_cast<double>(options_.rate), -kRateBits), Charge(1));
}

double Dummies::TotalMean(int64_t honest) const {
  const double mean = std::ldexp(static_cast<double>(options_.rate), -kRateBits);
  return mean * static_cast<double>(honest) * (1 - 4 * kUlp);
}

double Dummies::Charge(int64_t honest) const {
  const double one = table_.Above(static_cast<uint32_t>(options_.max)) + CountTable::kError;
  return std::min(1.0, one * static_cast<double>(honest) * (1 + 4 * kUlp));
}

// The cumulants of a sum of N indicators of probability s, from those of N; the third of a Poisson
// number is its variance.
void Dummies::AddByChance(CountModel& model, double chance) const {
  const double s = chance;
  const double spread = s * (1 - s);
  model.noise = CountModel::Noise::kPoisson;
  model.noise_mean += mean_ * s;
  model.noise_variance += mean_ * spread + variance_ * s * s;
  model.noise_third +=
      mean_ * spread * (1 - 2 * s) + 3 * variance_ * s * spread + variance_ * s * s * s;
}

}  // namespace tombola::mechanism
