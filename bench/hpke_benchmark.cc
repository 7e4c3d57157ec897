// HPKE beside the X25519 operations that it cannot do without: one derivation to open, one key
// generation and one derivation to seal.
#include <openssl/evp.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "benchmark/benchmark.h"
#include "common/base/check.h"
#include "common/crypto/hpke_open.h"
#include "common/crypto/hpke_seal.h"
#include "common/crypto/sha256.h"
#include "common/random/secure_random.h"

namespace tombola {
namespace {

constexpr absl::string_view kInfo = "tombola benchmark";

crypto::HpkePrivateKey RecipientKey(SecureRandom& random) {
  auto key = crypto::HpkePrivateKey::Generate(random);
  TOMBOLA_CHECK(key.ok());
  return *std::move(key);
}

EVP_PKEY* X25519PrivateKey(SecureRandom& random) {
  std::array<uint8_t, 32> bytes;
  random.Fill(absl::MakeSpan(bytes));
  return EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nullptr, bytes.data(), bytes.size());
}

void BM_HpkeSeal(benchmark::State& state) {
  SecureRandom random;
  const crypto::HpkePrivateKey key = RecipientKey(random);
  auto sealer = crypto::Sealer::Create(key.public_key(), kInfo);
  TOMBOLA_CHECK(sealer.ok());
  const std::vector<uint8_t> plaintext(state.range(0), 7);
  std::vector<uint8_t> sealed(plaintext.size() + crypto::kHpkeOverhead);
  for (auto _ : state) {
    TOMBOLA_CHECK(sealer->Seal(plaintext, random, absl::MakeSpan(sealed)).ok());
    benchmark::DoNotOptimize(sealed.data());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_HpkeSeal)->Arg(8)->Arg(64);

void BM_HpkeOpen(benchmark::State& state) {
  SecureRandom random;
  const crypto::HpkePrivateKey key = RecipientKey(random);
  auto sealer = crypto::Sealer::Create(key.public_key(), kInfo);
  auto opener = crypto::Opener::Create(key, kInfo);
  TOMBOLA_CHECK(sealer.ok() && opener.ok());
  std::vector<uint8_t> plaintext(state.range(0), 7);
  std::vector<uint8_t> sealed(plaintext.size() + crypto::kHpkeOverhead);
  TOMBOLA_CHECK(sealer->Seal(plaintext, random, absl::MakeSpan(sealed)).ok());
  for (auto _ : state) {
    TOMBOLA_CHECK(opener->Open(sealed, absl::MakeSpan(plaintext)));
    benchmark::DoNotOptimize(plaintext.data());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_HpkeOpen)->Arg(8)->Arg(64);

// What sealing cannot avoid.
void BM_X25519KeygenAndDerive(benchmark::State& state) {
  SecureRandom random;
  EVP_PKEY* const peer = X25519PrivateKey(random);
  std::array<uint8_t, 32> point;
  for (auto _ : state) {
    EVP_PKEY* const own = X25519PrivateKey(random);
    EVP_PKEY_CTX* const context = EVP_PKEY_CTX_new(own, nullptr);
    size_t size = point.size();
    TOMBOLA_CHECK(EVP_PKEY_derive_init(context) == 1);
    TOMBOLA_CHECK(EVP_PKEY_derive_set_peer_ex(context, peer, 0) == 1);
    TOMBOLA_CHECK(EVP_PKEY_derive(context, point.data(), &size) == 1);
    benchmark::DoNotOptimize(point.data());
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(own);
  }
  EVP_PKEY_free(peer);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_X25519KeygenAndDerive);

// What opening cannot avoid.
void BM_X25519DeriveWithParsedPeer(benchmark::State& state) {
  SecureRandom random;
  EVP_PKEY* const own = X25519PrivateKey(random);
  EVP_PKEY* const peer = X25519PrivateKey(random);
  EVP_PKEY_CTX* const context = EVP_PKEY_CTX_new(own, nullptr);
  TOMBOLA_CHECK(EVP_PKEY_derive_init(context) == 1);
  TOMBOLA_CHECK(EVP_PKEY_derive_set_peer(context, peer) == 1);
  std::array<uint8_t, 32> point;
  for (auto _ : state) {
    size_t size = point.size();
    TOMBOLA_CHECK(EVP_PKEY_derive(context, point.data(), &size) == 1);
    benchmark::DoNotOptimize(point.data());
  }
  EVP_PKEY_CTX_free(context);
  EVP_PKEY_free(peer);
  EVP_PKEY_free(own);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_X25519DeriveWithParsedPeer);

void BM_Sha256(benchmark::State& state) {
  const std::vector<uint8_t> data(state.range(0), 7);
  for (auto _ : state) benchmark::DoNotOptimize(crypto::Sha256(data));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_Sha256)->Arg(32)->Arg(112);

}  // namespace
}  // namespace tombola
