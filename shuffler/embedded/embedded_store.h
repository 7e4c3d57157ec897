// The store of one machine: logs and files in a directory.
#ifndef TOMBOLA_SHUFFLER_EMBEDDED_EMBEDDED_STORE_H_
#define TOMBOLA_SHUFFLER_EMBEDDED_EMBEDDED_STORE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/base/batch_key.h"
#include "common/base/ids.h"
#include "common/base/mutex.h"
#include "common/disk/lock.h"
#include "shuffler/digests/seen_files.h"
#include "shuffler/disk/fault.h"
#include "shuffler/embedded/committer.h"
#include "shuffler/embedded/counters_file.h"
#include "shuffler/embedded/detached_logs.h"
#include "shuffler/embedded/inventory.h"
#include "shuffler/embedded/node_logs.h"
#include "shuffler/outbox/outbox.h"
#include "shuffler/outbox/outbox_draft.h"
#include "shuffler/store/limits.h"
#include "shuffler/store/store.h"

namespace tombola::shuffler {

struct StoreOptions {
  // Made if need be. Used by one process at a time.
  std::string directory;
  // Of calls that wait for their commit; beyond it calls are refused. 1 to 2^30.
  int64_t queue_limit_bytes = int64_t{64} << 20;
  // For what takes long, a release and a start: 0 means one a core.
  int threads = 0;
  // Of what is kept. All at least 1, a task's not above that of all.
  StoreLimits limits;
  // 64 random bits, drawn anew for every start. With a value that senders can guess, one of them
  // could make its report look like part of a log, and a log that a crash then tears at that very
  // place would count as damaged: the store would not open before somebody looked at it.
  uint64_t log_salt = 0;
  // For tests.
  Fault fault;
};

// More than a Store promises: repetitions are recognised at the door, so that outcomes, Held and
// Counters are exact at every moment; but a sealed report that is sent once more to a node of a
// stream, after its window is forgotten and with another id, is recognised when the node leaves.
// Power failures count as crashes; but duplicates counted since the last accepted submission may be
// lost in one.
//
// Removal is unlinking: it does not wipe the medium.
//
// Not guaranteed: damage to the last commit of a log cannot be told from a torn write, and is cut
// off. Any other damage is reported by Open as DataLoss and nothing is opened.
//
// Two threads of its own, and StoreOptions::threads while something detached is read or destroyed,
// and while Open is under way.
class EmbeddedStore final : public Store {
 public:
  // FailedPrecondition: in use by another process, or a foreign file in the way. DataLoss: damage,
  // with file and offset. InvalidArgument: an option is out of its bounds.
  static absl::StatusOr<std::unique_ptr<EmbeddedStore>> Open(const StoreOptions& options);
  // Commits what is queued. No call may be under way, and nothing detached or new about.
  ~EmbeddedStore() override;
  EmbeddedStore(const EmbeddedStore&) = delete;
  EmbeddedStore& operator=(const EmbeddedStore&) = delete;

  absl::Status AddTask(const TaskId& task, int64_t sealed_bytes,
                       int64_t max_reports_per_submission) override;
  void Accept(const SubmitBatch& call, AcceptDone done) override;
  void AfterEachCommit(std::function<void(absl::Duration)> tell) override;
  absl::StatusOr<int64_t> QueuedBytes(const SubmitBatch& call) const override;
  Load Kept() const override { return inventory_.LoadOfAll(); }
  int64_t Digests() const override { return committer_->digests(); }
  std::vector<HeldInfo> Held() const override;
  absl::StatusOr<int64_t> Scatter(const BatchKey& period) override;
  absl::StatusOr<std::unique_ptr<Detached>> Detach(const BatchKey& of) override;
  absl::StatusOr<std::unique_ptr<BatchWriter>> NewBatch(const BatchId& batch) override;
  absl::Status Publish(std::unique_ptr<Detached> from, std::unique_ptr<BatchWriter> reports,
                       const Manifest& totals, absl::string_view manifest) override;
  absl::StatusOr<int64_t> Destroy(const BatchKey& of) override;
  std::vector<Manifest> Outbox() const override;
  absl::StatusOr<std::string> ReadManifest(const BatchId& batch) const override;
  absl::StatusOr<std::unique_ptr<BatchReader>> Read(const BatchId& batch) const override;
  absl::Status Erase(const BatchId& batch, BatchEnd end) override;
  absl::Status ForgetWindowsBefore(const TaskId& task, uint32_t window) override;
  TaskCounters Counters(const TaskId& task) const override;

 private:
  EmbeddedStore(const StoreOptions& options, DiskLock lock);
  absl::Status Recover();
  // Everything before the rename that makes it a batch.
  absl::StatusOr<BatchRecord> Complete(DetachedLogs& from, OutboxDraft& draft,
                                       const Manifest& totals, absl::string_view manifest);
  absl::Status RememberDigests(const TaskId& task, DigestsByWindow& digests);
  absl::Status RemoveLogs(const BatchKey& of, const std::vector<uint64_t>& sequences);
  std::string HeldDirectory(const TaskId& task) const;
  // Everything of Scatter before its logs count.
  absl::Status PrepareScatter(const BatchKey& period, NodeLogs& logs);
  absl::Status FinishErase(const BatchRecord& record) ABSL_EXCLUSIVE_LOCKS_REQUIRED(files_mutex_);

  const StoreOptions options_;
  const size_t threads_;
  const DiskLock lock_;
  const shuffler::Outbox outbox_;

  Inventory inventory_;

  // One at a time replaces counters or seen files.
  Mutex files_mutex_;
  const CountersFiles counters_files_;
  const SeenFiles seen_files_;
  // Batches that are counted as forwarded but could not be removed.
  std::map<BatchId, BatchRecord> unremoved_ ABSL_GUARDED_BY(files_mutex_);

  std::unique_ptr<Committer> committer_;  // last: it uses the inventory
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_EMBEDDED_EMBEDDED_STORE_H_
