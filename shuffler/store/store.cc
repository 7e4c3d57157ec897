#include "shuffler/store/store.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "shuffler/store/crc32c.h"
#include "shuffler/store/encoding.h"
#include "shuffler/store/log_format.h"

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

size_t Threads(const StoreOptions& options) {
  if (options.threads > 0) return static_cast<size_t>(options.threads);
  return std::max<size_t>(1, std::thread::hardware_concurrency());
}

Store::Store(const StoreOptions& options, File lock)
    : options_(options),
      lock_(std::move(lock)),
      outbox_(absl::StrCat(options.directory, "/outbox")),
      counters_files_(absl::StrCat(options.directory, "/counters")),
      seen_files_(absl::StrCat(options.directory, "/seen")) {}

absl::StatusOr<std::unique_ptr<Store>> Store::Open(const StoreOptions& options) {
  TOMBOLA_RETURN_IF_ERROR(
      CheckBounds("memory_limit_bytes", options.memory_limit_bytes, 1, int64_t{1} << 50));
  TOMBOLA_RETURN_IF_ERROR(
      CheckBounds("queue_limit_bytes", options.queue_limit_bytes, 1, int64_t{1} << 30));
  TOMBOLA_RETURN_IF_ERROR(CheckBounds("threads", options.threads, 0, 1024));
  TOMBOLA_RETURN_IF_ERROR(CheckStoreLimits(options.limits));
  TOMBOLA_RETURN_IF_ERROR(MakeDirectory(options.directory));
  TOMBOLA_ASSIGN_OR_RETURN(File lock, File::OpenOrCreate(absl::StrCat(options.directory, "/lock")));
  TOMBOLA_RETURN_IF_ERROR(lock.Lock());
  for (const absl::string_view name : {"held", "seen", "outbox", "counters"}) {
    TOMBOLA_RETURN_IF_ERROR(MakeDirectory(absl::StrCat(options.directory, "/", name)));
  }
  std::unique_ptr<Store> store(new Store(options, std::move(lock)));
  TOMBOLA_RETURN_IF_ERROR(store->Recover());
  return store;
}

Store::~Store() {
  if (committer_ == nullptr) return;
  committer_.reset();
  MutexLock lock(files_mutex_);
  for (const TaskId& task : inventory_.Unsaved()) {
    // Only duplicates, which a crash may lose as well.
    if (!counters_files_.Prepare(task, inventory_.Over(task)).ok()) continue;
    counters_files_.Adopt(task).IgnoreError();
  }
}

absl::Status Store::AddTask(const TaskId& task, int64_t sealed_bytes,
                            int64_t max_reports_per_submission) {
  TOMBOLA_RETURN_IF_ERROR(CheckBounds("sealed_bytes", sealed_bytes, 1, kMaxSealedBytes));
  TOMBOLA_RETURN_IF_ERROR(
      CheckBounds("max_reports_per_submission", max_reports_per_submission, 1, 65535));
  return inventory_.AddTask(task, {sealed_bytes, max_reports_per_submission});
}

void Store::Accept(const SubmitBatch& call, AcceptDone done) {
  committer_->Accept(call, std::move(done));
}

void Store::AfterEachCommit(std::function<void(absl::Duration)> tell) {
  committer_->AfterEachCommit(std::move(tell));
}

absl::StatusOr<int64_t> Store::QueuedBytes(const SubmitBatch& call) const {
  TOMBOLA_ASSIGN_OR_RETURN(const TaskShape shape, inventory_.Shape(call.task));
  return shuffler::QueuedBytes(call, shape);
}

std::vector<HeldInfo> Store::Held() const { return inventory_.Held(); }

absl::StatusOr<BatchTotals> Store::Release(const TaskId& task, const KeyId& key,
                                           const MakeManifest& make_manifest, RandomSource& random,
                                           const FakeReports& fakes) {
  TOMBOLA_ASSIGN_OR_RETURN(const Leaving leaving, committer_->Detach(task, key));
  BatchId batch;
  random.Fill(absl::MakeSpan(batch));
  const absl::StatusOr<BatchRecord> record =
      WriteDraft(leaving, batch, make_manifest, random, fakes);
  if (!record.ok()) {
    outbox_.RemoveDraft(batch).IgnoreError();  // else the next start removes it
    inventory_.Return(leaving);
    return record.status();
  }
  absl::Status published = FaultAt(options_.fault, "release/publish");
  if (published.ok()) published = outbox_.Publish(batch);
  if (!published.ok()) return InDoubt(published);
  inventory_.Released(leaving, *record);
  // From here on the batch is released, come what may. What fails now, Erase or the next start
  // does.
  if (FaultAt(options_.fault, "release/published").ok()) {
    RemoveLogs(task, key, record->sources).IgnoreError();
  }
  FaultAt(options_.fault, "release/done").IgnoreError();
  return record->totals;
}

