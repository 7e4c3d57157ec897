#include "common/crypto/hpke_schedule.h"

#include <algorithm>

#include "common/base/check.h"
#include "common/crypto/hmac_sha256.h"

namespace tombola::crypto {
namespace {

constexpr absl::string_view kVersion = "HPKE-v1";
// "KEM" || kem_id (section 4.1) and "HPKE" || kem_id || kdf_id || aead_id (section 5.1).
constexpr absl::string_view kKemSuite("KEM\x00\x20", 5);
constexpr absl::string_view kHpkeSuite("HPKE\x00\x20\x00\x01\x00\x01", 10);
constexpr uint8_t kModeBase = 0;

absl::string_view Text(absl::Span<const uint8_t> bytes) {
  return absl::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// Section 4. HKDF-Extract is HMAC with the salt as its key.
void LabeledExtract(const HmacSha256& salt, absl::string_view suite, absl::string_view label,
                    absl::string_view input, absl::Span<uint8_t> key) {
  salt.Mac({kVersion, suite, label, input}, key);
}

// Section 4. At most 32 bytes are wanted, so HKDF-Expand is its first block, T(1).
void LabeledExpand(const HmacSha256& key, absl::string_view suite, absl::string_view label,
                   absl::string_view info, absl::string_view more_info, absl::Span<uint8_t> out) {
  const char length[2] = {0, static_cast<char>(out.size())};
  const absl::string_view counter("\x01", 1);
  key.Mac({absl::string_view(length, 2), kVersion, suite, label, info, more_info, counter}, out);
}

const HmacSha256& EmptySalt() {
  static const HmacSha256& hmac = *new HmacSha256({});
  return hmac;
}

}  // namespace

HpkeSchedule::HpkeSchedule(absl::Span<const uint8_t> recipient, absl::string_view info) {
  TOMBOLA_CHECK(recipient.size() == recipient_.size());
  std::copy(recipient.begin(), recipient.end(), recipient_.begin());
  context_[0] = kModeBase;
  const absl::Span<uint8_t> context = absl::MakeSpan(context_);
  LabeledExtract(EmptySalt(), kHpkeSuite, "psk_id_hash", "", context.subspan(1, 32));
  LabeledExtract(EmptySalt(), kHpkeSuite, "info_hash", info, context.subspan(33, 32));
}

void HpkeSchedule::ExtractAndExpand(const SecretArray<kX25519Bytes>& point,
                                    absl::Span<const uint8_t> enc,
                                    SecretArray<kSharedSecretBytes>& shared_secret) const {
  SecretArray<32> extracted;
  LabeledExtract(EmptySalt(), kKemSuite, "eae_prk", Text(point.ExposeSecret()),
                 extracted.ExposeSecretForWriting());
  LabeledExpand(HmacSha256(extracted.ExposeSecret()), kKemSuite, "shared_secret", Text(enc),
                Text(recipient_), shared_secret.ExposeSecretForWriting());
}

void HpkeSchedule::DeriveKeys(const SecretArray<kSharedSecretBytes>& shared_secret,
                              AeadKeys& keys) const {
  SecretArray<32> secret;
  LabeledExtract(HmacSha256(shared_secret.ExposeSecret()), kHpkeSuite, "secret", "",
                 secret.ExposeSecretForWriting());
  const HmacSha256 expand(secret.ExposeSecret());
  LabeledExpand(expand, kHpkeSuite, "key", Text(context_), "", keys.key.ExposeSecretForWriting());
  LabeledExpand(expand, kHpkeSuite, "base_nonce", Text(context_), "",
                keys.base_nonce.ExposeSecretForWriting());
}

bool DeriveX25519(EVP_PKEY_CTX* derivation, SecretArray<kX25519Bytes>& point) {
  const absl::Span<uint8_t> out = point.ExposeSecretForWriting();
  size_t size = out.size();
  if (EVP_PKEY_derive(derivation, out.data(), &size) != 1 || size != out.size()) return false;
  uint8_t any = 0;
  for (const uint8_t byte : out) any |= byte;
  return any != 0;
}

}  // namespace tombola::crypto
