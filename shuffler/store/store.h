// Holds accepted submissions durably until their batch is delivered.
#ifndef TOMBOLA_SHUFFLER_STORE_STORE_H_
#define TOMBOLA_SHUFFLER_STORE_STORE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/ids.h"
#include "common/base/mutex.h"
#include "common/random/random_source.h"
#include "shuffler/store/amounts.h"
#include "shuffler/store/batch_reader.h"
#include "shuffler/store/committer.h"
#include "shuffler/store/counters_file.h"
#include "shuffler/store/fake_reports.h"
#include "shuffler/store/fault.h"
#include "shuffler/store/file.h"
#include "shuffler/store/inventory.h"
#include "shuffler/store/limits.h"
#include "shuffler/store/outbox.h"
#include "shuffler/store/permuted_reports.h"
#include "shuffler/store/seen_files.h"
#include "shuffler/store/submit_batch.h"

namespace tombola::shuffler {

struct StoreOptions {
  // Made if need be. Used by one process at a time.
  std::string directory;
  // Of the reports of one release; a larger batch is scattered over files. 1 or more.
  int64_t memory_limit_bytes = int64_t{256} << 20;
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

// How many threads a store with these options works on at most.
size_t Threads(const StoreOptions& options);

// The store between accept and forward: every acknowledged submission is in it exactly once, until
// its batch is erased after the collector's acknowledgement, or destroyed.
//
//   Accept --> held log --Release--> outbox --Erase--> forwarded, or expired
//                      \--Destroy--> expired
//
// Guarantees. An outcome of kAccepted or kDuplicate means that the submission is on disk. Release
// takes everything held under one key of a task, permutes it uniformly, and makes contents, order
// and manifest durable before the batch can be read; every reading yields the same bytes. A crash
// at any moment, power failure included, neither loses nor doubles an acknowledged submission: the
// next Open finds it held, or in the outbox, or over. Counters survive likewise, but duplicates
// counted since the last accepted submission may be lost in a crash.
//
// Privacy. No time of arrival and no sender is stored. The order of arrival is on disk only in the
// held log, which is removed with its release; digests of what was released are kept sorted.
// Removal is unlinking: it does not wipe the medium.
//
// Not guaranteed: damage to the last commit of a log cannot be told from a torn write, and is cut
// off. Any other damage is reported by Open as DataLoss and nothing is opened.
//
// Thread-safe. Release, Destroy and Erase may run while Accept goes on. Two threads of its own, and
// StoreOptions::threads while a release, a destruction or Open is under way.
class Store {
 public:
  // FailedPrecondition: in use by another process, or a foreign file in the way. DataLoss: damage,
  // with file and offset. InvalidArgument: an option is out of its bounds.
  static absl::StatusOr<std::unique_ptr<Store>> Open(const StoreOptions& options);
  // Commits what is queued. No call may be under way.
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Needed before Accept; the same again is OK, another shape of the same task FailedPrecondition.
  // sealed_bytes: 1 to 2^20; max_reports_per_submission: 1 to 65535.
  absl::Status AddTask(const TaskId& task, int64_t sealed_bytes,
                       int64_t max_reports_per_submission);

  // Calls `done` once: at once, in this thread, if the call is malformed (InvalidArgument), the
  // task unknown (NotFound) or the queue full (ResourceExhausted); else from a thread of the
  // store's, which it must not hold up or use to call back into the store. ResourceExhausted with a
  // wait (common/base/retry_after.h): a limit would be passed; Unavailable or ResourceExhausted
  // without: the disk failed. Nothing is acknowledged then, a retry is welcome. FailedPrecondition:
  // the window is forgotten.
  using AcceptDone = shuffler::AcceptDone;
  void Accept(const SubmitBatch& call, AcceptDone done);
  // Runs `tell` after every commit from now on, with the time it took; it must not block.
  void AfterEachCommit(std::function<void(absl::Duration)> tell);
  // The memory that such a call takes in the store's queue. NotFound: the task is unknown.
  absl::StatusOr<int64_t> QueuedBytes(const SubmitBatch& call) const;

  // How much of what the limits are about there is.
  Load Kept() const { return inventory_.LoadOfAll(); }
  int64_t Digests() const { return committer_->digests(); }

  // What a Release would take now, for each key under which something waits.
  std::vector<HeldInfo> Held() const;

  // Makes a batch of everything held under the key, with the fakes among it. `make_manifest` gets
  // the totals and returns the bytes to keep with the batch; it is called without locks.
  // FailedPrecondition: nothing is held, or a release of it is under way. After any other failure
  // everything is still held, unless the message says that the outcome is in doubt: then only
  // reopening the store can tell.
  using MakeManifest = std::function<absl::StatusOr<std::string>(const BatchTotals&)>;
  absl::StatusOr<BatchTotals> Release(const TaskId& task, const KeyId& key,
                                      const MakeManifest& make_manifest, RandomSource& random,
                                      const FakeReports& fakes = {});

  // The batches that are not erased yet. NotFound: there is no such batch.
  std::vector<BatchTotals> Outbox() const;
  absl::StatusOr<std::string> ReadManifest(const BatchId& batch) const;
  using BatchReader = shuffler::BatchReader;
  absl::StatusOr<std::unique_ptr<BatchReader>> Read(const BatchId& batch) const;

  // After the acknowledgement: the batch is counted as forwarded, or expired if the collector said
  // that nobody can open it any more, and removed. Call again after a failure. NotFound: there is
  // no such batch.
  absl::Status Erase(const BatchId& batch, BatchEnd end = BatchEnd::kForwarded);

  // Removes what never met its guarantee and counts it as expired; how many submissions. Its
  // digests are kept, so that a retry does not bring it back. Fails like Release.
  absl::StatusOr<int64_t> Destroy(const TaskId& task, const KeyId& key);

  // Drops the digests of older windows. From then on Accept refuses those windows.
  absl::Status ForgetWindowsBefore(const TaskId& task, uint32_t window);

  using TaskCounters = shuffler::TaskCounters;
  TaskCounters Counters(const TaskId& task) const;

 private:
  Store(const StoreOptions& options, File lock);
  absl::Status Recover();
  absl::StatusOr<BatchRecord> WriteDraft(const Leaving& leaving, const BatchId& batch,
                                         const MakeManifest& make_manifest, RandomSource& random,
                                         const FakeReports& fakes);
  absl::Status RememberDigests(const TaskId& task, DigestsByWindow& digests);
  absl::Status RemoveLogs(const TaskId& task, const KeyId& key,
                          const std::vector<uint64_t>& sequences);
  absl::Status FinishErase(const BatchRecord& record) ABSL_EXCLUSIVE_LOCKS_REQUIRED(files_mutex_);

  const StoreOptions options_;
  const File lock_;
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

#endif  // TOMBOLA_SHUFFLER_STORE_STORE_H_