// Everything of a release before the rename that makes it one.
absl::StatusOr<BatchRecord> Store::WriteDraft(const Leaving& leaving, const BatchId& batch,
                                              const MakeManifest& make_manifest,
                                              RandomSource& random, const FakeReports& fakes) {
  TOMBOLA_RETURN_IF_ERROR(FaultAt(options_.fault, "release/detached"));
  TOMBOLA_ASSIGN_OR_RETURN(const std::string draft, outbox_.MakeDraft(batch));
  TOMBOLA_ASSIGN_OR_RETURN(PermutedReports permuted,
                           WritePermuted(leaving.logs, fakes, draft,
                                         {Threads(options_), options_.memory_limit_bytes}, random));
  if (permuted.submissions != leaving.amounts.submissions ||
      permuted.reports != leaving.amounts.reports) {
    return absl::DataLossError(absl::StrCat("the logs hold ", permuted.submissions,
                                            " submissions where ", leaving.amounts.submissions,
                                            " were accepted"));
  }
  TOMBOLA_RETURN_IF_ERROR(FaultAt(options_.fault, "release/permuted"));
  TOMBOLA_RETURN_IF_ERROR(RememberDigests(leaving.task, permuted.digests));
  TOMBOLA_RETURN_IF_ERROR(FaultAt(options_.fault, "release/remembered"));

  BatchRecord record;
  record.totals = {.task = leaving.task,
                   .key = leaving.key,
                   .batch = batch,
                   .submissions = permuted.submissions,
                   .reports_in = permuted.reports,
                   .duplicates = leaving.amounts.duplicates,
                   .fakes = fakes.count,
                   .reports_out = permuted.reports + fakes.count,
                   .digest_sum = permuted.digest_sum};
  TOMBOLA_ASSIGN_OR_RETURN(const std::string manifest, make_manifest(record.totals));
  record.sealed_bytes = leaving.logs.front().header.sealed_bytes;
  record.reports_checksum = permuted.checksum;
  record.manifest_checksum = Crc32c(AsBytes(manifest));
  record.sources = Sequences(leaving);
  TOMBOLA_RETURN_IF_ERROR(outbox_.CompleteDraft(record, manifest));
  return record;
}

absl::Status Store::RememberDigests(const TaskId& task, DigestsByWindow& digests) {
  const uint32_t oldest = committer_->OldestWindow(task);
  MutexLock lock(files_mutex_);
  return seen_files_.Merge(task, digests, oldest);
}

absl::Status Store::RemoveLogs(const TaskId& task, const KeyId& key,
                               const std::vector<uint64_t>& sequences) {
  const std::string directory = absl::StrCat(options_.directory, "/held/", ToHex(task));
  for (const uint64_t sequence : sequences) {
    TOMBOLA_RETURN_IF_ERROR(RemoveFile(absl::StrCat(directory, "/", LogName(key, sequence))));
  }
  return SyncDirectory(directory);
}

std::vector<BatchTotals> Store::Outbox() const { return inventory_.Outbox(); }

absl::StatusOr<std::string> Store::ReadManifest(const BatchId& batch) const {
  TOMBOLA_ASSIGN_OR_RETURN(const BatchRecord record, inventory_.Batch(batch));
  return outbox_.ReadManifest(record);
}

absl::StatusOr<std::unique_ptr<BatchReader>> Store::Read(const BatchId& batch) const {
  TOMBOLA_ASSIGN_OR_RETURN(const BatchRecord record, inventory_.Batch(batch));
  return outbox_.Read(record);
}

absl::Status Store::Erase(const BatchId& batch, BatchEnd end) {
  MutexLock lock(files_mutex_);
  if (const auto unremoved = unremoved_.find(batch); unremoved != unremoved_.end()) {
    return FinishErase(BatchRecord(unremoved->second));
  }
  TOMBOLA_ASSIGN_OR_RETURN(const BatchRecord record, inventory_.Batch(batch));
  const TaskId& task = record.totals.task;
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

absl::Status Store::FinishErase(const BatchRecord& record) {
  const BatchTotals& totals = record.totals;
  TOMBOLA_RETURN_IF_ERROR(FaultAt(options_.fault, "erase/counted"));
  TOMBOLA_RETURN_IF_ERROR(outbox_.Remove(totals.batch));
  TOMBOLA_RETURN_IF_ERROR(FaultAt(options_.fault, "erase/removed"));
  TOMBOLA_RETURN_IF_ERROR(RemoveLogs(totals.task, totals.key, record.sources));
  inventory_.Removed(totals.task, record.sources);
  unremoved_.erase(totals.batch);
  return absl::OkStatus();
}

absl::StatusOr<int64_t> Store::Destroy(const TaskId& task, const KeyId& key) {
  TOMBOLA_ASSIGN_OR_RETURN(const Leaving leaving, committer_->Detach(task, key));
  const auto hold = [&](const absl::Status& status) {
    inventory_.Return(leaving);
    return status;
  };
  absl::StatusOr<DigestsByWindow> digests = CollectDigests(leaving.logs, Threads(options_));
  if (!digests.ok()) return hold(digests.status());
  const absl::Status remembered = RememberDigests(task, *digests);
  if (!remembered.ok()) return hold(remembered);
  {
    MutexLock lock(files_mutex_);
    inventory_.Saved(task);
    absl::Status prepared = FaultAt(options_.fault, "destroy/remembered");
    if (prepared.ok()) {
      prepared = counters_files_.Prepare(task, AfterDestroy(inventory_.Over(task), leaving));
    }
    if (!prepared.ok()) return hold(prepared);
    const absl::Status counted = counters_files_.Adopt(task);
    if (!counted.ok()) return InDoubt(counted);
    inventory_.Destroyed(leaving);
  }
  TOMBOLA_RETURN_IF_ERROR(FaultAt(options_.fault, "destroy/counted"));
  TOMBOLA_RETURN_IF_ERROR(RemoveLogs(task, key, Sequences(leaving)));
  inventory_.Removed(task, Sequences(leaving));
  return leaving.amounts.submissions;
}

absl::Status Store::ForgetWindowsBefore(const TaskId& task, uint32_t window) {
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

TaskCounters Store::Counters(const TaskId& task) const { return inventory_.Counters(task); }

}  // namespace tombola::shuffler
