#include "common/mechanism/grr.h"

#include "absl/status/status.h"
#include "common/accounting/blanket.h"
#include "common/accounting/search.h"
#include "common/base/status_macros.h"
#include "common/table/domain_size.h"
#include "common/table/support.h"
#include "common/table/threshold.h"

namespace tombola::mechanism {

absl::StatusOr<Grr> Grr::Create(const GrrOptions& options) {
  TOMBOLA_RETURN_IF_ERROR(ValidateDomain(options.domain_size));
  if (options.blanket_threshold < 1) {
    return absl::InvalidArgumentError("grr.blanket_threshold is 0; it must be at least 1");
  }
  return Grr(options);
}

Grr::Grr(const GrrOptions& options)
    : options_(options), gamma_(FractionRoundedDown(options.blanket_threshold)) {}

double Grr::local_epsilon() const {
  return accounting::LocalEpsilon(static_cast<double>(options_.domain_size), gamma_);
}

absl::StatusOr<double> Grr::Delta(int64_t honest, double epsilon) const {
  return accounting::Delta(
      {.honest = honest, .range = static_cast<double>(options_.domain_size), .gamma = gamma_},
      epsilon);
}

absl::StatusOr<double> Grr::EpsilonAt(int64_t honest, double delta) const {
  return accounting::EpsilonAt(
      {.honest = honest, .range = static_cast<double>(options_.domain_size), .gamma = gamma_},
      delta);
}

absl::StatusOr<int64_t> Grr::SmallestHonest(double epsilon, double delta) const {
  return accounting::SmallestHonest(
      {.honest = 1, .range = static_cast<double>(options_.domain_size), .gamma = gamma_}, epsilon,
      delta);
}

CountModel Grr::count_model() const {
  return {.support = ResponseSupport(static_cast<double>(options_.domain_size),
                                     ComplementOf(options_.blanket_threshold))};
}

void Grr::DrawFake(RandomSource& random, absl::Span<uint8_t> report) const {
  const auto values = static_cast<uint64_t>(options_.domain_size);
  Write(ValueReport{static_cast<uint32_t>(UniformBelow(values, random))}, report);
}

// The uniform value is drawn in either case, so that what is drawn tells nothing.
uint32_t Grr::Randomise(uint64_t value, RandomSource& random) const {
  const bool blanket = BernoulliBelow(options_.blanket_threshold, random);
  const uint64_t uniform = UniformBelow(static_cast<uint64_t>(options_.domain_size), random);
  return static_cast<uint32_t>(blanket ? uniform : value);
}

}  // namespace tombola::mechanism
