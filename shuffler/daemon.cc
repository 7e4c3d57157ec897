#include "shuffler/daemon.h"

#include <atomic>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/fair_share.h"
#include "common/base/file.h"
#include "common/base/roles.h"
#include "common/base/status_macros.h"
#include "common/base/work_pool.h"
#include "common/base/worker.h"
#include "common/crypto/ed25519_sign.h"
#include "common/crypto/key_file.h"
#include "common/http/monitor_routes.h"
#include "common/http/server.h"
#include "common/http/tokens.h"
#include "common/log/log.h"
#include "common/metrics/metrics.h"
#include "common/metrics/process.h"
#include "common/random/secure_random.h"
#include "common/rpc/call_watch.h"
#include "common/rpc/identity_metrics.h"
#include "common/rpc/live_tls.h"
#include "common/rpc/server.h"
#include "common/rpc/tls.h"
#include "common/rpc/tls_identity.h"
#include "shuffler/accept/operator_service.h"
#include "shuffler/accept/refusals.h"
#include "shuffler/accept/shuffler_service.h"
#include "shuffler/batch/gates.h"
#include "shuffler/batch/releaser.h"
#include "shuffler/catalog/catalog.h"
#include "shuffler/catalog/collector_link.h"
#include "shuffler/catalog/public_key_file.h"
#include "shuffler/forward/forwarder.h"
#include "shuffler/forward/progress.h"
#include "shuffler/monitor/gauges.h"
#include "shuffler/store/store.h"

namespace tombola::shuffler {
namespace {

absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> Credentials(
    const DaemonOptions& options, const std::shared_ptr<rpc::TlsIdentity>& identity) {
  if (options.plain_text_on_loopback) {
    return rpc::PlainTextOnLoopback(options.listen);
  }
  return rpc::LiveServerTls(identity, rpc::ClientCertificate::kOptional);
}

// Devices are strangers: a connection is used for one call or a few, then it may go.
rpc::ConnectionLimits Limits(const DaemonOptions& options) {
  rpc::ConnectionLimits limits;
  limits.connections = options.max_connections;
  // Descriptors are counted, and the HTTP port's connections have some of them.
  if (!options.http.listen.empty()) limits.connections += http::ServerLimits().connections;
  limits.memory_bytes = options.max_connections_bytes;
  limits.idle = absl::Minutes(2);
  limits.age = absl::Minutes(30);
  return limits;
}

prometheus::Counter& CatalogFailures(Metrics& metrics) {
  return metrics.Counter("tombola_shuffler_catalog_failures_total",
                         "Failed looks at the collector's catalogue.");
}

prometheus::Gauge& LastFetch(Metrics& metrics) {
  return metrics.Gauge("tombola_shuffler_catalog_last_fetch_timestamp_seconds",
                       "When the collector last answered with its catalogue; 0: not yet.");
}

prometheus::Counter& CertificatesRefused(Metrics& metrics) {
  return metrics.Counter("tombola_shuffler_certificates_refused_total",
                         "Certificate files that were not taken over, or whose time is not now.");
}

}  // namespace

// In the order of construction; what is below uses what is above.
struct Daemon::Parts {
  DaemonOptions options;
  std::shared_ptr<const Clock> clock;
  Metrics metrics;
  std::optional<crypto::SigningKey> signing_key;
  std::shared_ptr<rpc::TlsIdentity> identity;
  std::unique_ptr<Store> store;
  std::unique_ptr<Catalog> catalog;
  std::unique_ptr<CollectorLink> link;
  Gates gates;
  std::unique_ptr<Releaser> releaser;
  std::unique_ptr<Forwarder> forwarder;
  std::unique_ptr<ProgressReporter> progress;
  std::unique_ptr<FairShare> in_flight;
  std::unique_ptr<Refusals> refusals;
  std::unique_ptr<rpc::CallWatch> watch;
  std::unique_ptr<ShufflerService> devices;
  std::unique_ptr<OperatorService> operators;
  std::unique_ptr<Worker> forward_worker;
  std::unique_ptr<Worker> release_worker;
  std::unique_ptr<Worker> catalog_worker;
  std::unique_ptr<Worker> progress_worker;
  std::optional<rpc::Server> server;
  std::atomic<bool> takes_calls = false;
  std::shared_ptr<http::Tokens> tokens;
  std::unique_ptr<WorkPool> metrics_pool;
  std::unique_ptr<http::Server> http_server;

