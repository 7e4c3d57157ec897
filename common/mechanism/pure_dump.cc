#include "common/mechanism/pure_dump.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/accounting/epsilon_search.h"
#include "common/accounting/items.h"
#include "common/accounting/product.h"
#include "common/accounting/two_bucket.h"
#include "common/base/status_macros.h"
#include "common/mechanism/spread_noise.h"
#include "common/table/domain_size.h"

namespace tombola::mechanism {
absl::StatusOr<PureDump> PureDump::Create(const DummyOptions& options, int64_t domain_size,
                                          const Filling& filling) {
  TOMBOLA_RETURN_IF_ERROR(ValidateDomain(domain_size));
  TOMBOLA_RETURN_IF_ERROR(ValidateFilling(filling, domain_size));
  TOMBOLA_ASSIGN_OR_RETURN(Dummies dummies, Dummies::Create(options, "pure_dump.dummies."));
  TOMBOLA_RETURN_IF_ERROR(ValidateMostReports(filling, "pure_dump.dummies.max", options.max));
  return PureDump(std::move(dummies), domain_size, filling);
}

PureDump::PureDump(Dummies dummies, int64_t domain_size, const Filling& filling)
    : dummies_(std::move(dummies)), domain_size_(domain_size), filling_(filling) {}

Parameters PureDump::parameters() const {
  const int64_t honest = dummies_.options().honest;
  Parameters parameters{.dummies = dummies_.TotalMean(honest) / static_cast<double>(domain_size_),
                        .honest = honest};
  SayFilling(filling_, &parameters);
  return parameters;
}

// The number of a batch's dummies for one value: independent Poisson numbers for the values, since
// the total is Poisson and each dummy uniform.
absl::StatusOr<accounting::NoiseLaw> PureDump::NoiseOf(int64_t honest) const {
  if (honest < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("honest is ", honest, "; it must be at least 1"));
  }
  const double mean = dummies_.TotalMean(honest) / static_cast<double>(domain_size_);
  return accounting::SampledPoisson(mean, filling_.held, filling_.sent);
}

double PureDump::local_epsilon() const { return std::numeric_limits<double>::infinity(); }

absl::StatusOr<double> PureDump::Delta(int64_t honest, double epsilon) const {
  const int64_t counted = std::min(honest, dummies_.options().honest);
  TOMBOLA_ASSIGN_OR_RETURN(const accounting::NoiseLaw law, NoiseOf(counted));
  TOMBOLA_ASSIGN_OR_RETURN(const double delta,
                           accounting::CellsDelta(law, filling_.cells(), epsilon, filling_.units));
  return std::min(1.0, delta + dummies_.Charge(counted));
}

absl::StatusOr<double> PureDump::EpsilonAt(int64_t honest, double delta) const {
  const int64_t counted = std::min(honest, dummies_.options().honest);
  TOMBOLA_ASSIGN_OR_RETURN(const accounting::NoiseLaw law, NoiseOf(counted));
  const double charge = dummies_.Charge(counted);
  if (filling_.sent > 1) {
    return accounting::ProductEpsilon(
        accounting::SeveralCells(law, filling_.cells(), filling_.units), delta,
        [&](double) { return charge; });
  }
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
  const double said = static_cast<double>(filling_.sent) / static_cast<double>(filling_.held);
  CountModel model{.support = {.holder = said, .other = 0, .separation = said}};
  dummies_.AddTo(model, domain_size_);
  return model;
}

void PureDump::DrawFake(RandomSource& random, absl::Span<uint8_t> report) const {
  const uint64_t value = UniformBelow(static_cast<uint64_t>(domain_size_), random);
  Write(ValueReport{static_cast<uint32_t>(value)}, report);
}

absl::StatusOr<accounting::SubmissionLoss> PureDump::Loss(int64_t honest, double) const {
  const int64_t counted = std::min(honest, dummies_.options().honest);
  TOMBOLA_ASSIGN_OR_RETURN(const accounting::NoiseLaw law, NoiseOf(counted));
  return accounting::SubmissionLoss{
      .parts = accounting::SeveralCells(law, filling_.cells(), filling_.units),
      .charge = dummies_.Charge(counted)};
}

}  // namespace tombola::mechanism
