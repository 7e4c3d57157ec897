#include "shuffler/embedded/embedded_store.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/encoding.h"
#include "common/base/status_macros.h"
#include "common/disk/directory.h"
#include "shuffler/disk/crc32c.h"
#include "shuffler/log/log_format.h"

namespace tombola::shuffler {
namespace {

absl::Status InDoubt(const absl::Status& cause) {
  return absl::UnavailableError(
      absl::StrCat("in doubt, the store must be reopened: ", cause.message()));
}

std::vector<uint64_t> Sequences(const Leaving& leaving) {
  std::vector<uint64_t> sequences;
  for (const LogInfo& log : leaving.logs) sequences.push_back(log.header.sequence);
  return sequences;
}

absl::Status CheckBounds(absl::string_view field, int64_t value, int64_t least, int64_t most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(field, " is ", value, ", must be from ", least, " to ", most));
}

absl::Status CheckStoreLimits(const StoreLimits& limits) {
  constexpr int64_t kMost = int64_t{1} << 50;
  TOMBOLA_RETURN_IF_ERROR(CheckBounds("held_reports", limits.held_reports, 1, kMost));
  TOMBOLA_RETURN_IF_ERROR(
      CheckBounds("held_reports_per_task", limits.held_reports_per_task, 1, limits.held_reports));
  TOMBOLA_RETURN_IF_ERROR(CheckBounds("held_bytes", limits.held_bytes, 1, kMost));
  TOMBOLA_RETURN_IF_ERROR(CheckBounds("outbox_bytes", limits.outbox_bytes, 1, kMost));
  return CheckBounds("digests", limits.digests, 1, kMost);
}

}  // namespace

EmbeddedStore::EmbeddedStore(const StoreOptions& options, DiskLock lock)
    : options_(options),
      threads_(options.threads > 0 ? static_cast<size_t>(options.threads)
                                   : std::max<size_t>(1, std::thread::hardware_concurrency())),
      lock_(std::move(lock)),
      outbox_(absl::StrCat(options.directory, "/outbox")),
      counters_files_(absl::StrCat(options.directory, "/counters")),
      seen_files_(absl::StrCat(options.directory, "/seen")) {}

absl::StatusOr<std::unique_ptr<EmbeddedStore>> EmbeddedStore::Open(const StoreOptions& options) {
  TOMBOLA_RETURN_IF_ERROR(
      CheckBounds("queue_limit_bytes", options.queue_limit_bytes, 1, int64_t{1} << 30));
  TOMBOLA_RETURN_IF_ERROR(CheckBounds("threads", options.threads, 0, 1024));
  TOMBOLA_RETURN_IF_ERROR(CheckStoreLimits(options.limits));
  TOMBOLA_RETURN_IF_ERROR(MakeDirectory(options.directory));
  TOMBOLA_ASSIGN_OR_RETURN(DiskLock lock, DiskLock::OfDirectory(options.directory));
  for (const absl::string_view name : {"held", "seen", "outbox", "counters"}) {
    TOMBOLA_RETURN_IF_ERROR(MakeDirectory(absl::StrCat(options.directory, "/", name)));
  }
  std::unique_ptr<EmbeddedStore> store(new EmbeddedStore(options, std::move(lock)));
  TOMBOLA_RETURN_IF_ERROR(store->Recover());
  return store;
}

EmbeddedStore::~EmbeddedStore() {
  if (committer_ == nullptr) return;
  committer_.reset();
  MutexLock lock(files_mutex_);
  for (const TaskId& task : inventory_.Unsaved()) {
    // Only duplicates, which a crash may lose as well.
    if (!counters_files_.Prepare(task, inventory_.Over(task)).ok()) continue;
    counters_files_.Adopt(task).IgnoreError();
  }
}

