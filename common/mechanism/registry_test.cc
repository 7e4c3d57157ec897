#include "common/mechanism/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "common/mechanism/every.h"
#include "common/plan/plan.h"

namespace tombola::mechanism {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kDomain = 600;

v1::Mechanism LocalHashWire() {
  v1::Mechanism wire;
  v1::LocalHash* local_hash = wire.mutable_local_hash();
  local_hash->set_family(v1::HASH_FAMILY_AFFINE);
  local_hash->set_range(64);
  local_hash->set_blanket_threshold(0x4000000000000001);
  local_hash->set_lane_bits(32);
  return wire;
}

v1::Mechanism PlaneWire() {
  v1::Mechanism wire;
  wire.mutable_local_hash()->set_family(v1::HASH_FAMILY_PLANE);
  wire.mutable_local_hash()->set_range(31);
  wire.mutable_local_hash()->set_blanket_threshold(5);
  return wire;
}

v1::Mechanism GrrWire() {
  v1::Mechanism wire;
  wire.mutable_grr()->set_blanket_threshold(0x8000000000000003);
  return wire;
}

v1::Mechanism AueWire() {
  v1::Mechanism wire;
  wire.mutable_aue()->set_coin_threshold(uint64_t{1} << 50);
  wire.mutable_aue()->set_honest(900);
  wire.mutable_aue()->set_max_dummies(17);
  return wire;
}

v1::Mechanism PureDumpWire() {
  v1::Mechanism wire;
  v1::Dummies* dummies = wire.mutable_pure_dump()->mutable_dummies();
  dummies->set_rate(uint64_t{3} << 39);
  dummies->set_honest(901);
  dummies->set_max(18);
  return wire;
}

v1::Mechanism MixDumpWire() {
  v1::Mechanism wire;
  wire.mutable_mix_dump()->mutable_response()->set_blanket_threshold(7);
  *wire.mutable_mix_dump()->mutable_dummies() = PureDumpWire().pure_dump().dummies();
  return wire;
}

v1::Mechanism MursWire() {
  v1::Mechanism wire;
  *wire.mutable_murs()->mutable_local_hash() = LocalHashWire().local_hash();
  wire.mutable_murs()->set_fakes(902);
  return wire;
}

v1::Mechanism CorrelatedWire() {
  v1::Mechanism wire;
  v1::Correlated* correlated = wire.mutable_correlated();
  correlated->set_noise_success(uint64_t{3} << 62);
  correlated->set_flood_success(uint64_t{7} << 61);
  correlated->set_noise_rate(uint64_t{1} << 40);
  correlated->set_flood_rate(uint64_t{5} << 40);
  correlated->set_honest(903);
  correlated->set_max_noise(400);
  return wire;
}

std::vector<v1::Mechanism> AllWires() {
  return {LocalHashWire(), PlaneWire(),   GrrWire(),  AueWire(),
          PureDumpWire(),  MixDumpWire(), MursWire(), CorrelatedWire()};
}

template <typename Kind>
std::shared_ptr<const Kind> Read(const v1::Mechanism& wire) {
  const auto mechanism = FromProto(wire, kDomain);
  EXPECT_TRUE(mechanism.ok()) << mechanism.status();
  auto kind = std::dynamic_pointer_cast<const Kind>(mechanism.value());
  EXPECT_NE(kind, nullptr);
  EXPECT_EQ(kind->domain_size(), kDomain);
  return kind;
}

TEST(RegistryTest, ReadsEveryFieldOfOneMessageMechanisms) {
  const auto local_hash = Read<LocalHash>(LocalHashWire());
  EXPECT_EQ(local_hash->options().family, HashFamily::kAffine);
  EXPECT_EQ(local_hash->options().range, 64u);
  EXPECT_EQ(local_hash->options().blanket_threshold, 0x4000000000000001u);
  EXPECT_EQ(local_hash->options().lane_bits, 32u);
  EXPECT_EQ(Read<Grr>(GrrWire())->options().blanket_threshold, 0x8000000000000003u);
  const auto murs = Read<Murs>(MursWire());
  EXPECT_EQ(murs->local_hash().options().range, 64u);
  EXPECT_EQ(murs->fakes(), 902);
}

// Dummies of levels of 6, 3 and 1 cells.
v1::Mechanism LevelsWire() {
  v1::Mechanism wire = PureDumpWire();
  wire.mutable_pure_dump()->mutable_dummies()->clear_rate();
  for (const uint64_t rate : {5, 7, 11}) wire.mutable_pure_dump()->add_level_rates(rate << 36);
  return wire;
}

TEST(RegistryTest, ReadsTheDummiesOfLevelsAndWritesThemBack) {
  const v1::Mechanism wire = LevelsWire();
  const auto made = FromProto(wire, 10, {.held = 3, .sent = 3}, {6, 3, 1});
  ASSERT_TRUE(made.ok()) << made.status();
  const auto& dump = dynamic_cast<const PureDump&>(**made);
  ASSERT_EQ(dump.levels().size(), 3u);
  EXPECT_EQ(dump.levels()[1].cells, 3);
  EXPECT_EQ(dump.levels()[2].rate, uint64_t{11} << 36);
  EXPECT_EQ(dump.dummies().options().rate, uint64_t{23} << 36);
  EXPECT_EQ(dump.domain_size(), 10);
  v1::Mechanism again;
  ToProto(dump, &again);
  EXPECT_EQ(again.SerializeAsString(), wire.SerializeAsString());
}

TEST(RegistryTest, RefusesDummiesOfLevelsThatAreNotThoseOfTheCells) {
  const auto refusal = [](const v1::Mechanism& wire, const Filling& filling,
                          absl::Span<const int64_t> levels) {
    const absl::Status status = FromProto(wire, 10, filling, levels).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    return std::string(status.message());
  };
  const v1::Mechanism good = LevelsWire();
  EXPECT_THAT(refusal(good, {}, {}), HasSubstr("pure_dump.level_rates must be absent"));
  EXPECT_THAT(refusal(good, {}, {10}), HasSubstr("pure_dump.level_rates must be absent"));
  EXPECT_THAT(refusal(good, {.held = 2, .sent = 2}, {6, 4}),
              HasSubstr("has 3 rates; it must have one for each of the 2 levels"));
  EXPECT_THAT(refusal(good, {.held = 3, .sent = 1}, {6, 3, 1}), HasSubstr("says 1 of 3 levels"));
  v1::Mechanism wire = good;
  wire.mutable_pure_dump()->mutable_dummies()->set_rate(1);
  EXPECT_THAT(refusal(wire, {.held = 3, .sent = 3}, {6, 3, 1}),
              HasSubstr("pure_dump.dummies.rate is 1; it must be absent"));
  wire = good;
  wire.mutable_pure_dump()->set_level_rates(1, 0);
  EXPECT_THAT(refusal(wire, {.held = 3, .sent = 3}, {6, 3, 1}), HasSubstr("level_rates[1] is 0"));
}

TEST(RegistryTest, ReadsEveryFieldOfMechanismsWithNoise) {
  const auto aue = Read<Aue>(AueWire());
  EXPECT_EQ(aue->options().coin_threshold, uint64_t{1} << 50);
  EXPECT_EQ(aue->options().honest, 900);
  EXPECT_EQ(aue->options().max_dummies, 17);
  const auto pure_dump = Read<PureDump>(PureDumpWire());
  EXPECT_EQ(pure_dump->dummies().options().rate, uint64_t{3} << 39);
  EXPECT_EQ(pure_dump->dummies().options().honest, 901);
  EXPECT_EQ(pure_dump->dummies().options().max, 18);
  const auto mix_dump = Read<MixDump>(MixDumpWire());
  EXPECT_EQ(mix_dump->response().options().blanket_threshold, 7u);
  EXPECT_EQ(mix_dump->dummies().options().max, 18);
  const CorrelatedOptions correlated = Read<Correlated>(CorrelatedWire())->options();
  EXPECT_EQ(correlated.noise_success, uint64_t{3} << 62);
  EXPECT_EQ(correlated.flood_success, uint64_t{7} << 61);
  EXPECT_EQ(correlated.noise_rate, uint64_t{1} << 40);
  EXPECT_EQ(correlated.flood_rate, uint64_t{5} << 40);
  EXPECT_EQ(correlated.honest, 903);
  EXPECT_EQ(correlated.max_noise, 400);
}

TEST(RegistryTest, WritesBackWhatItRead) {
  for (const v1::Mechanism& wire : AllWires()) {
    v1::Mechanism written = LocalHashWire();
    ToProto(*FromProto(wire, kDomain).value(), &written);
    EXPECT_EQ(written.SerializeAsString(), wire.SerializeAsString()) << wire.DebugString();
  }
}

TEST(RegistryTest, ReadsBackEveryPlan) {
  const PlanRequest request{
      .honest = 50000, .submissions = 60000, .domain_size = kDomain, .epsilon = 1, .delta = 1e-6};
  for (const std::string& name : MechanismNames()) {
    if (OnlyByName(name)) continue;  // for fewer values: below
    const auto planned = PlanOne(name, request);
    ASSERT_TRUE(planned.ok()) << planned.status();
    v1::Mechanism wire;
    ToProto(**planned, &wire);
    const auto read = FromProto(wire, kDomain).value();
    EXPECT_EQ(std::string(read->name()), name);
    EXPECT_EQ(read->PredictedMse(60000), (*planned)->PredictedMse(60000)) << name;
    EXPECT_EQ(read->Delta(50000, 1).value(), (*planned)->Delta(50000, 1).value()) << name;
  }
}

TEST(RegistryTest, ReadsBackRapporAndRefusesWhatItIsNot) {
  v1::Mechanism wire;
  v1::Rappor* const rappor = wire.mutable_rappor();
  rappor->set_bits(32);
  rappor->set_hashes(2);
  rappor->set_cohorts(1);
  rappor->set_seed(5);
  rappor->set_prr_threshold(uint64_t{1} << 63);
  rappor->set_irr_p_threshold(uint64_t{1} << 62);
  rappor->set_irr_q_threshold(uint64_t{3} << 62);
  v1::Mechanism written;
  const auto read = FromProto(wire, 12);
  ASSERT_TRUE(read.ok()) << read.status();
  ToProto(**read, &written);
  EXPECT_EQ(written.SerializeAsString(), wire.SerializeAsString());
  rappor->set_cohorts(2);
  EXPECT_THAT(std::string(FromProto(wire, 12).status().message()),
              HasSubstr("rappor.cohorts is 2; it must be 1"));
  rappor->set_cohorts(1);
  EXPECT_EQ(FromProto(wire, 33).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(FromProto(wire, 12, {.held = 2, .sent = 2}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(RegistryTest, TheKindsOfTheWireAreThoseOfTheList) {
  std::vector<std::string> fields;
  const auto* kind = v1::Mechanism::descriptor()->oneof_decl(0);
  for (int i = 0; i < kind->field_count(); ++i) fields.push_back(kind->field(i)->name());
  EXPECT_EQ(fields, MechanismNames());
}

void ExpectRefused(const v1::Mechanism& wire, const std::string& message) {
  const auto mechanism = FromProto(wire, kDomain);
  ASSERT_EQ(mechanism.status().code(), absl::StatusCode::kInvalidArgument) << message;
  EXPECT_THAT(std::string(mechanism.status().message()), HasSubstr(message));
}

TEST(RegistryTest, RefusesAnUnsetKindAndUnknownFamilies) {
  ExpectRefused(v1::Mechanism(), "mechanism.kind is unset");
  v1::Mechanism wire = LocalHashWire();
  wire.mutable_local_hash()->set_family(v1::HASH_FAMILY_UNSPECIFIED);
  ExpectRefused(wire, "mechanism.local_hash.family is 0");
  wire.mutable_local_hash()->set_family(static_cast<v1::HashFamily>(3));
  ExpectRefused(wire, "mechanism.local_hash.family is 3");
  wire = MursWire();
  wire.mutable_murs()->mutable_local_hash()->clear_family();
  ExpectRefused(wire, "mechanism.murs.local_hash.family is 0");
}

TEST(RegistryTest, RefusesEveryKindWithoutFields) {
  v1::Mechanism wire;
  wire.mutable_local_hash();
  ExpectRefused(wire, "mechanism.local_hash.family");
  wire.mutable_grr();
  ExpectRefused(wire, "grr.blanket_threshold");
  wire.mutable_aue();
  ExpectRefused(wire, "aue.coin_threshold");
  wire.mutable_pure_dump();
  ExpectRefused(wire, "pure_dump.dummies.rate");
  wire.mutable_mix_dump();
  ExpectRefused(wire, "mix_dump.response.blanket_threshold");
  wire.mutable_murs();
  ExpectRefused(wire, "mechanism.murs.local_hash.family");
  wire.mutable_correlated();
  ExpectRefused(wire, "correlated.noise_success");
}

// Each breaks one field of a valid message, by leaving it out.
TEST(RegistryTest, RefusesEachUnsetField) {
  struct Case {
    v1::Mechanism valid;
    std::function<void(v1::Mechanism*)> unset;
    std::string message;
  };
  for (Case c : std::vector<Case>{
           {LocalHashWire(), [](auto* w) { w->mutable_local_hash()->clear_range(); },
            "local_hash.range"},
           {LocalHashWire(), [](auto* w) { w->mutable_local_hash()->clear_blanket_threshold(); },
            "local_hash.blanket_threshold"},
           {LocalHashWire(), [](auto* w) { w->mutable_local_hash()->clear_lane_bits(); },
            "local_hash.lane_bits"},
           {AueWire(), [](auto* w) { w->mutable_aue()->clear_coin_threshold(); },
            "aue.coin_threshold"},
           {AueWire(), [](auto* w) { w->mutable_aue()->clear_honest(); }, "aue.honest"},
           {AueWire(), [](auto* w) { w->mutable_aue()->clear_max_dummies(); }, "aue.max_dummies"},
           {PureDumpWire(),
            [](auto* w) { w->mutable_pure_dump()->mutable_dummies()->clear_honest(); },
            "pure_dump.dummies.honest"},
           {PureDumpWire(), [](auto* w) { w->mutable_pure_dump()->mutable_dummies()->clear_max(); },
            "pure_dump.dummies.max"},
           {MixDumpWire(), [](auto* w) { w->mutable_mix_dump()->clear_response(); },
            "mix_dump.response.blanket_threshold"},
           {MixDumpWire(), [](auto* w) { w->mutable_mix_dump()->clear_dummies(); },
            "mix_dump.dummies.rate"},
           {MursWire(), [](auto* w) { w->mutable_murs()->clear_fakes(); }, "murs.fakes"},
           {MursWire(), [](auto* w) { w->mutable_murs()->mutable_local_hash()->clear_range(); },
            "murs: local_hash.range"},
           {CorrelatedWire(), [](auto* w) { w->mutable_correlated()->clear_flood_success(); },
            "correlated.flood_success"},
           {CorrelatedWire(), [](auto* w) { w->mutable_correlated()->clear_noise_rate(); },
            "correlated.noise_rate"},
           {CorrelatedWire(), [](auto* w) { w->mutable_correlated()->clear_flood_rate(); },
            "correlated.flood_rate"},
           {CorrelatedWire(), [](auto* w) { w->mutable_correlated()->clear_honest(); },
            "correlated.honest"},
           {CorrelatedWire(), [](auto* w) { w->mutable_correlated()->clear_max_noise(); },
            "correlated.max_noise"}}) {
    c.unset(&c.valid);
    ExpectRefused(c.valid, c.message);
  }
}

TEST(RegistryTest, RefusesNumbersThatNoSignedWordHolds) {
  constexpr uint64_t kHuge = std::numeric_limits<uint64_t>::max();
  v1::Mechanism wire = MursWire();
  wire.mutable_murs()->set_fakes(kHuge);
  ExpectRefused(wire, "murs.fakes");
  wire = AueWire();
  wire.mutable_aue()->set_honest(kHuge);
  ExpectRefused(wire, "aue.honest");
  wire = PureDumpWire();
  wire.mutable_pure_dump()->mutable_dummies()->set_honest(kHuge);
  ExpectRefused(wire, "pure_dump.dummies.honest");
  wire = CorrelatedWire();
  wire.mutable_correlated()->set_honest(kHuge);
  ExpectRefused(wire, "correlated.honest");
  wire = AueWire();
  wire.mutable_aue()->set_max_dummies(65535);
  ExpectRefused(wire, "aue.max_dummies");
}

TEST(RegistryTest, RefusesADomainOutsideItsBoundsForEveryKind) {
  for (const v1::Mechanism& wire : AllWires()) {
    for (const int64_t domain : {int64_t{0}, int64_t{1}, (int64_t{1} << 24) + 1}) {
      EXPECT_EQ(FromProto(wire, domain).status().code(), absl::StatusCode::kInvalidArgument)
          << wire.DebugString();
    }
  }
}

}  // namespace
}  // namespace tombola::mechanism
