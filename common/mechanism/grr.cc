#include "common/mechanism/grr.h"

#include <algorithm>

#include "absl/status/status.h"
#include "common/accounting/composition.h"
#include "common/accounting/search.h"
#include "common/base/status_macros.h"
#include "common/table/domain_size.h"
#include "common/table/support.h"
#include "common/table/threshold.h"

namespace tombola::mechanism {

absl::StatusOr<Grr> Grr::Create(const GrrOptions& options) {
  TOMBOLA_RETURN_IF_ERROR(ValidateDomain(options.domain_size));
  TOMBOLA_RETURN_IF_ERROR(ValidateFilling(options.filling, options.domain_size));
  TOMBOLA_RETURN_IF_ERROR(ValidateDistinct(options.filling, Grr::kName));
  if (options.blanket_threshold < 1) {
    return absl::InvalidArgumentError("grr.blanket_threshold is 0; it must be at least 1");
  }
  return Grr(options);
}

Grr::Grr(const GrrOptions& options)
    : options_(options), gamma_(FractionRoundedDown(options.blanket_threshold)) {}

Parameters Grr::parameters() const {
  Parameters parameters;
  SayFilling(options_.filling, &parameters);
  return parameters;
}

// A uniform report is one of the device's own cells with probability held / domain_size.
accounting::Blanket Grr::BlanketOf(int64_t honest) const {
  return {.honest = honest,
          .range = static_cast<double>(options_.domain_size) /
                   static_cast<double>(options_.filling.held),
          .gamma = gamma_};
}

accounting::Responses Grr::ResponsesOf(int64_t honest) const {
  return {.honest = honest,
          .cells = options_.domain_size,
          .held = options_.filling.held,
          .sent = options_.filling.sent,
          .gamma = gamma_};
}

double Grr::local_epsilon() const {
  if (options_.filling.sent == 1) {
    return accounting::LocalEpsilon(BlanketOf(1).range, gamma_);
  }
  const double one = accounting::LocalEpsilon(static_cast<double>(options_.domain_size), gamma_);
  return accounting::Times(options_.filling.sent, one);
}

absl::StatusOr<double> Grr::Delta(int64_t honest, double epsilon) const {
  if (options_.filling.sent == 1) return accounting::Delta(BlanketOf(honest), epsilon);
  if (epsilon >= local_epsilon()) return 0;
  return accounting::ResponsesDelta(ResponsesOf(honest), epsilon);
}

absl::StatusOr<double> Grr::EpsilonAt(int64_t honest, double delta) const {
  if (options_.filling.sent == 1) return accounting::EpsilonAt(BlanketOf(honest), delta);
  const auto epsilon = accounting::ResponsesEpsilon(ResponsesOf(honest), delta);
  if (absl::IsFailedPrecondition(epsilon.status())) return local_epsilon();
  TOMBOLA_RETURN_IF_ERROR(epsilon.status());
  return std::min(*epsilon, local_epsilon());
}

absl::StatusOr<int64_t> Grr::SmallestHonest(double epsilon, double delta) const {
  if (options_.filling.sent == 1) {
    return accounting::SmallestHonest(BlanketOf(1), epsilon, delta);
  }
  if (epsilon >= local_epsilon()) return 1;
  return accounting::SmallestResponsesHonest(ResponsesOf(1), epsilon, delta);
}

// A holder says the cell truthfully in one of its reports, with probability (sent / held)
// (1 - gamma); each of its reports names it by chance with probability gamma / domain_size. The
// former and one of the latter are one variable, the other reports are coins.
CountModel Grr::count_model() const {
  const Filling& filling = options_.filling;
  const double truthful = ComplementOf(options_.blanket_threshold) *
                          static_cast<double>(filling.sent) / static_cast<double>(filling.held);
  if (filling == Filling()) {
    return {.support = ResponseSupport(static_cast<double>(options_.domain_size), truthful)};
  }
  const double chance =
      (1 - ComplementOf(options_.blanket_threshold)) / static_cast<double>(options_.domain_size);
  CountModel model{
      .support = {.holder = truthful + chance, .other = chance, .separation = truthful}};
  if (filling.sent == 1) return model;
  model.noise = CountModel::Noise::kCoins;
  model.coins = filling.sent - 1;
  model.noise_mean = static_cast<double>(model.coins) * chance;
  model.noise_variance = model.noise_mean * (1 - chance);
  model.noise_third = model.noise_variance * (1 - 2 * chance);
  return model;
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

absl::StatusOr<accounting::SubmissionLoss> Grr::Loss(int64_t honest, double negligible) const {
  if (options_.filling.sent == 1) return Mechanism::Loss(honest, negligible);
  return accounting::ResponsesLoss(ResponsesOf(honest), /*charge=*/negligible);
}

}  // namespace tombola::mechanism
