#include "common/mechanism/pure_dump.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/accounting/epsilon_search.h"
#include "common/accounting/noise_law.h"
#include "common/accounting/two_bucket.h"
#include "common/base/status_macros.h"
#include "common/mechanism/spread_noise.h"
#include "common/table/domain_size.h"

namespace tombola::mechanism {
namespace {

// The number of a batch's dummies for one value: independent Poisson numbers for the values, since
// the total is Poisson and each dummy uniform.
absl::StatusOr<accounting::NoiseLaw> NoiseOf(const Dummies& dummies, int64_t honest,
                                             int64_t domain_size) {
  if (honest < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("honest is ", honest, "; it must be at least 1"));
  }
  const double mean = dummies.TotalMean(honest) / static_cast<double>(domain_size);
  return accounting::PoissonNoise(std::min(mean, accounting::kLargestPoissonMean));
}

}  // namespace

absl::StatusOr<PureDump> PureDump::Create(const DummyOptions& options, int64_t domain_size) {
  TOMBOLA_RETURN_IF_ERROR(ValidateDomain(domain_size));
  TOMBOLA_ASSIGN_OR_RETURN(Dummies dummies, Dummies::Create(options, "pure_dump.dummies."));
  return PureDump(std::move(dummies), domain_size);
}

PureDump::PureDump(Dummies dummies, int64_t domain_size)
    : dummies_(std::move(dummies)), domain_size_(domain_size) {}

Parameters PureDump::parameters() const {
  const int64_t honest = dummies_.options().honest;
  return {.dummies = dummies_.TotalMean(honest) / static_cast<double>(domain_size_),
          .honest = honest};
}

double PureDump::local_epsilon() const { return std::numeric_limits<double>::infinity(); }

absl::StatusOr<double> PureDump::Delta(int64_t honest, double epsilon) const {
  const int64_t counted = std::min(honest, dummies_.options().honest);
  TOMBOLA_ASSIGN_OR_RETURN(const accounting::NoiseLaw law,
                           NoiseOf(dummies_, counted, domain_size_));
  TOMBOLA_ASSIGN_OR_RETURN(const double delta, accounting::TwoBucketDelta(law, epsilon));
  return std::min(1.0, delta + dummies_.Charge(counted));
}

absl::StatusOr<double> PureDump::EpsilonAt(int64_t honest, double delta) const {
  const int64_t counted = std::min(honest, dummies_.options().honest);
  TOMBOLA_ASSIGN_OR_RETURN(const accounting::NoiseLaw law,
                           NoiseOf(dummies_, counted, domain_size_));
  const double charge = dummies_.Charge(counted);
  return accounting::SmallestEpsilon(
      [&](double epsilon) -> absl::StatusOr<double> {
        TOMBOLA_ASSIGN_OR_RETURN(const double value, accounting::TwoBucketDelta(law, epsilon));
        return value + charge;
      },
      delta);
}

absl::StatusOr<int64_t> PureDump::SmallestHonest(double epsilon, double delta) const {
  return SizedHonest(*this, dummies_.options().honest, epsilon, delta);
}

CountModel PureDump::count_model() const {
  CountModel model{.support = {.holder = 1, .other = 0, .separation = 1}};
  dummies_.AddTo(model, domain_size_);
  return model;
}

void PureDump::DrawFake(RandomSource& random, absl::Span<uint8_t> report) const {
  const uint64_t value = UniformBelow(static_cast<uint64_t>(domain_size_), random);
  Write(ValueReport{static_cast<uint32_t>(value)}, report);
}

}  // namespace tombola::mechanism