absl::Status EmbeddedStore::AddTask(const TaskId& task, int64_t sealed_bytes,
                                    int64_t max_reports_per_submission) {
  TOMBOLA_RETURN_IF_ERROR(CheckBounds("sealed_bytes", sealed_bytes, 1, kMaxSealedBytes));
  TOMBOLA_RETURN_IF_ERROR(
      CheckBounds("max_reports_per_submission", max_reports_per_submission, 1, 65535));
  return inventory_.AddTask(task, {sealed_bytes, max_reports_per_submission});
}

void EmbeddedStore::Accept(const SubmitBatch& call, AcceptDone done) {
  committer_->Accept(call, std::move(done));
}

void EmbeddedStore::AfterEachCommit(std::function<void(absl::Duration)> tell) {
  committer_->AfterEachCommit(std::move(tell));
}

absl::StatusOr<int64_t> EmbeddedStore::QueuedBytes(const SubmitBatch& call) const {
  TOMBOLA_ASSIGN_OR_RETURN(const TaskShape shape, inventory_.Shape(call.of.task));
  return shuffler::QueuedBytes(call, shape);
}

std::vector<HeldInfo> EmbeddedStore::Held() const { return inventory_.Held(); }

absl::StatusOr<std::unique_ptr<Detached>> EmbeddedStore::Detach(const BatchKey& of) {
  TOMBOLA_ASSIGN_OR_RETURN(Leaving leaving, committer_->Detach(of));
  auto detached = std::make_unique<DetachedLogs>(std::move(leaving), inventory_, threads_);
  TOMBOLA_RETURN_IF_ERROR(FaultAt(options_.fault, "release/detached"));
  return detached;
}

absl::StatusOr<int64_t> EmbeddedStore::Scatter(const BatchKey& period) {
  TOMBOLA_ASSIGN_OR_RETURN(const Leaving leaving, committer_->DetachPeriod(period));
  NodeLogs logs({.directory = HeldDirectory(period.task),
                 .salt = options_.log_salt,
                 .next_sequence = [&] { return inventory_.NextSequence(period.task); }},
                leaving);
  if (const absl::Status prepared = PrepareScatter(period, logs); !prepared.ok()) {
    // What is left of it would count at the next start, once another attempt is over.
    if (const absl::Status removed = logs.Remove(); !removed.ok()) return InDoubt(removed);
    inventory_.Return(leaving);
    return prepared;
  }
  {
    MutexLock lock(files_mutex_);
    inventory_.Saved(period.task);
    absl::Status counted =
        counters_files_.Prepare(period.task, AfterScatter(inventory_.Over(period.task), leaving));
    if (!counted.ok()) {
      if (const absl::Status removed = logs.Remove(); !removed.ok()) return InDoubt(removed);
      inventory_.Return(leaving);
      return counted;
    }
    counted = FaultAt(options_.fault, "scatter/count");
    if (counted.ok()) counted = counters_files_.Adopt(period.task);
    if (!counted.ok()) return InDoubt(counted);
    inventory_.Scattered(leaving, logs.Infos());
  }
  // From here on the nodes have it, come what may. What fails now, the next start does.
  if (FaultAt(options_.fault, "scatter/counted").ok() &&
      RemoveLogs(period, Sequences(leaving)).ok()) {
    inventory_.Removed(period.task, Sequences(leaving));
  }
  return leaving.amounts.submissions;
}

absl::Status EmbeddedStore::PrepareScatter(const BatchKey& period, NodeLogs& logs) {
  TOMBOLA_RETURN_IF_ERROR(FaultAt(options_.fault, "scatter/detached"));
  TOMBOLA_RETURN_IF_ERROR(logs.Write());
  TOMBOLA_RETURN_IF_ERROR(FaultAt(options_.fault, "scatter/written"));
  for (auto& [window, digests] : logs.digests()) SortDigests(absl::MakeSpan(digests), threads_);
  TOMBOLA_RETURN_IF_ERROR(RememberDigests(period.task, logs.digests()));
  TOMBOLA_RETURN_IF_ERROR(FaultAt(options_.fault, "scatter/remembered"));
  TOMBOLA_RETURN_IF_ERROR(logs.Name());
  return FaultAt(options_.fault, "scatter/named");
}

