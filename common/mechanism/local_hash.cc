#include "common/mechanism/local_hash.h"

#include "common/accounting/search.h"
#include "common/base/status_macros.h"
#include "common/table/hash_family.h"
#include "common/table/local_hash_report.h"
#include "common/table/threshold.h"

namespace tombola::mechanism {
namespace {

Support SupportOf(const LocalHashOptions& options) {
  const double truthful = ComplementOf(options.blanket_threshold);
  const double range = static_cast<double>(options.range);
  return options.family == HashFamily::kPlane ? PlaneSupport(range, truthful)
                                              : UniversalSupport(range, truthful);
}

}  // namespace

absl::StatusOr<LocalHash> LocalHash::Create(const LocalHashOptions& options) {
  TOMBOLA_RETURN_IF_ERROR(Validate(options));
  return LocalHash(options);
}

LocalHash::LocalHash(const LocalHashOptions& options)
    : Hashing(options), support_(SupportOf(options)) {}

double LocalHash::local_epsilon() const {
  return accounting::LocalEpsilon(static_cast<double>(options().range), gamma());
}

accounting::Blanket LocalHash::BlanketOf(int64_t honest, int64_t fakes) const {
  const auto range = static_cast<double>(options().range);
  return {.honest = honest,
          .range = range,
          .gamma = gamma(),
          .fakes = fakes,
          .collision = CollisionOf(options().family, range)};
}

absl::StatusOr<double> LocalHash::Delta(int64_t honest, double epsilon) const {
  return accounting::Delta(BlanketOf(honest, /*fakes=*/0), epsilon);
}

absl::StatusOr<double> LocalHash::EpsilonAt(int64_t honest, double delta) const {
  return accounting::EpsilonAt(BlanketOf(honest, /*fakes=*/0), delta);
}

absl::StatusOr<int64_t> LocalHash::SmallestHonest(double epsilon, double delta) const {
  return accounting::SmallestHonest(BlanketOf(/*honest=*/1, /*fakes=*/0), epsilon, delta);
}

Parameters LocalHash::parameters() const {
  return {.range = static_cast<double>(options().range),
          .family = options().family == HashFamily::kPlane ? "plane" : "affine"};
}

void LocalHash::DrawFake(RandomSource& random, absl::Span<uint8_t> report) const {
  if (options().family == HashFamily::kPlane) {
    Write(DrawPlane(random), report);
  } else {
    Write(DrawAffine(random), report);
  }
}

}  // namespace tombola::mechanism
