#include "shuffler/daemon.h"

#include <atomic>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/fair_share.h"
#include "common/base/roles.h"
#include "common/base/status_macros.h"
#include "common/base/work_pool.h"
#include "common/base/worker.h"
#include "common/daemon/clock.h"
#include "common/daemon/identity.h"
#include "common/disk/directory.h"
#include "common/http/monitor_routes.h"
#include "common/http/server.h"
#include "common/http/tokens.h"
#include "common/log/log.h"
#include "common/metrics/metrics.h"
#include "common/metrics/process.h"
#include "common/random/secure_random.h"
#include "common/rpc/answer_desk.h"
#include "common/rpc/call_watch.h"
#include "common/rpc/live_tls.h"
#include "common/rpc/server.h"
#include "common/rpc/tls.h"
#include "shuffler/accept/operator_service.h"
#include "shuffler/accept/refusals.h"
#include "shuffler/accept/shuffler_service.h"
#include "shuffler/batch/gates.h"
#include "shuffler/batch/releaser.h"
#include "shuffler/catalog/catalog.h"
#include "shuffler/catalog/collector_link.h"
#include "shuffler/catalog/public_key_file.h"
#include "shuffler/catalog/puller.h"
#include "shuffler/embedded/embedded_store.h"
#include "shuffler/forward/forwarder.h"
#include "shuffler/forward/progress.h"
#include "shuffler/monitor/gauges.h"
#include "shuffler/release/batch_release.h"

