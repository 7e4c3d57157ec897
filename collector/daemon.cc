#include "collector/daemon.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "collector/audit/audit_log.h"
#include "collector/catalog/catalog.h"
#include "collector/catalog/key_ring.h"
#include "collector/data_directory.h"
#include "collector/ingest/ingest_service.h"
#include "collector/ingest/intake.h"
#include "collector/ingest/refused_deliveries.h"
#include "collector/monitor/call_counters.h"
#include "collector/monitor/gauges.h"
#include "collector/monitor/readiness.h"
#include "collector/query/admin_service.h"
#include "collector/query/answers.h"
#include "collector/query/decodings.h"
#include "collector/query/query_service.h"
#include "collector/query/task_info.h"
#include "collector/store/sqlite_ledger.h"
#include "collector/totals/trusted_totals.h"
#include "common/base/fair_share.h"
#include "common/base/status_macros.h"
#include "common/base/time_text.h"
#include "common/base/work_pool.h"
#include "common/base/worker.h"
#include "common/daemon/clock.h"
#include "common/daemon/identity.h"
#include "common/disk/directory.h"
#include "common/disk/lock.h"
#include "common/disk/whole_file.h"
#include "common/log/log.h"
#include "common/metrics/metrics.h"
#include "common/metrics/process.h"
#include "common/random/secure_random.h"
#include "common/rpc/answer_desk.h"
#include "common/rpc/call_watch.h"
#include "common/rpc/live_tls.h"
#include "common/rpc/server.h"
#include "common/task/catalog_bound.h"

