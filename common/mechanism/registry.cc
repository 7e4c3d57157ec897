#include "common/mechanism/registry.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/mechanism/every.h"

namespace tombola::mechanism {
namespace {

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

// What the kind says of the table.
struct Counted {
  int64_t domain_size;
  const Filling& filling;
  absl::Span<const int64_t> levels;
};

// How a mechanism stands in a task: Read and Write, one pair a mechanism.
template <typename M>
absl::StatusOr<M> Read(const v1::Mechanism& wire, const Counted& counted);
template <typename M>
void Write(const M& from, v1::Mechanism* wire);

template <>
absl::StatusOr<LocalHash> Read(const v1::Mechanism& wire, const Counted& counted) {
  TOMBOLA_RETURN_IF_ERROR(ValidateOneCell(counted.filling, LocalHash::kName));
  TOMBOLA_ASSIGN_OR_RETURN(const LocalHashOptions options,
                           OptionsFromProto(wire.local_hash(), "local_hash", counted.domain_size));
  return LocalHash::Create(options);
}

template <>
void Write(const LocalHash& from, v1::Mechanism* wire) {
  OptionsToProto(from.options(), wire->mutable_local_hash());
}

template <>
absl::StatusOr<Grr> Read(const v1::Mechanism& wire, const Counted& counted) {
  return Grr::Create({wire.grr().blanket_threshold(), counted.domain_size, counted.filling});
}

template <>
void Write(const Grr& from, v1::Mechanism* wire) {
  wire->mutable_grr()->set_blanket_threshold(from.options().blanket_threshold);
}

template <>
absl::StatusOr<Aue> Read(const v1::Mechanism& wire, const Counted& counted) {
  const v1::Aue& aue = wire.aue();
  return Aue::Create({.coin_threshold = aue.coin_threshold(),
                      .honest = Count(aue.honest()),
                      .max_dummies = aue.max_dummies(),
                      .domain_size = counted.domain_size,
                      .filling = counted.filling});
}

template <>
void Write(const Aue& from, v1::Mechanism* wire) {
  v1::Aue* aue = wire->mutable_aue();
  aue->set_coin_threshold(from.options().coin_threshold);
  aue->set_honest(static_cast<uint64_t>(from.options().honest));
  aue->set_max_dummies(static_cast<uint32_t>(from.options().max_dummies));
}

// Before any is read: there may be as many as a message holds.
absl::Status CheckLevels(const v1::PureDump& wire, const Counted& counted) {
  if (counted.levels.size() < 2) {
    return absl::InvalidArgumentError(
        "pure_dump.level_rates must be absent: it is for numbers that are counted on "
        "several levels");
  }
  if (wire.level_rates_size() != static_cast<int>(counted.levels.size())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "pure_dump.level_rates has ", wire.level_rates_size(),
        " rates; it must have one for each of the ", counted.levels.size(), " levels, or none"));
  }
  if (counted.filling.sent == counted.filling.held) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("pure_dump.level_rates must be absent where a device says ",
                   counted.filling.sent, " of ", counted.filling.held, " levels"));
}

template <>
absl::StatusOr<PureDump> Read(const v1::Mechanism& wire, const Counted& counted) {
  const v1::PureDump& pure_dump = wire.pure_dump();
  const DummyOptions options = OptionsFromProto(pure_dump.dummies());
  if (pure_dump.level_rates().empty()) {
    return PureDump::Create(options, counted.domain_size, counted.filling);
  }
  TOMBOLA_RETURN_IF_ERROR(CheckLevels(pure_dump, counted));
  std::vector<DummyLevel> levels;
  for (const int64_t cells : counted.levels) {
    levels.push_back({cells, pure_dump.level_rates(static_cast<int>(levels.size()))});
  }
  return PureDump::Create(options, std::move(levels));
}

template <>
void Write(const PureDump& from, v1::Mechanism* wire) {
  v1::PureDump* pure_dump = wire->mutable_pure_dump();
  OptionsToProto(from.dummies().options(), pure_dump->mutable_dummies());
  if (from.levels().empty()) return;
  pure_dump->mutable_dummies()->clear_rate();
  for (const DummyLevel& level : from.levels()) pure_dump->add_level_rates(level.rate);
}

template <>
absl::StatusOr<MixDump> Read(const v1::Mechanism& wire, const Counted& counted) {
  TOMBOLA_RETURN_IF_ERROR(ValidateOneCell(counted.filling, MixDump::kName));
  const v1::MixDump& mix_dump = wire.mix_dump();
  return MixDump::Create({mix_dump.response().blanket_threshold(), counted.domain_size},
                         OptionsFromProto(mix_dump.dummies()));
}

template <>
void Write(const MixDump& from, v1::Mechanism* wire) {
  v1::MixDump* mix_dump = wire->mutable_mix_dump();
  mix_dump->mutable_response()->set_blanket_threshold(from.response().options().blanket_threshold);
  OptionsToProto(from.dummies().options(), mix_dump->mutable_dummies());
}