absl::StatusOr<std::unique_ptr<BatchWriter>> EmbeddedStore::NewBatch(const BatchId& batch) {
  return OutboxDraft::Create(outbox_, batch);
}

absl::Status EmbeddedStore::Publish(std::unique_ptr<Detached> from,
                                    std::unique_ptr<BatchWriter> reports, const Manifest& totals,
                                    absl::string_view manifest) {
  auto& logs = static_cast<DetachedLogs&>(*from);
  auto& draft = static_cast<OutboxDraft&>(*reports);
  TOMBOLA_ASSIGN_OR_RETURN(const BatchRecord record, Complete(logs, draft, totals, manifest));
  logs.Settled();
  absl::Status published = FaultAt(options_.fault, "release/publish");
  if (published.ok()) published = draft.Publish();
  if (!published.ok()) return InDoubt(published);
  inventory_.Released(logs.leaving(), record);
  // From here on the batch is released, come what may. What fails now, Erase or the next start
  // does.
  if (FaultAt(options_.fault, "release/published").ok()) {
    RemoveLogs(totals.of, record.sources).IgnoreError();
  }
  FaultAt(options_.fault, "release/done").IgnoreError();
  return absl::OkStatus();
}

absl::StatusOr<BatchRecord> EmbeddedStore::Complete(DetachedLogs& from, OutboxDraft& draft,
                                                    const Manifest& totals,
                                                    absl::string_view manifest) {
  TOMBOLA_CHECK(totals.of == from.of() && totals.batch == draft.batch());
  BatchRecord record;
  record.totals = totals;
  record.sealed_bytes = from.sealed_bytes();
  record.manifest_checksum = Crc32c(AsBytes(manifest));
  record.sources = Sequences(from.leaving());
  TOMBOLA_ASSIGN_OR_RETURN(record.reports_checksum, draft.Sync());
  TOMBOLA_RETURN_IF_ERROR(FaultAt(options_.fault, "release/permuted"));
  TOMBOLA_RETURN_IF_ERROR(RememberDigests(totals.of.task, from.SortedDigests()));
  TOMBOLA_RETURN_IF_ERROR(FaultAt(options_.fault, "release/remembered"));
  TOMBOLA_RETURN_IF_ERROR(draft.Complete(record, manifest));
  return record;
}

absl::Status EmbeddedStore::RememberDigests(const TaskId& task, DigestsByWindow& digests) {
  const uint32_t oldest = committer_->OldestWindow(task);
  MutexLock lock(files_mutex_);
  return seen_files_.Merge(task, digests, oldest);
}

absl::Status EmbeddedStore::RemoveLogs(const BatchKey& of, const std::vector<uint64_t>& sequences) {
  const std::string directory = HeldDirectory(of.task);
  for (const uint64_t sequence : sequences) {
    TOMBOLA_RETURN_IF_ERROR(RemoveFile(absl::StrCat(directory, "/", LogName(of, sequence))));
  }
  return SyncDirectory(directory);
}

std::string EmbeddedStore::HeldDirectory(const TaskId& task) const {
  return absl::StrCat(options_.directory, "/held/", ToHex(task));
}

std::vector<Manifest> EmbeddedStore::Outbox() const { return inventory_.Outbox(); }

absl::StatusOr<std::string> EmbeddedStore::ReadManifest(const BatchId& batch) const {
  TOMBOLA_ASSIGN_OR_RETURN(const BatchRecord record, inventory_.Batch(batch));
  return outbox_.ReadManifest(record);
}

absl::StatusOr<std::unique_ptr<BatchReader>> EmbeddedStore::Read(const BatchId& batch) const {
  TOMBOLA_ASSIGN_OR_RETURN(const BatchRecord record, inventory_.Batch(batch));
  return outbox_.Read(record);
}

