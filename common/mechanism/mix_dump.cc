#include "common/mechanism/mix_dump.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "common/accounting/blanket.h"
#include "common/accounting/dummies.h"
#include "common/accounting/noise_law.h"
#include "common/base/status_macros.h"
#include "common/mechanism/spread_noise.h"

namespace tombola::mechanism {
namespace {

// What hides a submission if `honest` of them follow the mechanism.
struct Cover {
  accounting::Blanket blanket;
  accounting::NoiseLaw dummies;
  double charge = 0;  // in delta
};

absl::StatusOr<Cover> CoverOf(const Grr& response, const Dummies& dummies, int64_t honest) {
  Cover cover;
  cover.blanket = {.honest = std::min(honest, dummies.options().honest),
                   .range = static_cast<double>(response.domain_size()),
                   .gamma = response.gamma()};
  TOMBOLA_RETURN_IF_ERROR(accounting::Validate(cover.blanket));
  const double mean = dummies.TotalMean(cover.blanket.honest);
  TOMBOLA_ASSIGN_OR_RETURN(
      cover.dummies, accounting::PoissonNoise(std::min(mean, accounting::kLargestPoissonMean)));
  cover.charge = dummies.Charge(cover.blanket.honest);
  return cover;
}

}  // namespace

absl::StatusOr<MixDump> MixDump::Create(const GrrOptions& response, const DummyOptions& dummies) {
  if (response.blanket_threshold < 1) {
    return absl::InvalidArgumentError(
        "mix_dump.response.blanket_threshold is 0; it must be at least 1");
  }
  TOMBOLA_ASSIGN_OR_RETURN(Grr made_response, Grr::Create(response));
  TOMBOLA_ASSIGN_OR_RETURN(Dummies made_dummies, Dummies::Create(dummies, "mix_dump.dummies."));
  return MixDump(std::move(made_response), std::move(made_dummies));
}

MixDump::MixDump(Grr response, Dummies dummies)
    : response_(std::move(response)), dummies_(std::move(dummies)) {}

Parameters MixDump::parameters() const {
  const int64_t honest = dummies_.options().honest;
  return {.dummies = dummies_.TotalMean(honest) / static_cast<double>(domain_size()),
          .honest = honest};
}

absl::StatusOr<double> MixDump::Delta(int64_t honest, double epsilon) const {
  TOMBOLA_ASSIGN_OR_RETURN(const Cover cover, CoverOf(response_, dummies_, honest));
  TOMBOLA_ASSIGN_OR_RETURN(const double delta,
                           accounting::DummiesDelta(cover.blanket, cover.dummies, epsilon));
  // The response alone guarantees epsilon, whatever the dummies' number.
  if (delta == 0) return 0;
  return std::min(1.0, delta + cover.charge);
}

absl::StatusOr<double> MixDump::EpsilonAt(int64_t honest, double delta) const {
  TOMBOLA_RETURN_IF_ERROR(accounting::ValidateDelta(delta));
  TOMBOLA_ASSIGN_OR_RETURN(const Cover cover, CoverOf(response_, dummies_, honest));
  if (cover.charge >= delta) return local_epsilon();
  TOMBOLA_ASSIGN_OR_RETURN(
      const double epsilon,
      accounting::DummiesEpsilon(cover.blanket, cover.dummies, delta - cover.charge));
  return std::min(epsilon, local_epsilon());
}

absl::StatusOr<int64_t> MixDump::SmallestHonest(double epsilon, double delta) const {
  return SizedHonest(*this, dummies_.options().honest, epsilon, delta);
}

CountModel MixDump::count_model() const {
  CountModel model = response_.count_model();
  dummies_.AddTo(model, domain_size());
  return model;
}

void MixDump::DrawFake(RandomSource& random, absl::Span<uint8_t> report) const {
  response_.DrawFake(random, report);
}

}  // namespace tombola::mechanism
