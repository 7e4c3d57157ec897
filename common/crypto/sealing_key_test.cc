#include "common/crypto/sealing_key.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "common/base/encoding.h"
#include "common/random/secure_random.h"

namespace tombola::crypto {
namespace {

// Hands out zeros: for the published vectors, whose nonce is zero.
class NoRandom final : public RandomSource {
 public:
  uint64_t Next64() override { return 0; }
  void Fill(absl::Span<uint8_t> out) override { std::fill(out.begin(), out.end(), uint8_t{0}); }
};

SealingKey Drawn() {
  SecureRandom random;
  return SealingKey::Draw(random);
}

// McGrew and Viega, "The Galois/Counter Mode of operation", test cases 13 and 14.
TEST(SealingKeyTest, SealsAsPublished) {
  NoRandom zeros;
  const SealingKey key = *SealingKey::FromBytes(SecretBytes::OfSize(kSealingKeyBytes));
  const std::string nonce(12, '\0');
  EXPECT_EQ(key.Seal({}, "", zeros),
            nonce + absl::HexStringToBytes("530f8afbc74536b9a963b4f1c4cb738b"));
  EXPECT_EQ(key.Seal(std::vector<uint8_t>(16), "", zeros),
            nonce + absl::HexStringToBytes("cea7403d4d606b6e074ec5d3baf39d18"
                                           "d0d1c8a799996bf0265b98b5d48ab919"));
}

TEST(SealingKeyTest, OpensWhatItSealed) {
  SecureRandom random;
  const SealingKey key = Drawn();
  for (const std::string text :
       {"", "a", "several words that are longer than a block of sixteen"}) {
    for (const std::string place : {"", "here"}) {
      const std::string sealed = key.Seal(AsBytes(text), place, random);
      EXPECT_EQ(sealed.size(), text.size() + kSealOverhead);
      EXPECT_EQ(key.Open(sealed, place)->ExposeSecretAsString(), text);
    }
  }
}

TEST(SealingKeyTest, NoTwoSealsAreAlike) {
  SecureRandom random;
  const SealingKey key = Drawn();
  EXPECT_NE(key.Seal(AsBytes("text"), "", random), key.Seal(AsBytes("text"), "", random));
}

TEST(SealingKeyTest, RefusesEverythingElse) {
  SecureRandom random;
  const SealingKey key = Drawn();
  const std::string sealed = key.Seal(AsBytes("text"), "here", random);
  EXPECT_EQ(key.Open(sealed, "there").status().code(), absl::StatusCode::kDataLoss);
  EXPECT_FALSE(key.Open(sealed, "").ok());
  EXPECT_FALSE(Drawn().Open(sealed, "here").ok());
  for (size_t at = 0; at < sealed.size(); ++at) {
    EXPECT_FALSE(key.Open(sealed.substr(0, at), "here").ok()) << at;
    std::string changed = sealed;
    changed[at] ^= 1;
    EXPECT_FALSE(key.Open(changed, "here").ok()) << at;
  }
  EXPECT_FALSE(key.Open(sealed + "x", "here").ok());
}

TEST(SealingKeyTest, HasThirtyTwoBytes) {
  EXPECT_EQ(SealingKey::FromBytes(SecretBytes::OfSize(31)).status().code(),
            absl::StatusCode::kInvalidArgument);
  const SealingKey key = Drawn();
  const SealingKey same = *SealingKey::FromBytes(key.bytes().Clone());
  SecureRandom random;
  EXPECT_TRUE(same.Open(key.Seal(AsBytes("text"), "", random), "").ok());
}

}  // namespace
}  // namespace tombola::crypto