template <>
absl::StatusOr<Murs> Read(const v1::Mechanism& wire, const Counted& counted) {
  TOMBOLA_RETURN_IF_ERROR(ValidateOneCell(counted.filling, Murs::kName));
  TOMBOLA_ASSIGN_OR_RETURN(
      const LocalHashOptions options,
      OptionsFromProto(wire.murs().local_hash(), "murs.local_hash", counted.domain_size));
  return Murs::Create(options, Count(wire.murs().fakes()));
}

template <>
void Write(const Murs& from, v1::Mechanism* wire) {
  OptionsToProto(from.local_hash().options(), wire->mutable_murs()->mutable_local_hash());
  wire->mutable_murs()->set_fakes(static_cast<uint64_t>(from.fakes()));
}

template <>
absl::StatusOr<Correlated> Read(const v1::Mechanism& wire, const Counted& counted) {
  const v1::Correlated& correlated = wire.correlated();
  return Correlated::Create({.noise_success = correlated.noise_success(),
                             .flood_success = correlated.flood_success(),
                             .noise_rate = correlated.noise_rate(),
                             .flood_rate = correlated.flood_rate(),
                             .honest = Count(correlated.honest()),
                             .max_noise = correlated.max_noise(),
                             .domain_size = counted.domain_size,
                             .filling = counted.filling});
}

template <>
void Write(const Correlated& from, v1::Mechanism* wire) {
  const CorrelatedOptions& options = from.options();
  v1::Correlated* correlated = wire->mutable_correlated();
  correlated->set_noise_success(options.noise_success);
  correlated->set_flood_success(options.flood_success);
  correlated->set_noise_rate(options.noise_rate);
  correlated->set_flood_rate(options.flood_rate);
  correlated->set_honest(static_cast<uint64_t>(options.honest));
  correlated->set_max_noise(static_cast<uint32_t>(options.max_noise));
}

template <>
absl::StatusOr<Rappor> Read(const v1::Mechanism& wire, const Counted& counted) {
  TOMBOLA_RETURN_IF_ERROR(ValidateOneCell(counted.filling, Rappor::kName));
  const v1::Rappor& rappor = wire.rappor();
  if (rappor.cohorts() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("rappor.cohorts is ", rappor.cohorts(), "; it must be 1"));
  }
  return Rappor::Create({.bits = rappor.bits(),
                         .hashes = rappor.hashes(),
                         .seed = rappor.seed(),
                         .prr_threshold = rappor.prr_threshold(),
                         .irr_p_threshold = rappor.irr_p_threshold(),
                         .irr_q_threshold = rappor.irr_q_threshold(),
                         .domain_size = counted.domain_size});
}

template <>
void Write(const Rappor& from, v1::Mechanism* wire) {
  const BloomOptions& options = from.bloom()->options();
  v1::Rappor* rappor = wire->mutable_rappor();
  rappor->set_bits(static_cast<uint32_t>(options.bits));
  rappor->set_hashes(static_cast<uint32_t>(options.hashes));
  rappor->set_cohorts(1);
  rappor->set_seed(options.seed);
  rappor->set_prr_threshold(options.prr_threshold);
  rappor->set_irr_p_threshold(options.irr_p_threshold);
  rappor->set_irr_q_threshold(options.irr_q_threshold);
}

struct Known {
  absl::string_view name;  // also of its field in v1::Mechanism
  absl::StatusOr<std::shared_ptr<const Mechanism>> (*read)(const v1::Mechanism&, const Counted&);
  void (*write)(const Mechanism&, v1::Mechanism*);
};

const auto kKnown = ForEvery([]<typename M>(std::type_identity<M>) {
  return Known{
      .name = M::kName,
      .read = [](const v1::Mechanism& wire,
                 const Counted& counted) -> absl::StatusOr<std::shared_ptr<const Mechanism>> {
        TOMBOLA_ASSIGN_OR_RETURN(M made, Read<M>(wire, counted));
        return std::make_shared<const M>(std::move(made));
      },
      .write = [](const Mechanism& from,
                  v1::Mechanism* wire) { Write(static_cast<const M&>(from), wire); }};
});

}  // namespace

absl::StatusOr<std::shared_ptr<const Mechanism>> FromProto(const v1::Mechanism& wire,
                                                           int64_t domain_size,
                                                           const Filling& filling,
                                                           absl::Span<const int64_t> levels) {
  const auto* set =
      v1::Mechanism::descriptor()->FindFieldByNumber(static_cast<int>(wire.kind_case()));
  for (const Known& known : kKnown) {
    if (set != nullptr && set->name() == known.name)
      return known.read(wire, {domain_size, filling, levels});
  }
  return absl::InvalidArgumentError(absl::StrCat("mechanism.kind is unset; it must be one of ",
                                                 absl::StrJoin(MechanismNames(), ", ")));
}

void ToProto(const Mechanism& mechanism, v1::Mechanism* wire) {
  wire->Clear();
  for (const Known& known : kKnown) {
    if (known.name == mechanism.name()) return known.write(mechanism, wire);
  }
  TOMBOLA_CHECK(false && "a mechanism that is not in the list");
}

}  // namespace tombola::mechanism
