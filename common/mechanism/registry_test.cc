#include "common/mechanism/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "common/mechanism/local_hash.h"

namespace tombola::mechanism {
namespace {

using ::testing::HasSubstr;

v1::Mechanism ValidWire() {
  v1::Mechanism wire;
  v1::LocalHash* local_hash = wire.mutable_local_hash();
  local_hash->set_family(v1::HASH_FAMILY_AFFINE);
  local_hash->set_range(64);
  local_hash->set_blanket_threshold(0x4000000000000001);
  local_hash->set_lane_bits(32);
  return wire;
}

void ExpectRefused(const v1::Mechanism& wire, const std::string& message) {
  const auto mechanism = FromProto(wire, 600);
  ASSERT_EQ(mechanism.status().code(), absl::StatusCode::kInvalidArgument) << message;
  EXPECT_THAT(std::string(mechanism.status().message()), HasSubstr(message));
}

TEST(RegistryTest, ReadsEveryField) {
  const auto mechanism = FromProto(ValidWire(), 600);
  ASSERT_TRUE(mechanism.ok()) << mechanism.status();
  const auto local_hash = std::dynamic_pointer_cast<const LocalHash>(*mechanism);
  ASSERT_NE(local_hash, nullptr);
  EXPECT_EQ(local_hash->options().family, HashFamily::kAffine);
  EXPECT_EQ(local_hash->options().range, 64u);
  EXPECT_EQ(local_hash->options().blanket_threshold, 0x4000000000000001u);
  EXPECT_EQ(local_hash->options().lane_bits, 32u);
  EXPECT_EQ(local_hash->options().domain_size, 600);
}

TEST(RegistryTest, WritesBackWhatItRead) {
  v1::Mechanism plane;
  plane.mutable_local_hash()->set_family(v1::HASH_FAMILY_PLANE);
  plane.mutable_local_hash()->set_range(31);
  plane.mutable_local_hash()->set_blanket_threshold(5);
  for (const v1::Mechanism& wire : {ValidWire(), plane}) {
    v1::Mechanism written = ValidWire();
    ToProto(*FromProto(wire, 600).value(), &written);
    EXPECT_EQ(written.SerializeAsString(), wire.SerializeAsString());
  }
}

TEST(RegistryTest, RefusesAnUnsetKindAndUnknownFamilies) {
  ExpectRefused(v1::Mechanism(), "mechanism.kind is unset");
  v1::Mechanism wire = ValidWire();
  wire.mutable_local_hash()->set_family(v1::HASH_FAMILY_UNSPECIFIED);
  ExpectRefused(wire, "mechanism.local_hash.family is 0");
  wire.mutable_local_hash()->set_family(static_cast<v1::HashFamily>(3));
  ExpectRefused(wire, "mechanism.local_hash.family is 3");
}

TEST(RegistryTest, RefusesWhatTheMechanismRefuses) {
  v1::Mechanism wire = ValidWire();
  wire.mutable_local_hash()->set_range(0);
  ExpectRefused(wire, "local_hash.range");
  wire = ValidWire();
  wire.mutable_local_hash()->clear_blanket_threshold();
  ExpectRefused(wire, "local_hash.blanket_threshold");
  wire = ValidWire();
  wire.mutable_local_hash()->clear_lane_bits();
  ExpectRefused(wire, "local_hash.lane_bits");
}

}  // namespace
}  // namespace tombola::mechanism
