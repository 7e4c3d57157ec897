#include <openssl/err.h>

#include <string>
#include <thread>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/crypto/ed25519_sign.h"
#include "common/crypto/ed25519_verify.h"
#include "common/random/secure_random.h"
#include "gtest/gtest.h"
#include "tests/support/seeded_random.h"

namespace tombola::crypto {
namespace {

struct Vector {
  absl::string_view seed, public_key, message, signature;
};

// RFC 8032, section 7.1, TEST 1 to TEST 3.
constexpr Vector kVectors[] = {
    {"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
     "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
     "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
     "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"},
    {"4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
     "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
     "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
     "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"},
    {"c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
     "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
     "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
     "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"},
};

std::string Hex(absl::Span<const uint8_t> bytes) {
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

SigningKey SeededKey(uint64_t seed) {
  SeededRandom random(seed);
  return *SigningKey::Generate(random);
}

TEST(Ed25519, MatchesTheRfcInBothDirections) {
  for (const Vector& vector : kVectors) {
    const auto key = SigningKey::FromSeed(SecretBytes(absl::HexStringToBytes(vector.seed)));
    ASSERT_TRUE(key.ok()) << key.status();
    const std::string message = absl::HexStringToBytes(vector.message);
    EXPECT_EQ(Hex(key->public_key()), vector.public_key);
    EXPECT_EQ(absl::BytesToHexString(key->Sign(message)), vector.signature);
    EXPECT_TRUE(
        VerifyEd25519(key->public_key(), message, absl::HexStringToBytes(vector.signature)));
  }
}

TEST(Ed25519, RefusesAnotherKeyOrMessage) {
  const SigningKey key = SeededKey(1), other = SeededKey(2);
  const std::string signature = key.Sign("message");
  EXPECT_TRUE(VerifyEd25519(key.public_key(), "message", signature));
  EXPECT_FALSE(VerifyEd25519(other.public_key(), "message", signature));
  EXPECT_FALSE(VerifyEd25519(key.public_key(), "Message", signature));
  EXPECT_FALSE(VerifyEd25519(key.public_key(), "message ", signature));
  EXPECT_FALSE(VerifyEd25519(key.public_key(), "", signature));
}

TEST(Ed25519, RefusesEveryChangedByteOfASignature) {
  const SigningKey key = SeededKey(1);
  const std::string signature = key.Sign("message");
  for (size_t i = 0; i < signature.size(); ++i) {
    for (const int bit : {0, 7}) {
      std::string changed = signature;
      changed[i] ^= static_cast<char>(1 << bit);
      EXPECT_FALSE(VerifyEd25519(key.public_key(), "message", changed)) << i;
    }
  }
  EXPECT_EQ(ERR_peek_error(), 0u);
}

TEST(Ed25519, RefusesOtherSizes) {
  const SigningKey key = SeededKey(1);
  const std::string signature = key.Sign("message");
  for (size_t size = 0; size < signature.size(); ++size) {
    EXPECT_FALSE(VerifyEd25519(key.public_key(), "message", signature.substr(0, size)));
  }
  EXPECT_FALSE(VerifyEd25519(key.public_key(), "message", signature + '\0'));
  const auto public_key = key.public_key();
  EXPECT_FALSE(VerifyEd25519(absl::MakeConstSpan(public_key).first(31), "message", signature));
  EXPECT_FALSE(VerifyEd25519({}, "message", signature));
  for (const size_t size : {0, 31, 33, 64}) {
    EXPECT_EQ(SigningKey::FromSeed(SecretBytes::OfSize(size)).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST(SigningKey, ASignatureForOnePurposeIsNoneForAnother) {
  const SigningKey key = SeededKey(3);
  const std::string signature = key.Sign("for this", "message");
  EXPECT_TRUE(VerifyEd25519(key.public_key(), "for this", "message", signature));
  EXPECT_FALSE(VerifyEd25519(key.public_key(), "for that", "message", signature));
  EXPECT_FALSE(VerifyEd25519(key.public_key(), "message", signature));
  EXPECT_EQ(signature, key.Sign("for thismessage"));
}

TEST(SigningKey, ComesBackFromItsSeed) {
  SecureRandom random;
  const auto key = SigningKey::Generate(random);
  ASSERT_TRUE(key.ok());
  const auto again = SigningKey::FromSeed(key->seed());
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->public_key(), key->public_key());
  EXPECT_EQ(again->Sign("m"), key->Sign("m"));
  EXPECT_NE(SigningKey::Generate(random)->public_key(), key->public_key());
}

TEST(SigningKey, SignsFromSeveralThreads) {
  const SigningKey key = SeededKey(3);
  const std::string expected = key.Sign("message");
  std::vector<int> equal(4, 0);
  std::vector<std::thread> threads;
  threads.reserve(equal.size());
  for (int& count : equal) {
    threads.emplace_back([&key, &expected, &count] {
      for (int i = 0; i < 50; ++i) count += key.Sign("message") == expected;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int count : equal) EXPECT_EQ(count, 50);
}

}  // namespace
}  // namespace tombola::crypto
