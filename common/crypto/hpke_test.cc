#include <openssl/err.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/base/check.h"
#include "common/crypto/hmac_sha256.h"
#include "common/crypto/hpke_open.h"
#include "common/crypto/hpke_schedule.h"
#include "common/crypto/hpke_seal.h"
#include "common/crypto/openssl_handles.h"
#include "common/random/secure_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/seeded_random.h"

namespace tombola::crypto {
namespace {

using ::testing::Each;

using Bytes = std::vector<uint8_t>;

// RFC 9180, appendix A.1.1: base mode of our suite.
constexpr char kInfo[] = "Ode on a Grecian Urn";
constexpr char kPlaintext[] = "4265617574792069732074727574682c20747275746820626561757479";
constexpr char kEphemeral[] = "52c4a758a802cd8b936eceea314432798d5baf2d7e9235dc084ab1b9cfa2f736";
constexpr char kPrivateKey[] = "4612c550263fc8ad58375df3f557aac531d26850903e55a9f23f21d8534e8ac8";
constexpr char kPublicKey[] = "3948cfe0ad1ddb695d780e59077195da6c56506b027329794ab02bca80815c4d";
constexpr char kEnc[] = "37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431";
constexpr char kSharedSecret[] = "fe0e18c9f024ce43799ae393c7e8fe8fce9d218875e8227b0187c04e7d2ea1fc";
constexpr char kKey[] = "4531685d41d65f03dc48f6b8302c05b0";
constexpr char kBaseNonce[] = "56d890e5accaaf011cff4b7d";

struct Encryption {
  int sequence;
  absl::string_view ciphertext;
};
constexpr Encryption kEncryptions[] = {
    {0,
     "f938558b5d72f1a23810b4be2ab4f84331acc02fc97babc53a52ae8218a355a96d8770ac83d07bea87e13c512a"},
    {1,
     "af2d7e9ac9ae7e270f46ba1f975be53c09f8d875bdc8535458c2494e8a6eab251c03d0c22a56b8ca42c2063b84"},
    {2,
     "498dfcabd92e8acedc281e85af1cb4e3e31c7dc394a1ca20e173cb72516491588d96a19ad4a683518973dcc180"},
    {4,
     "583bd32bc67a5994bb8ceaca813d369bca7b2a42408cddef5e22f880b631215a09fc0012bc69fccaa251c0246d"},
    {255,
     "7175db9717964058640a3a11fb9007941a5d1757fda1a6935c805c21af32505bf106deefec4a49ac38d71c9e0a"},
    {256,
     "957f9800542b0b8891badb026d79cc54597cb2d225b54c00c5238c25d05c30e3fbeda97d2e0e1aba483a2df9f2"},
};

// u-coordinates of order 1, 2, 4 and 8 on the curve and its twist, as they are and with p added.
constexpr absl::string_view kLowOrder[] = {
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
};

Bytes FromHex(absl::string_view hex) {
  const std::string bytes = absl::HexStringToBytes(hex);
  return Bytes(bytes.begin(), bytes.end());
}

std::string Hex(absl::Span<const uint8_t> bytes) {
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

HpkePrivateKey VectorKey() { return *HpkePrivateKey::FromBytes(SecretBytes(FromHex(kPrivateKey))); }

HpkePrivateKey SeededKey(uint64_t seed) {
  SeededRandom random(seed);
  return *HpkePrivateKey::Generate(random);
}

Bytes SealTo(const HpkePrivateKey& key, absl::string_view info, const Bytes& plaintext,
             RandomSource& random) {
  Bytes sealed(plaintext.size() + kHpkeOverhead);
  TOMBOLA_CHECK(
      Sealer::Create(key.public_key(), info)->Seal(plaintext, random, absl::MakeSpan(sealed)).ok());
  return sealed;
}

// Whether it opens. When it does not, nothing of the plaintext may be left in the buffer.
bool Opens(Opener& opener, const Bytes& sealed) {
  Bytes plaintext(sealed.size() < kHpkeOverhead ? 0 : sealed.size() - kHpkeOverhead, 0xee);
  const bool opened = opener.Open(sealed, absl::MakeSpan(plaintext));
  if (!opened) {
    EXPECT_THAT(plaintext, Each(0));
  }
  EXPECT_EQ(ERR_peek_error(), 0u);
  return opened;
}

bool OpensUnder(const HpkePrivateKey& key, absl::string_view info, const Bytes& sealed) {
  Opener opener = *Opener::Create(key, info);
  return Opens(opener, sealed);
}

void FillFrom(absl::string_view hex, absl::Span<uint8_t> out) {
  const Bytes bytes = FromHex(hex);
  TOMBOLA_CHECK(bytes.size() == out.size());
  std::copy(bytes.begin(), bytes.end(), out.begin());
}

// AES-128-GCM, not through the code under test: ciphertext || tag.
Bytes Gcm(absl::Span<const uint8_t> key, absl::Span<const uint8_t> nonce, absl::string_view aad,
          const Bytes& plaintext) {
  const EvpCipherContext context(EVP_CIPHER_CTX_new());
  Bytes out(plaintext.size() + kTagBytes);
  int written = 0;
  TOMBOLA_CHECK(EVP_EncryptInit_ex2(context.get(), EVP_aes_128_gcm(), key.data(), nonce.data(),
                                    nullptr) == 1);
  TOMBOLA_CHECK(EVP_EncryptUpdate(context.get(), nullptr, &written,
                                  reinterpret_cast<const uint8_t*>(aad.data()),
                                  static_cast<int>(aad.size())) == 1);
  TOMBOLA_CHECK(EVP_EncryptUpdate(context.get(), out.data(), &written, plaintext.data(),
                                  static_cast<int>(plaintext.size())) == 1);
  uint8_t* const tag = out.data() + plaintext.size();
  TOMBOLA_CHECK(EVP_EncryptFinal_ex(context.get(), tag, &written) == 1);
  TOMBOLA_CHECK(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, kTagBytes, tag) == 1);
  return out;
}

TEST(HmacSha256, MatchesThePublishedVectors) {
  Bytes mac(32);
  // RFC 4231, test cases 1 and 2.
  HmacSha256(Bytes(20, 0x0b)).Mac({"Hi ", "", "There"}, absl::MakeSpan(mac));
  EXPECT_EQ(Hex(mac), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  HmacSha256(FromHex("4a656665")).Mac({"what do ya want for nothing?"}, absl::MakeSpan(mac));
  EXPECT_EQ(Hex(mac), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  // RFC 5869, test case 1: the extracted key, then the first 32 bytes of the output.
  HmacSha256(FromHex("000102030405060708090a0b0c"))
      .Mac({std::string(22, 0x0b)}, absl::MakeSpan(mac));
  EXPECT_EQ(Hex(mac), "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5");
  HmacSha256(Bytes(mac))
      .Mac({"\xf0\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9", "\x01"}, absl::MakeSpan(mac));
  EXPECT_EQ(Hex(mac), "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf");
}

TEST(HpkeSchedule, DerivesTheVectorsSecretKeyAndNonce) {
  const EvpKey own(EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nullptr,
                                                FromHex(kEphemeral).data(), kX25519Bytes));
  const EvpKey peer(EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nullptr,
                                                FromHex(kPublicKey).data(), kX25519Bytes));
  const EvpKeyContext derivation(EVP_PKEY_CTX_new(own.get(), nullptr));
  ASSERT_EQ(EVP_PKEY_derive_init(derivation.get()), 1);
  ASSERT_EQ(EVP_PKEY_derive_set_peer(derivation.get(), peer.get()), 1);
  SecretArray<kX25519Bytes> point;
  ASSERT_TRUE(DeriveX25519(derivation.get(), point));

  const HpkeSchedule schedule(FromHex(kPublicKey), kInfo);
  SecretArray<kSharedSecretBytes> shared_secret;
  schedule.ExtractAndExpand(point, FromHex(kEnc), shared_secret);
  EXPECT_EQ(Hex(shared_secret.ExposeSecret()), kSharedSecret);
  AeadKeys keys;
  schedule.DeriveKeys(shared_secret, keys);
  EXPECT_EQ(Hex(keys.key.ExposeSecret()), kKey);
  EXPECT_EQ(Hex(keys.base_nonce.ExposeSecret()), kBaseNonce);
}

TEST(HpkeSchedule, KeyAndNonceServeTheVectorsOtherSequenceNumbers) {
  SecretArray<kSharedSecretBytes> shared_secret;
  FillFrom(kSharedSecret, shared_secret.ExposeSecretForWriting());
  AeadKeys keys;
  HpkeSchedule(FromHex(kPublicKey), kInfo).DeriveKeys(shared_secret, keys);
  for (const Encryption& encryption : kEncryptions) {
    const absl::Span<const uint8_t> base = keys.base_nonce.ExposeSecret();
    Bytes nonce(base.begin(), base.end());
    nonce[10] ^= static_cast<uint8_t>(encryption.sequence >> 8);
    nonce[11] ^= static_cast<uint8_t>(encryption.sequence);
    EXPECT_EQ(Hex(Gcm(keys.key.ExposeSecret(), nonce, absl::StrCat("Count-", encryption.sequence),
                      FromHex(kPlaintext))),
              encryption.ciphertext);
  }
}

TEST(Sealer, SealsTheVector) {
  auto sealer = Sealer::Create(FromHex(kPublicKey), kInfo);
  ASSERT_TRUE(sealer.ok()) << sealer.status();
  Bytes sealed(FromHex(kPlaintext).size() + kHpkeOverhead);
  for (int repetition = 0; repetition < 2; ++repetition) {
    ASSERT_TRUE(SealerForTest::SealWithEphemeral(*sealer, FromHex(kEphemeral), "Count-0",
                                                 FromHex(kPlaintext), absl::MakeSpan(sealed))
                    .ok());
    EXPECT_EQ(Hex(sealed), absl::StrCat(kEnc, kEncryptions[0].ciphertext));
  }
}

TEST(Opener, OpensTheVectorUnderItsAssociatedDataOnly) {
  const HpkePrivateKey key = VectorKey();
  EXPECT_EQ(Hex(key.public_key()), kPublicKey);
  auto opener = Opener::Create(key, kInfo);
  ASSERT_TRUE(opener.ok()) << opener.status();
  const Bytes sealed = FromHex(absl::StrCat(kEnc, kEncryptions[0].ciphertext));
  Bytes plaintext(sealed.size() - kHpkeOverhead);
  for (int repetition = 0; repetition < 2; ++repetition) {
    ASSERT_TRUE(OpenerForTest::OpenWithAad(*opener, sealed, "Count-0", absl::MakeSpan(plaintext)));
    EXPECT_EQ(Hex(plaintext), kPlaintext);
    for (const absl::string_view aad : {"Count-1", "Count-", "Count-0 ", ""}) {
      EXPECT_FALSE(OpenerForTest::OpenWithAad(*opener, sealed, aad, absl::MakeSpan(plaintext)));
      EXPECT_THAT(plaintext, Each(0));
    }
  }
}

TEST(Hpke, OpensWhatItSealedAtEverySize) {
  SecureRandom random;
  const auto key = HpkePrivateKey::Generate(random);
  ASSERT_TRUE(key.ok());
  auto sealer = Sealer::Create(key->public_key(), "info");
  auto opener = Opener::Create(*key, "info");
  ASSERT_TRUE(sealer.ok() && opener.ok());
  for (const size_t size : {0, 1, 2, 7, 15, 16, 17, 31, 32, 33, 64, 100, 1000, 100'000}) {
    Bytes plaintext(size), opened(size, 0xee), sealed(size + kHpkeOverhead);
    std::iota(plaintext.begin(), plaintext.end(), uint8_t{3});
    ASSERT_TRUE(sealer->Seal(plaintext, random, absl::MakeSpan(sealed)).ok());
    ASSERT_TRUE(opener->Open(sealed, absl::MakeSpan(opened))) << size;
    EXPECT_EQ(opened, plaintext);
  }
}

TEST(Hpke, WorksAfterBeingMoved) {
  SeededRandom random(5);
  const HpkePrivateKey key = SeededKey(6);
  Sealer first = *Sealer::Create(key.public_key(), "info");
  Sealer second = std::move(first);
  first = std::move(second);
  Opener opener = *Opener::Create(key, "info");
  Opener moved = std::move(opener);
  const Bytes plaintext(8, 1);
  Bytes sealed(8 + kHpkeOverhead), opened(8);
  ASSERT_TRUE(first.Seal(plaintext, random, absl::MakeSpan(sealed)).ok());
  EXPECT_TRUE(moved.Open(sealed, absl::MakeSpan(opened)));
  EXPECT_EQ(opened, plaintext);
}

TEST(Hpke, OneKeyServesAnOpenerAThread) {
  SeededRandom random(7);
  const HpkePrivateKey key = SeededKey(8);
  const Bytes sealed = SealTo(key, "info", Bytes(8, 1), random);
  std::vector<int> opened(4, 0);
  std::vector<std::thread> threads;
  threads.reserve(opened.size());
  for (int& count : opened) {
    threads.emplace_back([&key, &sealed, &count] {
      Opener opener = *Opener::Create(key, "info");
      Bytes plaintext(8);
      for (int i = 0; i < 100; ++i) {
        count += opener.Open(sealed, absl::MakeSpan(plaintext)) && plaintext == Bytes(8, 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(opened, Each(100));
}

TEST(Sealer, DrawsAFreshEphemeralKeyFromTheSourceEachTime) {
  const HpkePrivateKey key = SeededKey(9);
  SeededRandom random(10), same(10);
  const Bytes first = SealTo(key, "info", Bytes(8, 1), random);
  const Bytes second = SealTo(key, "info", Bytes(8, 1), random);
  EXPECT_EQ(random.draws(), 8);
  EXPECT_EQ(SealTo(key, "info", Bytes(8, 1), same), first);
  // No byte in place is more likely to agree than 1/256: of 56, more than 8 agree with probability
  // below C(56, 9) 256^-9 < 2e-12 over the choice of the seeds.
  int equal = 0;
  for (size_t i = 0; i < first.size(); ++i) equal += first[i] == second[i];
  EXPECT_LE(equal, 8);
}

TEST(Sealer, RefusesABufferOfAnotherSize) {
  SeededRandom random(11);
  Sealer sealer = *Sealer::Create(SeededKey(12).public_key(), "info");
  for (const size_t size : {size_t{0}, 7 + kHpkeOverhead, 9 + kHpkeOverhead}) {
    Bytes out(size);
    EXPECT_EQ(sealer.Seal(Bytes(8), random, absl::MakeSpan(out)).code(),
              absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(out, Each(0));
  }
}

TEST(Sealer, RefusesAPublicKeyOfAnotherSizeOrOfLowOrder) {
  for (const size_t size : {0, 31, 33, 64}) {
    EXPECT_EQ(Sealer::Create(Bytes(size, 9), "info").status().code(),
              absl::StatusCode::kInvalidArgument);
  }
  for (const absl::string_view point : kLowOrder) {
    EXPECT_EQ(Sealer::Create(FromHex(point), "info").status().code(),
              absl::StatusCode::kInvalidArgument)
        << point;
  }
  EXPECT_EQ(ERR_peek_error(), 0u);
}

TEST(Opener, RefusesAnotherInfoOrKey) {
  SeededRandom random(13);
  const HpkePrivateKey key = SeededKey(14), other = SeededKey(15);
  const Bytes sealed = SealTo(key, "info", Bytes(16, 1), random);
  EXPECT_TRUE(OpensUnder(key, "info", sealed));
  EXPECT_FALSE(OpensUnder(key, "Info", sealed));
  EXPECT_FALSE(OpensUnder(key, "info ", sealed));
  EXPECT_FALSE(OpensUnder(key, "", sealed));
  EXPECT_FALSE(OpensUnder(other, "info", sealed));
}

TEST(Opener, RefusesEveryOtherLength) {
  SeededRandom random(16);
  const HpkePrivateKey key = SeededKey(17);
  Opener opener = *Opener::Create(key, "info");
  const Bytes sealed = SealTo(key, "info", Bytes(16, 1), random);
  for (size_t size = 0; size < sealed.size(); ++size) {
    EXPECT_FALSE(Opens(opener, Bytes(sealed.begin(), sealed.begin() + size))) << size;
  }
  Bytes longer = sealed;
  longer.push_back(0);
  EXPECT_FALSE(Opens(opener, longer));
  for (const size_t size : {0, 15, 17}) {
    Bytes plaintext(size);
    EXPECT_FALSE(opener.Open(sealed, absl::MakeSpan(plaintext)));
  }
  EXPECT_TRUE(Opens(opener, sealed));
}

TEST(Opener, RefusesEveryChangedBit) {
  SeededRandom random(18);
  const HpkePrivateKey key = SeededKey(19);
  Opener opener = *Opener::Create(key, "info");
  Bytes sealed = SealTo(key, "info", Bytes(16, 1), random);
  // Bit 7 of byte 31 is one that X25519 ignores: the schedule must not.
  for (size_t bit = 0; bit < 8 * sealed.size(); ++bit) {
    const uint8_t mask = static_cast<uint8_t>(1 << bit % 8);
    sealed[bit / 8] ^= mask;
    EXPECT_FALSE(Opens(opener, sealed)) << bit;
    sealed[bit / 8] ^= mask;
  }
  EXPECT_TRUE(Opens(opener, sealed));
}

TEST(Opener, RefusesRandomBytes) {
  // A tag is right by chance with probability 2^-128.
  SeededRandom random(20);
  Opener opener = *Opener::Create(SeededKey(21), "info");
  for (int i = 0; i < 500; ++i) {
    Bytes sealed(UniformBelow(200, random));
    random.Fill(absl::MakeSpan(sealed));
    EXPECT_FALSE(Opens(opener, sealed));
  }
}

TEST(Opener, RefusesALowOrderEncThoughTheRestIsRight) {
  const HpkePrivateKey key = SeededKey(22);
  Opener opener = *Opener::Create(key, "info");
  const HpkeSchedule schedule(key.public_key(), "info");
  for (const absl::string_view enc : kLowOrder) {
    // What anybody could make without the private key: the Diffie-Hellman result is zero.
    const SecretArray<kX25519Bytes> zero;
    SecretArray<kSharedSecretBytes> shared_secret;
    AeadKeys keys;
    schedule.ExtractAndExpand(zero, FromHex(enc), shared_secret);
    schedule.DeriveKeys(shared_secret, keys);
    Bytes sealed = FromHex(enc);
    const Bytes rest =
        Gcm(keys.key.ExposeSecret(), keys.base_nonce.ExposeSecret(), "", Bytes(16, 1));
    sealed.insert(sealed.end(), rest.begin(), rest.end());
    EXPECT_FALSE(Opens(opener, sealed)) << enc;
  }
  SeededRandom random(23);
  EXPECT_TRUE(Opens(opener, SealTo(key, "info", Bytes(16, 1), random)));
}

TEST(HpkePrivateKey, ComesBackFromItsBytesAndRefusesOtherSizes) {
  const HpkePrivateKey key = SeededKey(24);
  const auto again = HpkePrivateKey::FromBytes(key.private_key());
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->public_key(), key.public_key());
  EXPECT_NE(SeededKey(25).public_key(), key.public_key());
  for (const size_t size : {0, 31, 33, 64}) {
    EXPECT_EQ(HpkePrivateKey::FromBytes(SecretBytes::OfSize(size)).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace tombola::crypto