absl::Status EmbeddedStore::Erase(const BatchId& batch, BatchEnd end) {
  MutexLock lock(files_mutex_);
  if (const auto unremoved = unremoved_.find(batch); unremoved != unremoved_.end()) {
    return FinishErase(BatchRecord(unremoved->second));
  }
  TOMBOLA_ASSIGN_OR_RETURN(const BatchRecord record, inventory_.Batch(batch));
  const TaskId& task = record.totals.of.task;
  TOMBOLA_RETURN_IF_ERROR(FaultAt(options_.fault, "erase/begin"));
  inventory_.Saved(task);
  TOMBOLA_RETURN_IF_ERROR(
      counters_files_.Prepare(task, AfterErase(inventory_.Over(task), record, end)));
  // In doubt after a failure, but either outcome is right: the batch was acknowledged, and the same
  // counters are written again when Erase is called again.
  TOMBOLA_RETURN_IF_ERROR(counters_files_.Adopt(task));
  inventory_.Erased(record, end);
  unremoved_[batch] = record;
  return FinishErase(record);
}

absl::Status EmbeddedStore::FinishErase(const BatchRecord& record) {
  const Manifest& totals = record.totals;
  TOMBOLA_RETURN_IF_ERROR(FaultAt(options_.fault, "erase/counted"));
  TOMBOLA_RETURN_IF_ERROR(outbox_.Remove(totals.batch));
  TOMBOLA_RETURN_IF_ERROR(FaultAt(options_.fault, "erase/removed"));
  TOMBOLA_RETURN_IF_ERROR(RemoveLogs(totals.of, record.sources));
  inventory_.Removed(totals.of.task, record.sources);
  unremoved_.erase(totals.batch);
  return absl::OkStatus();
}

absl::StatusOr<int64_t> EmbeddedStore::Destroy(const BatchKey& of) {
  TOMBOLA_ASSIGN_OR_RETURN(Leaving detached, committer_->Detach(of));
  DetachedLogs logs(std::move(detached), inventory_, threads_);
  const Leaving& leaving = logs.leaving();
  TOMBOLA_RETURN_IF_ERROR(logs.Read({}).status());
  TOMBOLA_RETURN_IF_ERROR(RememberDigests(of.task, logs.SortedDigests()));
  {
    MutexLock lock(files_mutex_);
    inventory_.Saved(of.task);
    TOMBOLA_RETURN_IF_ERROR(FaultAt(options_.fault, "destroy/remembered"));
    TOMBOLA_RETURN_IF_ERROR(
        counters_files_.Prepare(of.task, AfterDestroy(inventory_.Over(of.task), leaving)));
    logs.Settled();
    const absl::Status counted = counters_files_.Adopt(of.task);
    if (!counted.ok()) return InDoubt(counted);
    inventory_.Destroyed(leaving);
  }
  TOMBOLA_RETURN_IF_ERROR(FaultAt(options_.fault, "destroy/counted"));
  TOMBOLA_RETURN_IF_ERROR(RemoveLogs(of, Sequences(leaving)));
  inventory_.Removed(of.task, Sequences(leaving));
  return leaving.amounts.submissions;
}

absl::Status EmbeddedStore::ForgetWindowsBefore(const TaskId& task, uint32_t window) {
  MutexLock lock(files_mutex_);
  CountersRecord over = inventory_.Over(task);
  if (over.oldest_window < window) {
    // On disk before anything is forgotten: a restart under a clock that has gone back must not
    // take the window for one that it remembers.
    over.oldest_window = window;
    inventory_.Saved(task);
    TOMBOLA_RETURN_IF_ERROR(counters_files_.Prepare(task, over));
    TOMBOLA_RETURN_IF_ERROR(counters_files_.Adopt(task));
    TOMBOLA_RETURN_IF_ERROR(FaultAt(options_.fault, "forget/noted"));
    inventory_.Forgot(task, window);
  }
  committer_->ForgetWindowsBefore(task, window);
  return seen_files_.Forget(task, window);
}

TaskCounters EmbeddedStore::Counters(const TaskId& task) const { return inventory_.Counters(task); }

}  // namespace tombola::shuffler
