// A report's way through the cryptography, on the device and in the collector, as the session and
// the intake do it, beside the X25519 operations that no HPKE can do without.
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "benchmark/benchmark.h"
#include "client/encode/encoder.h"
#include "client/seal/report_sealer.h"
#include "collector/open/opening.h"
#include "common/base/check.h"
#include "common/base/work_pool.h"
#include "common/crypto/hpke_open.h"
#include "common/crypto/hpke_suite.h"
#include "common/kind/kind.h"
#include "common/plan/planners.h"
#include "common/random/secure_random.h"
#include "tests/support/test_task.h"

namespace tombola {
namespace {

constexpr int64_t kDomain = 600;
constexpr size_t kReportsAJob = 500;

// local_hash as it is planned for 600,000 users and epsilon 1.
std::shared_ptr<const Task> MakeTask() {
  mechanism::PlanRequest request;
  request.submissions = request.honest = 600'000;
  request.domain_size = kDomain;
  request.epsilon = 1;
  request.delta = 1e-6;
  const auto planned = mechanism::PlanHashing(request, /*fakes=*/0);
  TOMBOLA_CHECK(planned.ok());
  return MakeTestTask([&](v1::Task* task) {
    task->mutable_domain()->clear_labels();
    task->mutable_domain()->set_size(kDomain);
    v1::LocalHash* const wire = task->mutable_mechanism()->mutable_local_hash();
    TOMBOLA_CHECK(planned->family == mechanism::HashFamily::kPlane);
    wire->set_range(planned->range);
    wire->set_blanket_threshold(planned->blanket_threshold);
    task->mutable_target()->set_epsilon(1);
    task->mutable_batch_policy()->set_planned_submissions(600'000);
    task->mutable_batch_policy()->set_smallest_batch(600'000);
  });
}

crypto::HpkePrivateKey MakeKey(SecureRandom& random) {
  auto key = crypto::HpkePrivateKey::Generate(random);
  TOMBOLA_CHECK(key.ok());
  return *std::move(key);
}

HpkeKey PublicHalf(const crypto::HpkePrivateKey& key) {
  HpkeKey half;
  std::copy(key.public_key().begin(), key.public_key().end(), half.public_key.begin());
  half.id = crypto::HpkeKeyId(half.public_key);
  return half;
}

// Seals the reports of values 0, 1, ... as Session::SendMany does.
class Device {
 public:
  Device(const std::shared_ptr<const Task>& task, const HpkeKey& key)
      : encoder_(client::MakeEncoder(task->kind().tables()[0])),
        sealer_(*client::ReportSealer::Create(*task, key, 0)) {}

  void AppendReport(SecureRandom& random, std::string* sealed) {
    plaintext_.clear();
    encoder_->Encode(value_++ % kDomain, random, &plaintext_);
    TOMBOLA_CHECK(sealer_.Append(plaintext_, random, sealed).ok());
  }

 private:
  std::unique_ptr<client::Encoder> encoder_;
  client::ReportSealer sealer_;
  std::string plaintext_;
  uint64_t value_ = 0;
};

void EncodeSeal(benchmark::State& state) {
  SecureRandom random;
  Device device(MakeTask(), PublicHalf(MakeKey(random)));
  std::string sealed;
  for (auto _ : state) {
    sealed.clear();
    device.AppendReport(random, &sealed);
    benchmark::DoNotOptimize(sealed.data());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(EncodeSeal);

EVP_PKEY* KeyFromBytes(SecureRandom& random) {
  std::array<uint8_t, 32> bytes;
  random.Fill(absl::MakeSpan(bytes));
  return EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nullptr, bytes.data(), bytes.size());
}

void Derive(EVP_PKEY* own, EVP_PKEY* peer, absl::Span<uint8_t> point) {
  EVP_PKEY_CTX* const context = EVP_PKEY_CTX_new(own, nullptr);
  size_t size = point.size();
  TOMBOLA_CHECK(EVP_PKEY_derive_init(context) == 1);
  TOMBOLA_CHECK(EVP_PKEY_derive_set_peer_ex(context, peer, /*validate_peer=*/0) == 1);
  TOMBOLA_CHECK(EVP_PKEY_derive(context, point.data(), &size) == 1);
  EVP_PKEY_CTX_free(context);
}

// Of two ways to make a key the faster is the baseline: from random bytes drawn in blocks, and by
// OpenSSL's generator with a context that is made once.
void EvpKeyFromBytesAndDerive(benchmark::State& state) {
  SecureRandom random;
  EVP_PKEY* const peer = KeyFromBytes(random);
  std::array<uint8_t, 32> point;
  for (auto _ : state) {
    EVP_PKEY* const own = KeyFromBytes(random);
    Derive(own, peer, absl::MakeSpan(point));
    benchmark::DoNotOptimize(point.data());
    EVP_PKEY_free(own);
  }
  EVP_PKEY_free(peer);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(EvpKeyFromBytesAndDerive);

void EvpKeygenAndDerive(benchmark::State& state) {
  SecureRandom random;
  EVP_PKEY* const peer = KeyFromBytes(random);
  EVP_PKEY_CTX* const generator = EVP_PKEY_CTX_new_from_name(nullptr, "X25519", nullptr);
  TOMBOLA_CHECK(EVP_PKEY_keygen_init(generator) == 1);
  std::array<uint8_t, 32> point;
  for (auto _ : state) {
    EVP_PKEY* own = nullptr;
    TOMBOLA_CHECK(EVP_PKEY_generate(generator, &own) == 1);
    Derive(own, peer, absl::MakeSpan(point));
    benchmark::DoNotOptimize(point.data());
    EVP_PKEY_free(own);
  }
  EVP_PKEY_CTX_free(generator);
  EVP_PKEY_free(peer);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(EvpKeygenAndDerive);

int Cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

// As many jobs at once as there are cores, on the collector's pool, until all are done.
template <typename Job>
void OnAllCores(WorkPool& pool, const Job& job) {
  std::latch done(pool.threads() * 4);
  for (int i = 0; i < pool.threads() * 4; ++i) {
    pool.Add([&](int worker) {
      job(worker);
      done.count_down();
    });
  }
  done.wait();
}

int64_t ReportsARun(const WorkPool& pool) {
  return static_cast<int64_t>(kReportsAJob) * pool.threads() * 4;
}

// HPKE open, digest of the sealed report and counting.
void OpenReports(benchmark::State& state) {
  SecureRandom random;
  const auto task = MakeTask();
  const crypto::HpkePrivateKey key = MakeKey(random);
  const HpkeKey half = PublicHalf(key);
  Device device(task, half);
  std::string sealed;
  for (size_t i = 0; i < kReportsAJob; ++i) device.AppendReport(random, &sealed);
  const auto opening =
      *collector::Opening::Create(task, {.task = task->id(), .key = half.id}, key, Cores());
  {
    WorkPool pool(Cores());
    for (auto _ : state) {
      OnAllCores(pool, [&](int worker) { opening->Open(sealed, worker); });
    }
    state.SetItemsProcessed(state.iterations() * ReportsARun(pool));
  }
  TOMBOLA_CHECK(opening->Finish().rejected.total() == 0);
}
BENCHMARK(OpenReports)->UseRealTime();

// A private key and a peer that are set once in a context of their own.
class Derivation {
 public:
  explicit Derivation(SecureRandom& random)
      : own_(KeyFromBytes(random)),
        peer_(KeyFromBytes(random)),
        context_(EVP_PKEY_CTX_new(own_, nullptr)) {
    TOMBOLA_CHECK(EVP_PKEY_derive_init(context_) == 1);
    TOMBOLA_CHECK(EVP_PKEY_derive_set_peer(context_, peer_) == 1);
  }
  ~Derivation() {
    EVP_PKEY_CTX_free(context_);
    EVP_PKEY_free(peer_);
    EVP_PKEY_free(own_);
  }
  Derivation(const Derivation&) = delete;
  Derivation& operator=(const Derivation&) = delete;

  void Derive() {
    std::array<uint8_t, 32> point;
    size_t size = point.size();
    TOMBOLA_CHECK(EVP_PKEY_derive(context_, point.data(), &size) == 1);
    benchmark::DoNotOptimize(point.data());
  }

 private:
  EVP_PKEY* const own_;
  EVP_PKEY* const peer_;
  EVP_PKEY_CTX* const context_;
};

void EvpDeriveParsedPeer(benchmark::State& state) {
  SecureRandom random;
  std::vector<std::unique_ptr<Derivation>> derivations;
  for (int i = 0; i < Cores(); ++i) derivations.push_back(std::make_unique<Derivation>(random));
  WorkPool pool(Cores());
  for (auto _ : state) {
    OnAllCores(pool, [&](int worker) {
      for (size_t i = 0; i < kReportsAJob; ++i) derivations[static_cast<size_t>(worker)]->Derive();
    });
  }
  state.SetItemsProcessed(state.iterations() * ReportsARun(pool));
}
BENCHMARK(EvpDeriveParsedPeer)->UseRealTime();

}  // namespace
}  // namespace tombola
