#include "collector/daemon.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "collector/catalog/catalog.h"
#include "collector/catalog/key_ring.h"
#include "collector/ingest/batch_ledger.h"
#include "collector/ingest/ingest_service.h"
#include "collector/ingest/intake.h"
#include "collector/monitor/call_counters.h"
#include "collector/monitor/gauges.h"
#include "collector/query/admin_service.h"
#include "collector/query/histograms.h"
#include "collector/query/query_service.h"
#include "collector/query/task_info.h"
#include "common/base/directory_lock.h"
#include "common/base/fair_share.h"
#include "common/base/file.h"
#include "common/base/mutex.h"
#include "common/base/status_macros.h"
#include "common/base/work_pool.h"
#include "common/base/worker.h"
#include "common/crypto/ed25519_sign.h"
#include "common/crypto/key_file.h"
#include "common/log/log.h"
#include "common/metrics/metrics.h"
#include "common/metrics/process.h"
#include "common/random/secure_random.h"
#include "common/rpc/call_watch.h"
#include "common/rpc/identity_metrics.h"
#include "common/rpc/live_tls.h"
#include "common/rpc/server.h"
#include "common/rpc/tls_identity.h"

namespace tombola::collector {
namespace {

// Names the files that a collector has had; there once all of them have been made.
constexpr absl::string_view kComplete = "complete";
constexpr absl::string_view kDatabases[] = {"catalog.db", "keys/keys.db", "batches.db"};

// A directory that was complete must not be taken for a new one because a file of it is gone: the
// others would go on without it.
absl::Status CheckNothingIsGone(const std::string& directory) {
  if (!std::filesystem::exists(absl::StrCat(directory, "/", kComplete))) return absl::OkStatus();
  for (const absl::string_view name : kDatabases) {
    const std::string path = absl::StrCat(directory, "/", name);
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    if (error || size == 0) {
      return absl::DataLossError(absl::StrCat(
          path,
          " is missing or empty though this directory has had it: put it back, or begin "
          "with another --data-dir"));
    }
  }
  return absl::OkStatus();
}

constexpr int kMaxAnswers = 64;  // in flight; two are computed at a time
constexpr int kAnswerThreads = 2;
constexpr int kMaxTaskRequestBytes = 32 << 20;  // a task with sixteen million bytes of labels

prometheus::Counter& CertificatesRefused(Metrics& metrics) {
  return metrics.Counter("tombola_collector_certificates_refused_total",
                         "Certificate files that were not taken over, or whose time is not now.");
}

prometheus::Counter& TendFailures(Metrics& metrics) {
  return metrics.Counter("tombola_collector_keys_tend_failures_total",
                         "Looks at the HPKE keys, one a second, that could not do what was due.");
}

int Threads(int wanted) {
  return wanted > 0 ? wanted : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace

// In the order of construction; what is below uses what is above.
struct Daemon::Parts {
  DaemonOptions options;
  std::shared_ptr<const Clock> clock;
  Metrics metrics;
  std::optional<DirectoryLock> lock;
  std::optional<crypto::SigningKey> signing_key;
  std::unique_ptr<Catalog> catalog;
  std::unique_ptr<KeyRing> keys;
  std::unique_ptr<BatchLedger> ledger;
  std::unique_ptr<WorkPool> pool;
  std::unique_ptr<Intake> intake;
  std::unique_ptr<FairShare> answers;
  std::unique_ptr<AnswerMetrics> answer_metrics;
  std::unique_ptr<CallCounters> calls;
  std::unique_ptr<Histograms> histograms;
  std::unique_ptr<TaskInfos> infos;
  std::unique_ptr<WorkPool> answer_pool;
  std::unique_ptr<rpc::CallWatch> delivery_watch;
  std::unique_ptr<rpc::CallWatch> answer_watch;
  std::unique_ptr<IngestService> ingest;
  std::unique_ptr<QueryService> query;
  std::unique_ptr<AdminService> admin;
  std::shared_ptr<rpc::TlsIdentity> identity;
  std::optional<rpc::Server> ingest_server;
  std::optional<rpc::Server> query_server;
  std::unique_ptr<HttpInterface> http;
  std::unique_ptr<Worker> keys_worker;
  Mutex mutex;
  std::string keys_failure ABSL_GUARDED_BY(mutex);  // what was logged last
  std::atomic<bool> stopping{false};

  absl::Status Open();
  absl::Status Serve();
  absl::Status ServeHttp();
  void TendKeys();
  void AddMetrics();
  absl::Status Ready();
};

absl::Status Daemon::Parts::Open() {
  const std::string& directory = options.data_directory;
  TOMBOLA_RETURN_IF_ERROR(MakeDirectories(directory));
  absl::StatusOr<DirectoryLock> taken = DirectoryLock::Take(directory);
  TOMBOLA_RETURN_IF_ERROR(taken.status());
  lock.emplace(*std::move(taken));
  TOMBOLA_RETURN_IF_ERROR(crypto::CheckDirectoryOfSecret(options.signing_key));
  TOMBOLA_ASSIGN_OR_RETURN(const crypto::SecretBytes seed,
                           crypto::ReadSecretFile(options.signing_key));
  TOMBOLA_ASSIGN_OR_RETURN(signing_key, crypto::SigningKey::FromSeed(seed));
  TOMBOLA_RETURN_IF_ERROR(CheckNothingIsGone(directory));
  TOMBOLA_ASSIGN_OR_RETURN(catalog, Catalog::Open(absl::StrCat(directory, "/catalog.db")));
  SecureRandom random;
  TOMBOLA_ASSIGN_OR_RETURN(keys, KeyRing::Open({.directory = absl::StrCat(directory, "/keys"),
                                                .signing_key = &*signing_key,
                                                .clock = clock.get(),
                                                .times = options.key_times},
                                               random));
  TOMBOLA_ASSIGN_OR_RETURN(ledger, BatchLedger::Open(absl::StrCat(directory, "/batches.db")));
  const std::string complete = absl::StrCat(directory, "/", kComplete);
  if (!std::filesystem::exists(complete)) TOMBOLA_RETURN_IF_ERROR(ReplaceFile(complete, "1\n"));
  pool = std::make_unique<WorkPool>(Threads(options.open_threads));
  intake = std::make_unique<Intake>(catalog.get(), keys.get(), ledger.get(), clock.get(), &metrics,
                                    pool->threads());
  delivery_watch =
      std::make_unique<rpc::CallWatch>(options.stream_patience, absl::Seconds(1), clock);
  ingest = std::make_unique<IngestService>(catalog.get(), keys.get(), intake.get(), pool.get(),
                                           delivery_watch.get(), options.max_deliveries);
  answers = std::make_unique<FairShare>(FairShareLimits{
      .calls = kMaxAnswers, .bytes = options.max_answers_bytes, .retry = absl::Seconds(1)});
  answer_watch = std::make_unique<rpc::CallWatch>(options.answer_patience, absl::Seconds(1), clock);
  answer_metrics = std::make_unique<AnswerMetrics>(metrics);
  calls = std::make_unique<CallCounters>(metrics);
  histograms = std::make_unique<Histograms>(catalog.get(), ledger.get(), answers.get(),
                                            answer_metrics.get());
  infos = std::make_unique<TaskInfos>(ledger.get());
  answer_pool = std::make_unique<WorkPool>(kAnswerThreads, "answer");
  query = std::make_unique<QueryService>(QueryService::Parts{.catalog = catalog.get(),
                                                             .keys = keys.get(),
                                                             .histograms = histograms.get(),
                                                             .infos = infos.get(),
                                                             .watch = answer_watch.get(),
                                                             .pool = answer_pool.get()});
  admin = std::make_unique<AdminService>(
      AdminService::Parts{.catalog = catalog.get(),
                          .keys = keys.get(),
                          .infos = infos.get(),
                          .metrics = &metrics,
                          .clock = clock.get(),
                          .collector_key = signing_key->public_key(),
                          .make_random = [] { return std::make_unique<SecureRandom>(); }});
  return absl::OkStatus();
}

void Daemon::Parts::TendKeys() {
  SecureRandom random;
  const absl::StatusOr<bool> changed = keys->Tend(random);
  if (!changed.ok()) TendFailures(metrics).Increment();
  if (changed.ok() && *changed) {
    log::Info("keys_changed", {{"serial", static_cast<int64_t>(keys->serial())}});
  }
  // Once for each cause, not once a second.
  const std::string failure = changed.ok() ? "" : changed.status().ToString();
  MutexLock lock(mutex);
  if (failure != keys_failure && !failure.empty()) {
    log::Error("keys_not_tended", {{"status", failure}});
  }
  keys_failure = failure;
}

void Daemon::Parts::AddMetrics() {
  AddProcess(metrics, "tombola-collector", options.data_directory);
  rpc::AddCertificateEnd(identity, metrics);
  CertificatesRefused(metrics);
  TendFailures(metrics);
  AddGauges({.catalog = catalog.get(),
             .keys = keys.get(),
             .ledger = ledger.get(),
             .answers = answers.get(),
             .clock = clock.get(),
             .directory = options.data_directory},
            metrics);
}

absl::Status Daemon::Parts::Ready() {
  if (stopping) return absl::UnavailableError("the collector is stopping");
  MutexLock lock(mutex);
  if (keys_failure.empty()) return absl::OkStatus();
  return absl::UnavailableError(
      "the HPKE keys cannot be tended: keys_not_tended in the log says why");
}

absl::Status Daemon::Parts::ServeHttp() {
  if (options.http.listen.empty()) return absl::OkStatus();
  TOMBOLA_ASSIGN_OR_RETURN(http,
                           HttpInterface::Start(options.http, {.catalog = catalog.get(),
                                                               .ledger = ledger.get(),
                                                               .clock = clock.get(),
                                                               .metrics = &metrics,
                                                               .histograms = histograms.get(),
                                                               .infos = infos.get(),
                                                               .answers = answers.get(),
                                                               .answer_pool = answer_pool.get(),
                                                               .ready = [this] { return Ready(); },
                                                               .identity = identity}));
  return absl::OkStatus();
}

absl::Status Daemon::Parts::Serve() {
  const auto refused = [this](const absl::Status& status) {
    CertificatesRefused(metrics).Increment();
    log::Warning("certificate_refused", {{"status", status.ToString()}});
  };
  TOMBOLA_ASSIGN_OR_RETURN(identity, rpc::TlsIdentity::Load({.certificate = options.certificate,
                                                             .private_key = options.private_key,
                                                             .roots = options.roots},
                                                            refused));
  AddMetrics();
  const rpc::Answered answered = [this](absl::string_view method, absl::string_view code) {
    calls->Count(method, code);
  };
  const auto required = rpc::LiveServerTls(identity, rpc::ClientCertificate::kRequired);
  const auto optional = rpc::LiveServerTls(identity, rpc::ClientCertificate::kOptional);
  keys_worker = std::make_unique<Worker>("keys", absl::Seconds(1), [this] { TendKeys(); });
  // The limits are on what the process has open: each port must leave room for the others.
  rpc::ConnectionLimits query_limits;
  if (!options.http.listen.empty()) query_limits.connections += http::ServerLimits().connections;
  rpc::ConnectionLimits limits = query_limits;
  limits.connections += 1000;  // so many the query port cannot take from the shuffler
  TOMBOLA_ASSIGN_OR_RETURN(ingest_server, rpc::Server::Start({.address = options.listen_ingest,
                                                              .credentials = required,
                                                              .services = {ingest.get()},
                                                              .limits = limits,
                                                              .answered = answered}));
  TOMBOLA_ASSIGN_OR_RETURN(query_server,
                           rpc::Server::Start({.address = options.listen_query,
                                               .credentials = optional,
                                               .services = {query.get(), admin.get()},
                                               .max_message_bytes = kMaxTaskRequestBytes,
                                               .limits = query_limits,
                                               .answered = answered}));
  return ServeHttp();
}

absl::StatusOr<std::unique_ptr<Daemon>> Daemon::Start(const DaemonOptions& options,
                                                      std::shared_ptr<const Clock> clock) {
  auto parts = std::make_unique<Parts>();
  parts->options = options;
  parts->clock = std::move(clock);
  Parts* const raw = parts.get();
  std::unique_ptr<Daemon> daemon(new Daemon(std::move(parts)));
  TOMBOLA_RETURN_IF_ERROR(raw->Open());
  TOMBOLA_RETURN_IF_ERROR(raw->Serve());
  log::Info("collector_started", {{"version", Version()},
                                  {"data_directory", options.data_directory},
                                  {"ingest_port", raw->ingest_server->port()},
                                  {"query_port", raw->query_server->port()},
                                  {"http_port", daemon->http_port()},
                                  {"tasks", static_cast<int64_t>(raw->catalog->Tasks().size())}});
  return daemon;
}

Daemon::Daemon(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Daemon::~Daemon() { Stop(); }

int Daemon::ingest_port() const { return parts_->ingest_server->port(); }
int Daemon::query_port() const { return parts_->query_server->port(); }
int Daemon::http_port() const { return parts_->http == nullptr ? 0 : parts_->http->port(); }

void Daemon::Reload() {
  const absl::Status status = parts_->identity->Reload();
  const absl::Status tokens =
      parts_->http == nullptr ? absl::OkStatus() : parts_->http->ReloadTokens();
  log::Info("reloaded",
            {{"certificates", status.ok() ? "taken over" : "refused"},
             {"tokens", tokens.ok() ? "taken over" : "refused"},
             {"generation", static_cast<int64_t>(parts_->identity->Current()->generation)}});
}

void Daemon::Stop() {
  const bool running = parts_->query_server.has_value();
  parts_->stopping = true;
  if (parts_->keys_worker != nullptr) parts_->keys_worker->Stop();
  if (parts_->query_server.has_value()) parts_->query_server->Drain(absl::Seconds(5));
  if (parts_->ingest_server.has_value()) parts_->ingest_server->Drain(absl::Seconds(5));
  // Last, so that whoever asks whether it is ready hears that it is not.
  if (parts_->http != nullptr) parts_->http->Drain(absl::Seconds(5));
  parts_->http.reset();
  parts_->query_server.reset();
  parts_->ingest_server.reset();
  if (running) log::Info("collector_stopped");
}

}  // namespace tombola::collector
