// Sealed reports from outside, to a fixed key: only what was sealed to it opens, and only whole.
//
// The first byte: 0 the rest is a sealed report as it is, else the rest is sealed and then changed
// in the bit that the next two bytes choose.
#include <algorithm>
#include <string>
#include <vector>

#include "common/base/check.h"
#include "common/crypto/hpke_open.h"
#include "common/crypto/hpke_seal.h"
#include "tests/fuzz/input.h"
#include "tests/support/seeded_random.h"

namespace tombola::fuzz {
namespace {

constexpr absl::string_view kInfo = "tombola/v1/report";
using Bytes = std::vector<uint8_t>;

const crypto::HpkePrivateKey& Key() {
  static const auto* const key = new crypto::HpkePrivateKey(
      *crypto::HpkePrivateKey::FromBytes(crypto::SecretBytes(std::string(32, 'k'))));
  return *key;
}

crypto::Opener& TheOpener() {
  static auto* const opener = new crypto::Opener(*crypto::Opener::Create(Key(), kInfo));
  return *opener;
}

crypto::Sealer& TheSealer() {
  static auto* const sealer =
      new crypto::Sealer(*crypto::Sealer::Create(Key().public_key(), kInfo));
  return *sealer;
}

bool IsZero(const Bytes& bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](uint8_t byte) { return byte == 0; });
}

// Nobody finds a tag of 128 bits by trying.
void ExpectClosed(absl::Span<const uint8_t> sealed) {
  const size_t overhead = std::min(sealed.size(), crypto::kHpkeOverhead);
  Bytes plaintext(sealed.size() - overhead, 0xAA);
  TOMBOLA_CHECK(!TheOpener().Open(sealed, absl::MakeSpan(plaintext)));
  TOMBOLA_CHECK(IsZero(plaintext));
}

void RunSealed(Input input) {
  const size_t bit = input.Length();
  const absl::Span<const uint8_t> plaintext = AsSpan(input.Rest());
  SeededRandom random(plaintext.size());
  Bytes sealed(plaintext.size() + crypto::kHpkeOverhead);
  TOMBOLA_CHECK(TheSealer().Seal(plaintext, random, absl::MakeSpan(sealed)).ok());
  Bytes opened(plaintext.size());
  TOMBOLA_CHECK(TheOpener().Open(sealed, absl::MakeSpan(opened)));
  TOMBOLA_CHECK(absl::MakeConstSpan(opened) == plaintext);
  // X25519 ignores the last bit of a point, but the key schedule does not.
  sealed[bit / 8 % sealed.size()] ^= static_cast<uint8_t>(1 << bit % 8);
  ExpectClosed(sealed);
  ExpectClosed(absl::MakeConstSpan(sealed).first(bit % sealed.size()));
}

}  // namespace
}  // namespace tombola::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tombola::fuzz::Input input(data, size);
  if (input.Byte() == 0) {
    tombola::fuzz::ExpectClosed(tombola::fuzz::AsSpan(input.Rest()));
  } else {
    tombola::fuzz::RunSealed(input);
  }
  return 0;
}
