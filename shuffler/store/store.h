// Holds accepted submissions durably until their batch is delivered.
#ifndef TOMBOLA_SHUFFLER_STORE_STORE_H_
#define TOMBOLA_SHUFFLER_STORE_STORE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/base/batch_key.h"
#include "common/base/ids.h"
#include "common/task/manifest.h"
#include "shuffler/store/amounts.h"
#include "shuffler/store/batch_stream.h"
#include "shuffler/store/detached.h"
#include "shuffler/store/submit_batch.h"

namespace tombola::shuffler {

// The store between accept and forward: every acknowledged submission is in it until its batch is
// erased after the collector's acknowledgement, or destroyed.
//
//   Accept --> held --Detach--> [shuffler/release] --Publish--> outbox --Erase--> forwarded,
//   expired
//                 \--Destroy--> expired
//
// A submission of a stream is in several batches, the nodes that cover its period. It is accepted
// for all of them or for none, and held for its period:
//
//   Accept --> held for a period --Scatter--> held, under the key of each node
//
// Guarantees, which hold at release. An outcome of kAccepted or kDuplicate means that the
// submission is durable. Detached::Read yields each of them once, however often it was sent within
// its task's retry windows; Publish makes reports, order and manifest durable before the batch can
// be read, and ends what was detached: a crash at any moment leaves both or neither, and the next
// start finds every acknowledged submission held, or in the outbox, or over. Counters survive
// likewise.
//
// Not guaranteed at the door: an engine may recognise repetitions only when it reads. Until then
// kAccepted may be the outcome of one, and Held and Counters are upper bounds. What counts is what
// the release found: it decides by Detached::Read, and the manifest states it.
//
// Privacy. No time of arrival and no sender is stored. The order of arrival is kept only for what
// is held, at most to the commit, and goes when it is published or destroyed; digests of what has
// left are kept in an order of their own. Which reports of a stream came in one submission is kept
// only while it is held for its period; what is held for a node may be in the order of the commits
// until it leaves, but has no ids. The store sees neither the shuffler's keys nor its randomness:
// reports reach the outbox sealed and in their final order.
//
// Thread-safe. Everything may run while Accept goes on.
class Store {
 public:
  virtual ~Store() = default;

  // Needed before Accept; the same again is OK, another shape of the same task FailedPrecondition.
  // sealed_bytes: 1 to 2^20; max_reports_per_submission: 1 to 65535, of a stream in one batch.
  virtual absl::Status AddTask(const TaskId& task, int64_t sealed_bytes,
                               int64_t max_reports_per_submission) = 0;

  // Calls `done` once: at once, in this thread, if the call is malformed (InvalidArgument), the
  // task unknown (NotFound) or the queue full (ResourceExhausted); else from a thread of the
  // store's, which it must not hold up or use to call back into the store. ResourceExhausted with a
  // wait (common/base/retry_after.h): a limit would be passed; Unavailable or ResourceExhausted
  // without: the disk failed. Nothing is acknowledged then, a retry is welcome. FailedPrecondition:
  // the window is forgotten, or what was held for the period has been scattered.
  virtual void Accept(const SubmitBatch& call, AcceptDone done) = 0;
  // Runs `tell` after every commit from now on, with the time it took; it must not block.
  virtual void AfterEachCommit(std::function<void(absl::Duration)> tell) = 0;
  // The memory that such a call takes in the store's queue. NotFound: the task is unknown.
  virtual absl::StatusOr<int64_t> QueuedBytes(const SubmitBatch& call) const = 0;

  // How much of what the limits are about there is.
  virtual Load Kept() const = 0;
  virtual int64_t Digests() const = 0;

  // What Detach would take now, or Scatter of what is held for a period, for each batch key under
  // which something waits.
  virtual std::vector<HeldInfo> Held() const = 0;

  // Ends a period of a stream: what is held for it is from now on held for its nodes, and it takes
  // nothing more. Both or neither, wherever a crash comes: a group is never in two places or in
  // none. Then nothing tells any more which groups were one submission, and the digests of the
  // submissions are remembered as those of a batch that has left. How many submissions there were.
  // FailedPrecondition: nothing is held for the period, or an attempt is under way or ended in
  // doubt. After another failure everything is held for the period, unless the message says that
  // the outcome is in doubt: then only reopening the store can tell.
  virtual absl::StatusOr<int64_t> Scatter(const BatchKey& period) = 0;

  // --- a release: see shuffler/release/batch_release.h ---
  // Takes everything that is held under the key; what is accepted from now on is held anew.
  // FailedPrecondition: nothing is held, or what was is detached already.
  virtual absl::StatusOr<std::unique_ptr<Detached>> Detach(const BatchKey& of) = 0;
  // `batch` is a random id.
  virtual absl::StatusOr<std::unique_ptr<BatchWriter>> NewBatch(const BatchId& batch) = 0;
  // Puts the batch into the outbox, with the bytes that are to be sent before its reports, and ends
  // what it was made of, both or neither. Both come from this store, `from` was read and all of it
  // is in `reports`, with the fakes. After a failure everything is held and nothing of the batch is
  // left, unless the message says that the outcome is in doubt: then only reopening the store can
  // tell.
  virtual absl::Status Publish(std::unique_ptr<Detached> from, std::unique_ptr<BatchWriter> reports,
                               const Manifest& totals, absl::string_view manifest) = 0;

  // Removes what never met its guarantee and counts it as expired; how many submissions. Its
  // digests are kept, so that a retry does not bring it back. Fails like Detach and Publish.
  virtual absl::StatusOr<int64_t> Destroy(const BatchKey& of) = 0;

  // --- the outbox ---
  // The batches that are not erased yet. NotFound: there is no such batch.
  virtual std::vector<Manifest> Outbox() const = 0;
  virtual absl::StatusOr<std::string> ReadManifest(const BatchId& batch) const = 0;
  virtual absl::StatusOr<std::unique_ptr<BatchReader>> Read(const BatchId& batch) const = 0;
  // After the acknowledgement: the batch is counted as forwarded, or expired if the collector said
  // that nobody can open it any more, and removed. Call again after a failure. NotFound: there is
  // no such batch.
  virtual absl::Status Erase(const BatchId& batch, BatchEnd end) = 0;

  // Drops the digests of older windows. From then on Accept refuses those windows.
  virtual absl::Status ForgetWindowsBefore(const TaskId& task, uint32_t window) = 0;

  virtual TaskCounters Counters(const TaskId& task) const = 0;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_STORE_STORE_H_
