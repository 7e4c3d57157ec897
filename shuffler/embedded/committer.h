// Makes accepted submissions durable: one thread, many calls a commit, and one that answers.
#ifndef TOMBOLA_SHUFFLER_EMBEDDED_COMMITTER_H_
#define TOMBOLA_SHUFFLER_EMBEDDED_COMMITTER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/batch_key.h"
#include "common/base/ids.h"
#include "common/base/mutex.h"
#include "shuffler/digests/digest_index.h"
#include "shuffler/disk/fault.h"
#include "shuffler/embedded/answers.h"
#include "shuffler/embedded/entry.h"
#include "shuffler/embedded/inventory.h"
#include "shuffler/log/log_writer.h"
#include "shuffler/store/limits.h"

namespace tombola::shuffler {

struct CommitterOptions {
  std::string held_directory;
  int64_t queue_limit_bytes = 0;
  StoreLimits limits;
  uint64_t log_salt = 0;
  Fault fault;
};

// Owns the digest index and the open logs, which only its thread touches. Everything that was
// queued while a commit was written goes into the next one: one frame and one sync for each log
// concerned. While that is written, the calls of the commit before are answered.
//
// A submission is acknowledged, as accepted or as a duplicate, only when it is on disk. If the
// frame of a log cannot be written, its submissions are forgotten again and their calls fail; so do
// calls of the same commit with duplicates, whose originals may have been among them. If it is in
// doubt what a log holds (a sync failed), the task takes nothing more until the store is reopened:
// the same submission might otherwise get into two logs.
//
// The limits are exact: one thread decides, before anything is written. A call that would pass one
// of them is refused as a whole and leaves no trace; one that brings nothing new is answered.
//
// Thread-safe.
class Committer {
 public:
  // `inventory` must outlive it.
  Committer(CommitterOptions options, DigestIndex index, Inventory& inventory);
  // Commits and answers what is queued, notes the last duplicates in the logs, and ends the
  // threads. No call may be under way.
  ~Committer();

  // Answers at once if the call is malformed, the task unknown or the queue full, else from a
  // thread of the committer's.
  void Accept(const SubmitBatch& call, AcceptDone done);

  // Runs `tell` on the committer's thread after every commit from now on, with the time it took.
  void AfterEachCommit(std::function<void(absl::Duration)> tell);

  // Between two commits: closes the open log of the key, if any, and takes what waits out of the
  // inventory. FailedPrecondition: nothing waits, it is leaving already, or its log is in doubt.
  absl::StatusOr<Leaving> Detach(const BatchKey& of);
  // The same of what is held for a period, which takes no submission any more.
  absl::StatusOr<Leaving> DetachPeriod(const BatchKey& of);

  void ForgetWindowsBefore(const TaskId& task, uint32_t window);
  uint32_t OldestWindow(const TaskId& task);

  // Submissions and reports that are remembered, as of the last commit. At once, from any thread.
  int64_t digests() const { return shown_digests_.load(std::memory_order_relaxed); }

 private:
  // What the submissions of a log have in common: of a stream, the nodes too.
  using LogKey = std::pair<BatchKey, std::vector<NodeKey>>;
  // What one commit adds under one key.
  struct Group {
    FrameBuilder frame;
    int64_t duplicates = 0;
    absl::Status status;
  };
  // A log that takes submissions.
  struct OpenLog {
    std::unique_ptr<LogWriter> writer;
    int64_t unsaved_duplicates = 0;  // for its next frame
  };

  // InvalidArgument, NotFound or ResourceExhausted; else the entry's memory is reserved.
  absl::Status Admit(Entry& entry);
  void Run();
  // Runs `work` on the thread between two commits and waits for it.
  void OnThread(const std::function<void()>& work);
  void Commit(std::vector<Entry> entries);
  // Commits and says how long it took. No line of a log: its time would be that of submissions.
  absl::Duration TimedCommit(std::vector<Entry> entries);
  absl::Status CheckTask(const Entry& entry);
  // Judges the submissions and adds the fresh ones to the frame. ResourceExhausted, and nothing is
  // changed: they are more than the limits allow.
  absl::Status Sort(Entry& entry, Group& group);
  absl::Status CheckRoom(const Entry& entry) const;
  Outcome Judge(absl::Span<const Digest> digests, uint32_t window, TaskDigests& known);
  void Undo(const Entry& entry);
  // What a commit of which a group could not be written means for a call of the given group.
  void Fail(const Group* group, const Entry& entry, absl::Status& status);
  absl::Status Write(const LogKey& of, int64_t sealed_bytes, Group& group);
  absl::Status Append(const LogKey& of, int64_t sealed_bytes, Group& group);
  absl::StatusOr<Leaving> DetachOnThread(const BatchKey& of, bool for_period);
  // The operator is told what failed, once; the caller's answer is returned.
  absl::Status Failed(const absl::Status& status);
  // Saves duplicates that no frame has yet, and ends the logs.
  void EndLogs();

  const CommitterOptions options_;
  Inventory& inventory_;

  // The thread's own.
  DigestIndex index_;
  int64_t digests_ = 0;             // in the index
  std::map<TaskId, Load> pending_;  // what this commit adds, before the inventory knows
  Load all_pending_;
  std::map<LogKey, OpenLog> open_;
  std::set<BatchKey> scattered_;  // periods
  std::set<TaskId> in_doubt_;
  std::string failure_;  // of the last commit, if it failed

  std::atomic<int64_t> shown_digests_{0};
  Answers answers_;

  Mutex mutex_;
  CondVar changed_;
  std::vector<Entry> queue_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::function<void()>> work_ ABSL_GUARDED_BY(mutex_);
  int64_t queued_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  std::function<void(absl::Duration)> tell_ ABSL_GUARDED_BY(mutex_);
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;

  std::thread thread_;  // last: it uses all of the above
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_EMBEDDED_COMMITTER_H_