  absl::Status Open();
  absl::Status Serve();
  absl::Status ServeHttp();
  absl::Status Ready() const;
  bool link_failed = false;  // the catalogue's worker's: at its last look
  void PullCatalog();
  // Before a device can see the task: that its batches can ever leave, that its fakes can be made,
  // and the size of its reports, which the store must know.
  absl::Status Admit(const std::shared_ptr<const Task>& task);
};

absl::Status Daemon::Parts::Open() {
  TOMBOLA_RETURN_IF_ERROR(MakeDirectories(options.data_directory));
  TOMBOLA_RETURN_IF_ERROR(crypto::CheckDirectoryOfSecret(options.signing_key));
  TOMBOLA_ASSIGN_OR_RETURN(const crypto::SecretBytes seed,
                           crypto::ReadSecretFile(options.signing_key));
  TOMBOLA_ASSIGN_OR_RETURN(signing_key, crypto::SigningKey::FromSeed(seed));
  TOMBOLA_ASSIGN_OR_RETURN(const auto collector_key, ReadPublicKey(options.collector_key_file));
  TOMBOLA_ASSIGN_OR_RETURN(store,
                           Store::Open({.directory = absl::StrCat(options.data_directory, "/store"),
                                        .memory_limit_bytes = options.memory_limit_bytes,
                                        .queue_limit_bytes = options.max_calls_bytes,
                                        .limits = options.store_limits,
                                        .log_salt = SecureRandom().Next64()}));
  TOMBOLA_ASSIGN_OR_RETURN(
      catalog, Catalog::Open({.path = absl::StrCat(options.data_directory, "/catalog"),
                              .shuffler_key = signing_key->public_key(),
                              .collector_key = collector_key,
                              .admit = [this](const auto& task) { return Admit(task); }}));
  const auto refused = [this](const absl::Status& status) {
    CertificatesRefused(metrics).Increment();
    log::Warning("certificate_refused", {{"status", status.ToString()}});
  };
  TOMBOLA_ASSIGN_OR_RETURN(identity, rpc::TlsIdentity::Load({.certificate = options.certificate,
                                                             .private_key = options.private_key,
                                                             .roots = options.roots},
                                                            refused));
  link = CollectorLink::Connect(options.collector, identity);
  releaser = std::make_unique<Releaser>(
      Releaser::Parts{.catalog = catalog.get(),
                      .gates = &gates,
                      .store = store.get(),
                      .signing_key = &*signing_key,
                      .clock = clock.get(),
                      .make_random = [] { return std::make_unique<SecureRandom>(); },
                      .metrics = &metrics});
  forwarder = std::make_unique<Forwarder>(store.get(), link.get(), clock.get(), &metrics);
  progress =
      std::make_unique<ProgressReporter>(catalog.get(), store.get(), link.get(), clock.get());
  return absl::OkStatus();
}

absl::Status Daemon::Parts::Admit(const std::shared_ptr<const Task>& task) {
  TOMBOLA_ASSIGN_OR_RETURN(const auto gate, gates.For(task));
  if (gate->needed() > options.store_limits.held_reports_per_task) {
    return absl::FailedPreconditionError(
        absl::StrCat("the task's smallest batch has ", gate->needed(),
                     " submissions, more than --max-held-reports-per-task = ",
                     options.store_limits.held_reports_per_task, ": it could never leave"));
  }
  if (task->mechanism()->fakes() > options.max_fakes) {
    return absl::FailedPreconditionError(
        absl::StrCat("the task wants ", task->mechanism()->fakes(),
                     " fakes in a batch, more than --max-fakes = ", options.max_fakes));
  }
  return store->AddTask(task->id(), static_cast<int64_t>(task->sealed_bytes()),
                        task->mechanism()->max_reports_per_submission());
}

void Daemon::Parts::PullCatalog() {
  const auto fresh = link->GetCatalog(catalog->version(), absl::Seconds(10));
  if (!fresh.ok()) {
    CatalogFailures(metrics).Increment();
    // Once when it begins, not every half second.
    if (!std::exchange(link_failed, true)) {
      log::Warning("collector_away", {{"cause", absl::StatusCodeToString(fresh.status().code())}});
    }
    return;
  }
  LastFetch(metrics).Set(static_cast<double>(absl::ToUnixSeconds(clock->Now())));
  if (std::exchange(link_failed, false)) {
    log::Info("collector_back");
    forwarder->LinkIsBack();
    forward_worker->Nudge();
  }
  if (fresh->version() == catalog->version()) return;
  const absl::Status status = catalog->Update(*fresh);
  if (!status.ok()) {
    log::Warning("catalog_incomplete", {{"status", status.ToString()}});
  }
  log::Info("catalog_updated", {{"version", static_cast<int64_t>(catalog->version())},
                                {"tasks", static_cast<int64_t>(catalog->Tasks().size())}});
  if (release_worker != nullptr) release_worker->Nudge();
}

absl::Status Daemon::Parts::Serve() {
  forward_worker =
      std::make_unique<Worker>("forward", absl::Seconds(1), [this] { forwarder->Step(); });
  release_worker = std::make_unique<Worker>("release", absl::Seconds(1), [this] {
    if (releaser->Step()) forward_worker->Nudge();
  });
  catalog_worker =
      std::make_unique<Worker>("catalog", options.catalog_period, [this] { PullCatalog(); });
  refusals = std::make_unique<Refusals>(metrics);
  progress_worker = std::make_unique<Worker>("progress", absl::Seconds(5), [this] {
    refusals->Step(clock->Now());
    progress->Step();
  });
  auto& commit_seconds =
      metrics.Seconds("tombola_shuffler_commit_seconds", "Making the calls of one commit durable.");
  store->AfterEachCommit([this, &commit_seconds](absl::Duration took) {
    commit_seconds.Observe(absl::ToDoubleSeconds(took));
    release_worker->Nudge();  // a batch may be full
  });
  in_flight = std::make_unique<FairShare>(FairShareLimits{.calls = options.max_calls,
                                                          .bytes = options.max_calls_bytes,
                                                          .retry = absl::Milliseconds(250)});
  watch = std::make_unique<rpc::CallWatch>(options.call_patience, absl::Seconds(1), clock);
  devices = std::make_unique<ShufflerService>(
      ShufflerService::Parts{.catalog = catalog.get(),
                             .store = store.get(),
                             .clock = clock.get(),
                             .metrics = &metrics,
                             .refusals = refusals.get(),
                             .in_flight = in_flight.get(),
                             .watch = watch.get(),
                             .unknown_task = [this] { catalog_worker->Nudge(); }});
  operators = std::make_unique<OperatorService>(catalog.get(), store.get(), &gates, &metrics);
  TOMBOLA_ASSIGN_OR_RETURN(const auto credentials, Credentials(options, identity));
  TOMBOLA_ASSIGN_OR_RETURN(server, rpc::Server::Start({.address = options.listen,
                                                       .credentials = credentials,
                                                       .services = {devices.get(), operators.get()},
                                                       .limits = Limits(options)}));
  takes_calls = true;
  return absl::OkStatus();
}

absl::Status Daemon::Parts::Ready() const {
  if (!takes_calls) return absl::UnavailableError("not taking calls: starting or draining");
  if (catalog->version() == 0) {
    return absl::UnavailableError("no catalogue yet: the collector has not answered");
  }
  if (!catalog->SignedKeys().ok()) {
    return absl::UnavailableError("no key list yet: devices could not seal");
  }
  return absl::OkStatus();
}

absl::Status Daemon::Parts::ServeHttp() {
  AddProcess(metrics, "tombola-shuffler", options.data_directory);
  rpc::AddCertificateEnd(identity, metrics);
  CatalogFailures(metrics);
  LastFetch(metrics);
  CertificatesRefused(metrics);
  AddGauges({.catalog = catalog.get(),
             .store = store.get(),
             .gates = &gates,
             .in_flight = in_flight.get(),
             .clock = clock.get(),
             .limits = options.store_limits,
             .store_directory = absl::StrCat(options.data_directory, "/store")},
            metrics);
  if (options.http.listen.empty()) return absl::OkStatus();
  if (!options.http.tokens.empty()) {
    TOMBOLA_ASSIGN_OR_RETURN(
        tokens, http::Tokens::Load(options.http.tokens, [](const absl::Status& status) {
          log::Warning("tokens_refused", {{"status", status.ToString()}});
        }));
  }
  metrics_pool = std::make_unique<WorkPool>(1, "metrics");
  http::Router router;
  http::AddMonitorRoutes({.ready = [this] { return Ready(); },
                          .metrics = &metrics,
                          .pool = metrics_pool.get(),
                          .roles = {std::string(kRoleMonitor), std::string(kRoleOperator)},
                          .answers_metric = "tombola_shuffler_http_answers_total"},
                         &router);
  // An authority that both daemons trust gives monitors their certificates, and the collector's
  // must not see when devices report: monitors of this daemon are known by its own tokens.
  TOMBOLA_ASSIGN_OR_RETURN(
      http_server, http::Server::Start({.address = options.http.listen,
                                        .identity = options.http.plaintext ? nullptr : identity,
                                        .tokens = tokens,
                                        .token_only_roles = {std::string(kRoleMonitor)},
                                        .router = std::move(router)}));
  return absl::OkStatus();
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
  TOMBOLA_RETURN_IF_ERROR(raw->ServeHttp());
  log::Info("shuffler_started", {{"version", Version()},
                                 {"port", raw->server->port()},
                                 {"http_port", daemon->http_port().value_or(0)},
                                 {"data_directory", options.data_directory},
                                 {"held_batches", static_cast<int64_t>(raw->store->Held().size())},
                                 {"outbox", static_cast<int64_t>(raw->store->Outbox().size())}});
  return daemon;
}

Daemon::Daemon(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Daemon::~Daemon() { Stop(); }

int Daemon::port() const { return parts_->server->port(); }

std::optional<int> Daemon::http_port() const {
  if (parts_->http_server == nullptr) return std::nullopt;
  return parts_->http_server->port();
}

void Daemon::Reload() {
  const absl::Status status = parts_->identity->Reload();
  const absl::Status tokens =
      parts_->tokens == nullptr ? absl::OkStatus() : parts_->tokens->Reload();
  log::Info("reloaded",
            {{"certificates", status.ok() ? "taken over" : "refused"},
             {"tokens", tokens.ok() ? "taken over" : "refused"},
             {"generation", static_cast<int64_t>(parts_->identity->Current()->generation)}});
}

void Daemon::Stop() {
  // Whoever spreads calls over shufflers sees it at once.
  parts_->takes_calls = false;
  // Calls first, while the store still answers; then the threads that use the link and the store.
  if (parts_->server.has_value()) parts_->server->Drain(absl::Seconds(5));
  if (parts_->link != nullptr) parts_->link->Cancel();
  for (auto* worker : {&parts_->catalog_worker, &parts_->progress_worker, &parts_->release_worker,
                       &parts_->forward_worker}) {
    if (*worker != nullptr) (*worker)->Stop();
  }
  if (parts_->http_server != nullptr) parts_->http_server->Drain(absl::Seconds(1));
  if (parts_->server.has_value()) log::Info("shuffler_stopped");
  parts_->server.reset();
}

}  // namespace tombola::shuffler