namespace tombola::shuffler {
namespace {

constexpr int64_t kMaxOperatorCalls = 64;                   // of which the operators take half
constexpr absl::Duration kRetry = absl::Milliseconds(250);  // what a device is asked to wait
// A device asks for its task and the keys, one after the other.
constexpr int64_t kLookupsPerConnection = 16;
// Answers that wait to be read. A lookup's keeps its place meanwhile, so that few may. Submissions
// have given theirs back; one commit answers all that are in flight, and the next ones come while
// those answers leave: only beyond several times as many have callers stopped reading.
constexpr int64_t kUnreadLookups = 256;
constexpr int64_t kUnreadAnswersPerCall = 4;

absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> Credentials(
    const DaemonOptions& options, const daemon::Identity& identity) {
  if (options.plain_text_on_loopback) {
    return rpc::PlainTextOnLoopback(options.listen);
  }
  return rpc::LiveServerTls(identity.tls_identity(), rpc::ClientCertificate::kOptional);
}

// Of one submission.
int64_t MostReportsInABatch(const Task& task) {
  const mechanism::Nodes* const nodes = task.nodes();
  if (nodes == nullptr) return task.scheme()->max_reports_per_submission();
  int64_t most = 0;
  for (uint64_t node = 1; node <= static_cast<uint64_t>(nodes->count()); ++node) {
    most = std::max(most, task.SchemeOf(node).max_reports_per_submission());
  }
  return most;
}

}  // namespace

rpc::ConnectionLimits PortLimits(const DaemonOptions& options) {
  rpc::ConnectionLimits limits;
  limits.connections = options.max_connections;
  // Descriptors are counted, and the HTTP port's connections have some of them.
  if (!options.http.listen.empty()) limits.connections += http::ServerLimits().all_connections();
  limits.memory_bytes = options.max_connections_bytes;
  limits.idle = absl::Minutes(2);
  limits.age = absl::Minutes(5);
  return limits;
}

// In the order of construction; what is below uses what is above.
struct Daemon::Parts {
  DaemonOptions options;
  std::shared_ptr<const Clock> wall;
  std::shared_ptr<const SteadyClock> steady;
  Metrics metrics;
  std::optional<daemon::DaemonClock> daemon_clock;
  WatchedClock* clock = nullptr;  // the daemon's
  std::unique_ptr<daemon::Identity> identity;
  std::unique_ptr<Store> store;
  std::optional<BatchRelease> release;
  std::unique_ptr<Catalog> catalog;
  std::unique_ptr<CollectorLink> link;
  Gates gates;
  std::optional<Intervals> intervals;
  std::unique_ptr<Releaser> releaser;
  std::unique_ptr<Forwarder> forwarder;
  std::unique_ptr<ProgressReporter> progress;
  std::unique_ptr<CatalogPuller> puller;
  std::unique_ptr<FairShare> submissions;
  std::unique_ptr<FairShare> lookups;
  std::unique_ptr<rpc::ConnectionCap> lookup_seats;
  std::unique_ptr<Refusals> refusals;
  std::unique_ptr<rpc::CallWatch> watch;
  std::unique_ptr<rpc::CallWatch> lookup_watch;
  std::unique_ptr<ShufflerService> devices;
  std::unique_ptr<FairShare> operator_calls;
  std::unique_ptr<WorkPool> operator_pool;
  std::unique_ptr<rpc::AnswerDesk> operator_desk;
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
  // Before a device can see the task: that its batches can ever leave, that its fakes can be made,
  // and the size of its reports, which the store must know.
  absl::Status Admit(const std::shared_ptr<const Task>& task);
};

absl::Status Daemon::Parts::Open() {
  TOMBOLA_RETURN_IF_ERROR(MakeDirectories(options.data_directory));
  TOMBOLA_ASSIGN_OR_RETURN(
      identity,
      daemon::Identity::Load(options, "tombola_shuffler_certificates_refused_total", metrics));
  TOMBOLA_ASSIGN_OR_RETURN(const auto collector_key, ReadPublicKey(options.collector_key_file));
  TOMBOLA_ASSIGN_OR_RETURN(
      store, EmbeddedStore::Open({.directory = absl::StrCat(options.data_directory, "/store"),
                                  .queue_limit_bytes = options.max_calls_bytes,
                                  .limits = options.store_limits,
                                  .log_salt = SecureRandom().Next64()}));
  TOMBOLA_ASSIGN_OR_RETURN(
      release,
      BatchRelease::Create({.scratch_directory = absl::StrCat(options.data_directory, "/scratch"),
                            .memory_limit_bytes = options.memory_limit_bytes}));
  // The store's lock is taken: nobody else writes the file.
  daemon_clock.emplace(daemon::DaemonClockOptions{
      .wall = wall, .steady = steady, .directory = options.data_directory});
  clock = &daemon_clock->clock();
  TOMBOLA_ASSIGN_OR_RETURN(
      catalog, Catalog::Open({.path = absl::StrCat(options.data_directory, "/catalog"),
                              .shuffler_key = identity->signing_key().public_key(),
                              .collector_key = collector_key,
                              .admit = [this](const auto& task) { return Admit(task); }}));
  link =
      CollectorLink::Connect(options.collector, identity->tls_identity(), identity->revocation());
  TOMBOLA_ASSIGN_OR_RETURN(intervals,
                           Intervals::Open(absl::StrCat(options.data_directory, "/intervals")));
  releaser = std::make_unique<Releaser>(
      Releaser::Parts{.catalog = catalog.get(),
                      .gates = &gates,
                      .store = store.get(),
                      .release = &*release,
                      .intervals = &*intervals,
                      .signing_key = &identity->signing_key(),
                      .clock = clock,
                      .make_random = [] { return std::make_unique<SecureRandom>(); },
                      .metrics = &metrics});
  forwarder = std::make_unique<Forwarder>(catalog.get(), store.get(), link.get(), clock, &metrics);
  progress = std::make_unique<ProgressReporter>(ProgressReporter::Parts{
      .catalog = catalog.get(),
      .store = store.get(),
      .tell = [this](const auto& told) { return link->ReportProgress(told, absl::Seconds(10)); },
      .signing_key = &identity->signing_key(),
      .clock = clock,
      .steady = steady.get()});
  puller = std::make_unique<CatalogPuller>(
      CatalogPuller::Parts{.catalog = catalog.get(),
                           .link = link.get(),
                           .clock = clock,
                           .steady = steady.get(),
                           .signing_key = &identity->signing_key(),
                           .metrics = &metrics,
                           .link_is_back =
                               [this] {
                                 forwarder->LinkIsBack();
                                 forward_worker->Nudge();
                               },
                           .changed = [this] { release_worker->Nudge(); }});
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
  if (task->scheme()->fakes() > options.max_fakes) {
    return absl::FailedPreconditionError(
        absl::StrCat("the task wants ", task->scheme()->fakes(),
                     " fakes in a batch, more than --max-fakes = ", options.max_fakes));
  }
  return store->AddTask(task->id(), static_cast<int64_t>(task->sealed_bytes()),
                        MostReportsInABatch(*task));
}

absl::Status Daemon::Parts::Serve() {
  // What was held for an interval that has ended meanwhile leaves before anything new joins it.
  releaser->Step();
  forward_worker =
      std::make_unique<Worker>("forward", absl::Seconds(1), [this] { forwarder->Step(); });
  release_worker = std::make_unique<Worker>("release", absl::Seconds(1), [this] {
    daemon_clock->Keep();
    if (releaser->Step()) forward_worker->Nudge();
  });
  catalog_worker =
      std::make_unique<Worker>("catalog", options.catalog_period, [this] { puller->Step(); });
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
  submissions = std::make_unique<FairShare>(FairShareLimits{
      .calls = options.max_calls, .bytes = options.max_calls_bytes, .retry = kRetry});
  lookups = std::make_unique<FairShare>(FairShareLimits{
      .calls = options.max_calls, .bytes = options.max_lookups_bytes, .retry = kRetry});
  lookup_seats = std::make_unique<rpc::ConnectionCap>(kLookupsPerConnection, kRetry);
  const auto watch_unread = [this](int64_t most) {
    return std::make_unique<rpc::CallWatch>(
        options.call_patience, absl::Seconds(1), std::make_shared<const SteadyClock>(),
        rpc::UnreadAnswers{.patience = options.unread_patience, .most = most});
  };
  watch = watch_unread(kUnreadAnswersPerCall * options.max_calls);
  lookup_watch = watch_unread(kUnreadLookups);
  devices = std::make_unique<ShufflerService>(
      ShufflerService::Parts{.catalog = catalog.get(),
                             .store = store.get(),
                             .clock = clock,
                             .metrics = &metrics,
                             .refusals = refusals.get(),
                             .submissions = submissions.get(),
                             .lookups = lookups.get(),
                             .lookup_seats = lookup_seats.get(),
                             .watch = watch.get(),
                             .lookup_watch = lookup_watch.get(),
                             .revocation = identity->revocation().get(),
                             .looked = [this] { return releaser->looked(); }});
  operator_calls = std::make_unique<FairShare>(
      FairShareLimits{.calls = kMaxOperatorCalls, .bytes = 0, .retry = absl::Seconds(1)});
  operator_pool = std::make_unique<WorkPool>(1, "operator");
  operator_desk = std::make_unique<rpc::AnswerDesk>(rpc::AnswerDesk::Parts{
      .share = operator_calls.get(), .watch = watch.get(), .pool = operator_pool.get()});
  operators = std::make_unique<OperatorService>(catalog.get(), store.get(), &gates, &metrics, clock,
                                                identity->revocation().get(), operator_desk.get());
  TOMBOLA_ASSIGN_OR_RETURN(const auto credentials, Credentials(options, *identity));
  TOMBOLA_ASSIGN_OR_RETURN(server, rpc::Server::Start({.address = options.listen,
                                                       .credentials = credentials,
                                                       .services = {devices.get(), operators.get()},
                                                       .limits = PortLimits(options)}));
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
  TOMBOLA_RETURN_IF_ERROR(clock->SureNow().status());
  return absl::OkStatus();
}

absl::Status Daemon::Parts::ServeHttp() {
  AddProcess(metrics, "tombola-shuffler", options.data_directory);
  daemon_clock->AddGauge("tombola_shuffler_clock_in_doubt", metrics);
  AddGauges({.catalog = catalog.get(),
             .store = store.get(),
             .gates = &gates,
             .submissions = submissions.get(),
             .lookups = lookups.get(),
             .clock = clock,
             .limits = options.store_limits,
             .store_directory = absl::StrCat(options.data_directory, "/store")},
            metrics);
  if (options.http.listen.empty()) return absl::OkStatus();
  TOMBOLA_ASSIGN_OR_RETURN(tokens, http::Tokens::Follow(options.http.tokens));
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
      http_server,
      http::Server::Start({.address = options.http.listen,
                           .identity = options.http.plaintext ? nullptr : identity->tls_identity(),
                           .revocation = identity->revocation(),
                           .tokens = tokens,
                           .token_only_roles = {std::string(kRoleMonitor)},
                           .router = std::move(router)}));
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Daemon>> Daemon::Start(const DaemonOptions& options,
                                                      std::shared_ptr<const Clock> wall,
                                                      std::shared_ptr<const SteadyClock> steady) {
  auto parts = std::make_unique<Parts>();
  parts->options = options;
  parts->wall = std::move(wall);
  parts->steady = std::move(steady);
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

std::vector<std::pair<std::string, int>> Daemon::Ports() const {
  std::vector<std::pair<std::string, int>> ports = {{"port", port()}};
  if (http_port().has_value()) ports.emplace_back("http_port", *http_port());
  return ports;
}

std::string Daemon::Serving() const { return absl::StrCat("taking calls on port ", port()); }

void Daemon::Reload() {
  parts_->identity->Reload(parts_->tokens == nullptr ? absl::OkStatus() : parts_->tokens->Reload());
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