namespace tombola::collector {
namespace {

// A directory that was complete must not be taken for a new one because a file of it is gone: the
// others would go on without it.
absl::Status CheckNothingIsGone(const std::string& directory) {
  if (!std::filesystem::exists(absl::StrCat(directory, "/", kCompleteFile)))
    return absl::OkStatus();
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
constexpr int64_t kMaxPeoplesCalls = 128;  // other than answers, by analysts and administrators
constexpr int64_t kMaxPeoplesBytes = 8 * kMaxAllTasksBytes;  // of their lists of all tasks
constexpr int kMaxTaskRequestBytes = 32 << 20;  // a task with sixteen million bytes of labels

prometheus::Counter& TendFailures(Metrics& metrics) {
  return metrics.Counter("tombola_collector_keys_tend_failures_total",
                         "Looks at the HPKE keys, one a second, that could not do what was due.");
}

int Threads(int wanted) {
  return wanted > 0 ? wanted : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace

// The limits are on what the process has open: each port must leave room for the others.
rpc::ConnectionLimits QueryPortLimits(const DaemonOptions& options) {
  rpc::ConnectionLimits limits;
  limits.age_grace = options.answer_patience;
  if (!options.http.listen.empty()) limits.connections += http::ServerLimits().all_connections();
  return limits;
}

rpc::ConnectionLimits IngestPortLimits(const DaemonOptions& options) {
  rpc::ConnectionLimits limits = QueryPortLimits(options);
  limits.age_grace = absl::Hours(24);  // a delivery may take long, and begins anew when it is cut
  limits.connections += 1000;          // so many the query port cannot take from the shuffler
  return limits;
}

// In the order of construction; what is below uses what is above.
struct Daemon::Parts {
  DaemonOptions options;
  std::shared_ptr<const Clock> wall;
  std::shared_ptr<const SteadyClock> steady;
  Metrics metrics;
  Readiness readiness{std::make_shared<const SteadyClock>()};
  std::unique_ptr<daemon::Identity> identity;
  std::optional<daemon::DaemonClock> daemon_clock;
  WatchedClock* clock = nullptr;  // the daemon's
  std::optional<DiskLock> lock;
  std::unique_ptr<Catalog> catalog;
  std::unique_ptr<KeyRing> keys;
  std::unique_ptr<AuditLog> audit;
  std::unique_ptr<BatchLedger> ledger;
  SecureRandom totals_random;  // of `totals` alone
  std::unique_ptr<TrustedTotals> totals;
  std::unique_ptr<WorkPool> pool;
  std::unique_ptr<Intake> intake;
  RefusedDeliveries refused;
  std::unique_ptr<FairShare> answer_budget;
  std::unique_ptr<AnswerMetrics> answer_metrics;
  std::unique_ptr<CallCounters> calls;
  std::unique_ptr<Decodings> decodings;
  std::unique_ptr<Answers> answers;
  std::unique_ptr<TaskInfos> infos;
  std::unique_ptr<WorkPool> answer_pool;
  std::unique_ptr<FairShare> people;
  std::unique_ptr<WorkPool> analyst_pool;
  std::unique_ptr<WorkPool> administrator_pool;
  std::unique_ptr<rpc::CallWatch> header_watch;
  std::unique_ptr<rpc::CallWatch> delivery_watch;
  std::unique_ptr<rpc::CallWatch> answer_watch;
  std::unique_ptr<rpc::AnswerDesk> analyst_desk;
  std::unique_ptr<rpc::AnswerDesk> administrator_desk;
  std::unique_ptr<IngestService> ingest;
  std::unique_ptr<QueryService> query;
  std::unique_ptr<AdminService> admin;
  std::optional<rpc::Server> ingest_server;
  std::optional<rpc::Server> query_server;
  std::unique_ptr<HttpInterface> http;
  std::unique_ptr<Worker> keys_worker;
  std::unique_ptr<Worker> totals_worker;

  absl::Status Open();
  absl::Status Serve();
  absl::Status ServeHttp();
  // A quarter of the least age that an open task allows its key list.
  absl::Duration Renewal() const;
  void TendKeys();
  void AddMetrics();
  absl::Status Stored() const;
};

absl::Status Daemon::Parts::Open() {
  const std::string& directory = options.data_directory;
  TOMBOLA_RETURN_IF_ERROR(MakeDirectories(directory));
  absl::StatusOr<DiskLock> taken = DiskLock::OfDirectory(directory);
  TOMBOLA_RETURN_IF_ERROR(taken.status());
  lock.emplace(*std::move(taken));
  // A shuffler can confirm the time; none can put it in doubt.
  daemon_clock.emplace(daemon::DaemonClockOptions{
      .wall = wall, .steady = steady, .directory = directory, .peer_objects = false});
  clock = &daemon_clock->clock();
  TOMBOLA_ASSIGN_OR_RETURN(
      identity,
      daemon::Identity::Load(options, "tombola_collector_certificates_refused_total", metrics));
  TOMBOLA_RETURN_IF_ERROR(CheckNothingIsGone(directory));
  TOMBOLA_ASSIGN_OR_RETURN(catalog, Catalog::Open(absl::StrCat(directory, "/", kCatalogFile)));
  TOMBOLA_ASSIGN_OR_RETURN(audit, AuditLog::Open(absl::StrCat(directory, "/", kAuditFile), clock));
  SecureRandom random;
  TOMBOLA_ASSIGN_OR_RETURN(keys,
                           KeyRing::Open({.directory = absl::StrCat(directory, "/", kKeysDirectory),
                                          .signing_key = &identity->signing_key(),
                                          .clock = clock,
                                          .times = options.key_times,
                                          .renewal = [this] { return Renewal(); },
                                          .tasks = [this] { return catalog->Tasks(); }},
                                         random));
  TOMBOLA_ASSIGN_OR_RETURN(ledger, SqliteLedger::Open(absl::StrCat(directory, "/", kBatchesFile)));
  TOMBOLA_ASSIGN_OR_RETURN(
      totals, TrustedTotals::Open({.directory = absl::StrCat(directory, "/", kTotalsDirectory),
                                   .key_file = options.totals_key_file.empty()
                                                   ? absl::StrCat(directory, "/", kTotalsKeyFile)
                                                   : options.totals_key_file,
                                   .catalog = catalog.get(),
                                   .ledger = ledger.get(),
                                   .random = &totals_random}));
  const std::string complete = absl::StrCat(directory, "/", kCompleteFile);
  if (!std::filesystem::exists(complete)) {
    TOMBOLA_RETURN_IF_ERROR(ReplaceFile(complete, kCompleteContent));
  }
  for (const CatalogRestore& restore : catalog->Restores()) {
    log::Warning("restored_from_copy",
                 {{"taken", TimeText(restore.taken)}, {"restored", TimeText(restore.restored)}});
  }
  pool = std::make_unique<WorkPool>(Threads(options.open_threads));
  intake = std::make_unique<Intake>(catalog.get(), keys.get(), ledger.get(), clock, &metrics,
                                    pool->threads());
  const auto call_clock = std::make_shared<const SteadyClock>();
  header_watch =
      std::make_unique<rpc::CallWatch>(options.header_patience, absl::Seconds(1), call_clock);
  delivery_watch =
      std::make_unique<rpc::CallWatch>(options.stream_patience, absl::Seconds(1), call_clock);
  ingest = std::make_unique<IngestService>(
      IngestService::Parts{.catalog = catalog.get(),
                           .keys = keys.get(),
                           .intake = intake.get(),
                           .refused = &refused,
                           .pool = pool.get(),
                           .clock = clock,
                           .steady = steady,
                           .header_watch = header_watch.get(),
                           .watch = delivery_watch.get(),
                           .revocation = identity->revocation().get(),
                           .max_deliveries = options.max_deliveries});
  answer_budget = std::make_unique<FairShare>(FairShareLimits{
      .calls = kMaxAnswers, .bytes = options.max_answers_bytes, .retry = absl::Seconds(1)});
  answer_watch =
      std::make_unique<rpc::CallWatch>(options.answer_patience, absl::Seconds(1), call_clock);
  answer_metrics = std::make_unique<AnswerMetrics>(metrics);
  calls = std::make_unique<CallCounters>(metrics);
  decodings = std::make_unique<Decodings>(DecodingLimits(), call_clock);
  answers =
      std::make_unique<Answers>(catalog.get(), ledger.get(), answer_budget.get(),
                                answer_metrics.get(), clock, &Answerers::All(), decodings.get());
  infos = std::make_unique<TaskInfos>(ledger.get(), totals.get());
  answer_pool = std::make_unique<WorkPool>(kAnswerThreads, "answer");
  people = std::make_unique<FairShare>(FairShareLimits{
      .calls = kMaxPeoplesCalls, .bytes = kMaxPeoplesBytes, .retry = absl::Seconds(1)});
  analyst_pool = std::make_unique<WorkPool>(1, "analyst");
  administrator_pool = std::make_unique<WorkPool>(1, "administrator");
  const auto desk = [this](uint8_t name, WorkPool* pool) {
    return std::make_unique<rpc::AnswerDesk>(rpc::AnswerDesk::Parts{
        .share = people.get(), .name = TaskId{name}, .watch = answer_watch.get(), .pool = pool});
  };
  analyst_desk = desk(1, analyst_pool.get());
  administrator_desk = desk(2, administrator_pool.get());
  query = std::make_unique<QueryService>(
      QueryService::Parts{.catalog = catalog.get(),
                          .keys = keys.get(),
                          .answers = answers.get(),
                          .infos = infos.get(),
                          .totals = totals.get(),
                          .desk = analyst_desk.get(),
                          .watch = answer_watch.get(),
                          .pool = answer_pool.get(),
                          .audit = audit.get(),
                          .revocation = identity->revocation().get()});
  admin = std::make_unique<AdminService>(
      AdminService::Parts{.catalog = catalog.get(),
                          .keys = keys.get(),
                          .infos = infos.get(),
                          .answers = answers.get(),
                          .totals = totals.get(),
                          .metrics = &metrics,
                          .clock = clock,
                          .audit = audit.get(),
                          .desk = administrator_desk.get(),
                          .collector_key = identity->signing_key().public_key(),
                          .make_random = [] { return std::make_unique<SecureRandom>(); },
                          .revocation = identity->revocation().get()});
  return absl::OkStatus();
}

absl::Duration Daemon::Parts::Renewal() const {
  absl::Duration least = absl::Hours(24 * 14);
  for (const CatalogEntry& entry : catalog->Tasks()) {
    if (!entry.closed && clock->Now() < entry.task->not_after()) {
      least = std::min(least, entry.task->key_list_age());
    }
  }
  return least / 4;
}

void Daemon::Parts::TendKeys() {
  daemon_clock->Keep();
  const absl::Status stored = Stored();
  if (readiness.SawStores(stored)) log::Error("database_failed", {{"status", stored.ToString()}});
  if (!clock->SureNow().ok()) return;  // no key begins, ends or is destroyed
  SecureRandom random;
  const absl::StatusOr<bool> changed = keys->Tend(random);
  if (!changed.ok()) TendFailures(metrics).Increment();
  if (changed.ok() && *changed) {
    log::Info("keys_changed", {{"serial", static_cast<int64_t>(keys->serial())}});
  }
  // Once for each cause, not once a second.
  if (readiness.SawKeys(changed.status())) {
    log::Error("keys_not_tended", {{"status", changed.status().ToString()}});
  }
}

void Daemon::Parts::AddMetrics() {
  AddProcess(metrics, "tombola-collector", options.data_directory);
  daemon_clock->AddGauge("tombola_collector_clock_in_doubt", metrics);
  TendFailures(metrics);
  AddGauges({.catalog = catalog.get(),
             .keys = keys.get(),
             .ledger = ledger.get(),
             .answers = answer_budget.get(),
             .clock = clock,
             .directory = options.data_directory},
            metrics);
}

absl::Status Daemon::Parts::Stored() const {
  for (const absl::Status& state : {catalog->State(), keys->State(), ledger->State()}) {
    TOMBOLA_RETURN_IF_ERROR(state);
  }
  return absl::OkStatus();
}

absl::Status Daemon::Parts::ServeHttp() {
  if (options.http.listen.empty()) return absl::OkStatus();
  TOMBOLA_ASSIGN_OR_RETURN(
      http, HttpInterface::Start(options.http, {.catalog = catalog.get(),
                                                .ledger = ledger.get(),
                                                .clock = clock,
                                                .metrics = &metrics,
                                                .answers = answers.get(),
                                                .audit = audit.get(),
                                                .infos = infos.get(),
                                                .totals = totals.get(),
                                                .budget = answer_budget.get(),
                                                .answer_pool = answer_pool.get(),
                                                .ready = [this] { return readiness.Ready(); },
                                                .identity = identity->tls_identity(),
                                                .revocation = identity->revocation()}));
  return absl::OkStatus();
}

absl::Status Daemon::Parts::Serve() {
  AddMetrics();
  const rpc::Answered answered = [this](absl::string_view method, absl::string_view code) {
    calls->Count(method, code);
  };
  const auto required =
      rpc::LiveServerTls(identity->tls_identity(), rpc::ClientCertificate::kRequired);
  const auto optional =
      rpc::LiveServerTls(identity->tls_identity(), rpc::ClientCertificate::kOptional);
  keys_worker = std::make_unique<Worker>("keys", absl::Seconds(1), [this] {
    refused.Step();
    TendKeys();
  });
  // In doubt of the clock no period is over.
  totals_worker = std::make_unique<Worker>("totals", absl::Seconds(1), [this] {
    if (const absl::StatusOr<absl::Time> now = clock->SureNow(); now.ok()) totals->Step(*now);
  });
  TOMBOLA_ASSIGN_OR_RETURN(ingest_server, rpc::Server::Start({.address = options.listen_ingest,
                                                              .credentials = required,
                                                              .services = {ingest.get()},
                                                              .limits = IngestPortLimits(options),
                                                              .answered = answered}));
  TOMBOLA_ASSIGN_OR_RETURN(query_server,
                           rpc::Server::Start({.address = options.listen_query,
                                               .credentials = optional,
                                               .services = {query.get(), admin.get()},
                                               .max_message_bytes = kMaxTaskRequestBytes,
                                               .limits = QueryPortLimits(options),
                                               .answered = answered}));
  return ServeHttp();
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

std::vector<std::pair<std::string, int>> Daemon::Ports() const {
  return {{"ingest_port", ingest_port()}, {"query_port", query_port()}, {"http_port", http_port()}};
}

std::string Daemon::Serving() const {
  std::string text =
      absl::StrCat("taking batches on port ", ingest_port(), ", questions on port ", query_port());
  if (http_port() != 0) absl::StrAppend(&text, ", HTTP on port ", http_port());
  return text;
}

void Daemon::Reload() {
  parts_->identity->Reload(parts_->http == nullptr ? absl::OkStatus()
                                                   : parts_->http->ReloadTokens());
}

void Daemon::Stop() {
  const bool running = parts_->query_server.has_value();
  parts_->readiness.Stop();
  if (parts_->keys_worker != nullptr) parts_->keys_worker->Stop();
  if (parts_->totals_worker != nullptr) parts_->totals_worker->Stop();
  if (parts_->query_server.has_value()) parts_->query_server->Drain(absl::Seconds(5));
  if (parts_->ingest_server.has_value()) parts_->ingest_server->Drain(absl::Seconds(5));
  parts_->refused.Step();
  // Last, so that whoever asks whether it is ready hears that it is not.
  if (parts_->http != nullptr) parts_->http->Drain(absl::Seconds(5));
  parts_->http.reset();
  parts_->query_server.reset();
  parts_->ingest_server.reset();
  if (running) log::Info("collector_stopped");
}

}  // namespace tombola::collector
