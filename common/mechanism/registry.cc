#include "common/mechanism/registry.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/mechanism/local_hash.h"

namespace tombola::mechanism {
namespace {

absl::StatusOr<HashFamily> FamilyFromProto(v1::HashFamily wire) {
  switch (wire) {
    case v1::HASH_FAMILY_PLANE:
      return HashFamily::kPlane;
    case v1::HASH_FAMILY_AFFINE:
      return HashFamily::kAffine;
    default:
      return absl::InvalidArgumentError(
          absl::StrCat("mechanism.local_hash.family is ", static_cast<int>(wire),
                       "; it must be HASH_FAMILY_PLANE (1) or HASH_FAMILY_AFFINE (2)"));
  }
}

absl::StatusOr<std::shared_ptr<const Mechanism>> LocalHashFromProto(const v1::LocalHash& wire,
                                                                    int64_t domain_size) {
  LocalHashOptions options;
  TOMBOLA_ASSIGN_OR_RETURN(options.family, FamilyFromProto(wire.family()));
  options.range = wire.range();
  options.blanket_threshold = wire.blanket_threshold();
  options.lane_bits = wire.lane_bits();
  options.domain_size = domain_size;
  TOMBOLA_ASSIGN_OR_RETURN(LocalHash local_hash, LocalHash::Create(options));
  return std::make_shared<const LocalHash>(std::move(local_hash));
}

void LocalHashToProto(const LocalHash& local_hash, v1::LocalHash* wire) {
  const LocalHashOptions& options = local_hash.options();
  wire->set_family(options.family == HashFamily::kPlane ? v1::HASH_FAMILY_PLANE
                                                        : v1::HASH_FAMILY_AFFINE);
  wire->set_range(options.range);
  wire->set_blanket_threshold(options.blanket_threshold);
  wire->set_lane_bits(options.lane_bits);
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Mechanism>> FromProto(const v1::Mechanism& wire,
                                                           int64_t domain_size) {
  switch (wire.kind_case()) {
    case v1::Mechanism::kLocalHash:
      return LocalHashFromProto(wire.local_hash(), domain_size);
    case v1::Mechanism::KIND_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("mechanism.kind is unset; it must be local_hash");
}

void ToProto(const Mechanism& mechanism, v1::Mechanism* wire) {
  wire->Clear();
  const auto* local_hash = dynamic_cast<const LocalHash*>(&mechanism);
  TOMBOLA_CHECK(local_hash != nullptr);
  LocalHashToProto(*local_hash, wire->mutable_local_hash());
}

}  // namespace tombola::mechanism
