#include "common/mechanism/murs.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/accounting/blanket.h"
#include "common/accounting/search.h"

namespace tombola::mechanism {
absl::StatusOr<Murs> Murs::Create(const LocalHashOptions& options, int64_t fakes) {
  absl::StatusOr<LocalHash> local_hash = LocalHash::Create(options);
  if (!local_hash.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("murs: ", local_hash.status().message()));
  }
  if (fakes < 1 || fakes > kMaxFakes) {
    return absl::InvalidArgumentError(
        absl::StrCat("murs.fakes is ", fakes, "; it must be in [1, 2^32]"));
  }
  return Murs(*std::move(local_hash), fakes);
}

Murs::Murs(LocalHash local_hash, int64_t fakes)
    : local_hash_(std::move(local_hash)), fakes_(fakes) {}

Parameters Murs::parameters() const {
  Parameters parameters = local_hash_.parameters();
  parameters.fakes = fakes_;
  return parameters;
}

absl::StatusOr<double> Murs::Delta(int64_t honest, double epsilon) const {
  return accounting::Delta(local_hash_.BlanketOf(honest, fakes_), epsilon);
}

absl::StatusOr<double> Murs::EpsilonAt(int64_t honest, double delta) const {
  return accounting::EpsilonAt(local_hash_.BlanketOf(honest, fakes_), delta);
}

absl::StatusOr<int64_t> Murs::SmallestHonest(double epsilon, double delta) const {
  return accounting::SmallestHonest(local_hash_.BlanketOf(/*honest=*/1, fakes_), epsilon, delta);
}

CountModel Murs::count_model() const {
  CountModel model = local_hash_.count_model();
  model.fake_support = 1 / static_cast<double>(local_hash_.options().range);
  return model;
}

void Murs::DrawFake(RandomSource& random, absl::Span<uint8_t> report) const {
  local_hash_.DrawFake(random, report);
}

}  // namespace tombola::mechanism
