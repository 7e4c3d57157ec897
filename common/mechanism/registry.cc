#include "common/mechanism/registry.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/mechanism/aue.h"
#include "common/mechanism/correlated.h"
#include "common/mechanism/grr.h"
#include "common/mechanism/local_hash.h"
#include "common/mechanism/mix_dump.h"
#include "common/mechanism/murs.h"
#include "common/mechanism/pure_dump.h"

namespace tombola::mechanism {
namespace {

using Made = absl::StatusOr<std::shared_ptr<const Mechanism>>;

template <typename Kind>
Made Share(absl::StatusOr<Kind> made) {
  if (!made.ok()) return made.status();
  return std::make_shared<const Kind>(*std::move(made));
}

// A number that an int64_t cannot hold is beyond every bound.
int64_t Count(uint64_t wire) {
  return static_cast<int64_t>(
      std::min(wire, static_cast<uint64_t>(std::numeric_limits<int64_t>::max())));
}

absl::StatusOr<HashFamily> FamilyFromProto(v1::HashFamily wire, absl::string_view field) {
  switch (wire) {
    case v1::HASH_FAMILY_PLANE:
      return HashFamily::kPlane;
    case v1::HASH_FAMILY_AFFINE:
      return HashFamily::kAffine;
    default:
      return absl::InvalidArgumentError(
          absl::StrCat("mechanism.", field, ".family is ", static_cast<int>(wire),
                       "; it must be HASH_FAMILY_PLANE (1) or HASH_FAMILY_AFFINE (2)"));
  }
}

absl::StatusOr<LocalHashOptions> OptionsFromProto(const v1::LocalHash& wire,
                                                  absl::string_view field, int64_t domain_size) {
  LocalHashOptions options;
  TOMBOLA_ASSIGN_OR_RETURN(options.family, FamilyFromProto(wire.family(), field));
  options.range = wire.range();
  options.blanket_threshold = wire.blanket_threshold();
  options.lane_bits = wire.lane_bits();
  options.domain_size = domain_size;
  return options;
}

DummyOptions OptionsFromProto(const v1::Dummies& wire) {
  return {.rate = wire.rate(), .honest = Count(wire.honest()), .max = wire.max()};
}

Made KindFromProto(const v1::LocalHash& wire, int64_t domain_size) {
  TOMBOLA_ASSIGN_OR_RETURN(const LocalHashOptions options,
                           OptionsFromProto(wire, "local_hash", domain_size));
  return Share(LocalHash::Create(options));
}

Made KindFromProto(const v1::Grr& wire, int64_t domain_size) {
  return Share(Grr::Create({wire.blanket_threshold(), domain_size}));
}

Made KindFromProto(const v1::Aue& wire, int64_t domain_size) {
  return Share(Aue::Create({.coin_threshold = wire.coin_threshold(),
                            .honest = Count(wire.honest()),
                            .max_dummies = wire.max_dummies(),
                            .domain_size = domain_size}));
}

Made KindFromProto(const v1::PureDump& wire, int64_t domain_size) {
  return Share(PureDump::Create(OptionsFromProto(wire.dummies()), domain_size));
}

Made KindFromProto(const v1::MixDump& wire, int64_t domain_size) {
  return Share(MixDump::Create({wire.response().blanket_threshold(), domain_size},
                               OptionsFromProto(wire.dummies())));
}

Made KindFromProto(const v1::Murs& wire, int64_t domain_size) {
  TOMBOLA_ASSIGN_OR_RETURN(const LocalHashOptions options,
                           OptionsFromProto(wire.local_hash(), "murs.local_hash", domain_size));
  return Share(Murs::Create(options, Count(wire.fakes())));
}

Made KindFromProto(const v1::Correlated& wire, int64_t domain_size) {
  return Share(Correlated::Create({.noise_success = wire.noise_success(),
                                   .flood_success = wire.flood_success(),
                                   .noise_rate = wire.noise_rate(),
                                   .flood_rate = wire.flood_rate(),
                                   .honest = Count(wire.honest()),
                                   .max_noise = wire.max_noise(),
                                   .domain_size = domain_size}));
}

void OptionsToProto(const LocalHashOptions& options, v1::LocalHash* wire) {
  wire->set_family(options.family == HashFamily::kPlane ? v1::HASH_FAMILY_PLANE
                                                        : v1::HASH_FAMILY_AFFINE);
  wire->set_range(options.range);
  wire->set_blanket_threshold(options.blanket_threshold);
  wire->set_lane_bits(options.lane_bits);
}

void OptionsToProto(const DummyOptions& options, v1::Dummies* wire) {
  wire->set_rate(options.rate);
  wire->set_honest(static_cast<uint64_t>(options.honest));
  wire->set_max(static_cast<uint32_t>(options.max));
}

void KindToProto(const LocalHash& from, v1::Mechanism* wire) {
  OptionsToProto(from.options(), wire->mutable_local_hash());
}

void KindToProto(const Grr& from, v1::Mechanism* wire) {
  wire->mutable_grr()->set_blanket_threshold(from.options().blanket_threshold);
}

void KindToProto(const Aue& from, v1::Mechanism* wire) {
  v1::Aue* aue = wire->mutable_aue();
  aue->set_coin_threshold(from.options().coin_threshold);
  aue->set_honest(static_cast<uint64_t>(from.options().honest));
  aue->set_max_dummies(static_cast<uint32_t>(from.options().max_dummies));
}

void KindToProto(const PureDump& from, v1::Mechanism* wire) {
  OptionsToProto(from.dummies().options(), wire->mutable_pure_dump()->mutable_dummies());
}

void KindToProto(const MixDump& from, v1::Mechanism* wire) {
  v1::MixDump* mix_dump = wire->mutable_mix_dump();
  mix_dump->mutable_response()->set_blanket_threshold(from.response().options().blanket_threshold);
  OptionsToProto(from.dummies().options(), mix_dump->mutable_dummies());
}

void KindToProto(const Murs& from, v1::Mechanism* wire) {
  OptionsToProto(from.local_hash().options(), wire->mutable_murs()->mutable_local_hash());
  wire->mutable_murs()->set_fakes(static_cast<uint64_t>(from.fakes()));
}

void KindToProto(const Correlated& from, v1::Mechanism* wire) {
  const CorrelatedOptions& options = from.options();
  v1::Correlated* correlated = wire->mutable_correlated();
  correlated->set_noise_success(options.noise_success);
  correlated->set_flood_success(options.flood_success);
  correlated->set_noise_rate(options.noise_rate);
  correlated->set_flood_rate(options.flood_rate);
  correlated->set_honest(static_cast<uint64_t>(options.honest));
  correlated->set_max_noise(static_cast<uint32_t>(options.max_noise));
}

template <typename Kind>
bool ToProtoAs(const Mechanism& mechanism, v1::Mechanism* wire) {
  const auto* kind = dynamic_cast<const Kind*>(&mechanism);
  if (kind == nullptr) return false;
  KindToProto(*kind, wire);
  return true;
}

template <typename... Kinds>
bool ToProtoAsOneOf(const Mechanism& mechanism, v1::Mechanism* wire) {
  return (ToProtoAs<Kinds>(mechanism, wire) || ...);
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Mechanism>> FromProto(const v1::Mechanism& wire,
                                                           int64_t domain_size) {
  switch (wire.kind_case()) {
    case v1::Mechanism::kLocalHash:
      return KindFromProto(wire.local_hash(), domain_size);
    case v1::Mechanism::kGrr:
      return KindFromProto(wire.grr(), domain_size);
    case v1::Mechanism::kAue:
      return KindFromProto(wire.aue(), domain_size);
    case v1::Mechanism::kPureDump:
      return KindFromProto(wire.pure_dump(), domain_size);
    case v1::Mechanism::kMixDump:
      return KindFromProto(wire.mix_dump(), domain_size);
    case v1::Mechanism::kMurs:
      return KindFromProto(wire.murs(), domain_size);
    case v1::Mechanism::kCorrelated:
      return KindFromProto(wire.correlated(), domain_size);
    case v1::Mechanism::KIND_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError(
      "mechanism.kind is unset; it must be local_hash, grr, aue, pure_dump, mix_dump, murs or "
      "correlated");
}

void ToProto(const Mechanism& mechanism, v1::Mechanism* wire) {
  wire->Clear();
  const bool known =
      ToProtoAsOneOf<LocalHash, Grr, Aue, PureDump, MixDump, Murs, Correlated>(mechanism, wire);
  TOMBOLA_CHECK(known);
}

}  // namespace tombola::mechanism
