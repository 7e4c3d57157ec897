// What the SDK's facade does, with time, randomness and the wire as arguments.
#ifndef TOMBOLA_CLIENT_SESSION_SESSION_H_
#define TOMBOLA_CLIENT_SESSION_SESSION_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "client/ledger/ledger.h"
#include "client/place/placer.h"
#include "client/session/submission_sealer.h"
#include "client/submit/retry.h"
#include "client/submit/transport.h"
#include "common/base/clock.h"
#include "common/base/mutex.h"
#include "common/kind/kind.h"
#include "common/random/random_source.h"
#include "common/table/tables.h"
#include "common/task/key_list.h"
#include "common/task/task.h"
#include "tombola/client.h"
#include "tombola/policy.h"
#include "tombola/record.h"

namespace tombola::client {

struct SessionOptions {
  TaskId task{};
  Policy policy;
  std::string ledger_directory;
  RetryOptions retry;
  // After this long the key list is fetched again, so that a rotated key is noticed.
  absl::Duration key_list_age = absl::Minutes(10);
};

// What the session is given from outside.
struct SessionParts {
  std::unique_ptr<Transport> transport;
  std::shared_ptr<const Clock> clock;
  std::function<void(absl::Duration)> pause;
  // A source of its own for each call, so that calls do not share one.
  std::function<std::unique_ptr<RandomSource>()> make_random;
};

// One task on one device: value -> report -> sealed submission -> acknowledged. The contract is
// tombola::Client's.
//
// The device's own submissions go one after the other; what ReportMany sends goes beside them. No
// lock is held while the shuffler is asked.
class Session {
 public:
  static absl::StatusOr<std::unique_ptr<Session>> Create(const SessionOptions& options,
                                                         SessionParts parts);

  absl::string_view kind() const { return task_->kind().name(); }
  absl::string_view record_kind() const { return task_->kind().OfOneBatch().name(); }
  absl::Status Report(const RecordView& record, const ReportOptions& options = {});
  bool Delivered(const std::string& token) const;
  absl::Status Flush();
  absl::StatusOr<BulkOutcome> ReportMany(absl::Span<const std::string> values);
  absl::StatusOr<BulkOutcome> ReportRecords(absl::Span<const Record> records);

 private:
  // The right to begin or deliver a submission of this device, for a scope. It is no lock: the
  // others wait for it with the lock released.
  class Turn {
   public:
    explicit Turn(Session& session);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Session& session_;
  };

  Session(SessionOptions options, SessionParts parts)
      : options_(std::move(options)), parts_(std::move(parts)) {}

  absl::Status Start();
  absl::Status CheckOpen() const;

  // By the key list at hand if that is young enough, else by a fetched one.
  absl::StatusOr<Recipient> CurrentRecipient(RandomSource& random) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<Recipient> CachedRecipient(absl::Time now) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The newest list that was seen.
  KeyListVersion SeenKeys() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<KeyList> FetchKeys(RandomSource& random) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<Recipient> RecipientOf(const KeyList& keys, const KeyListVersion& seen,
                                        absl::Time now) const;
  // Of a stream, whether it gives a submission of this part what it promises; computed once for
  // each part that a submission is made of.
  absl::Status CheckPromise(uint64_t part) ABSL_LOCKS_EXCLUDED(mutex_);

  absl::StatusOr<Pending> Prepare(const mechanism::Cells& cells, const Recipient& recipient,
                                  const std::optional<TokenDigest>& token, RandomSource& random,
                                  std::optional<Memos>* memos) const;
  // Of a task with memos: the report of a device that holds this cell, by its memo, or by its last
  // one where there may be no further memo; *memos becomes what the ledger is to hold then. What is
  // drawn and sent depends on nothing else.
  std::string ReportByMemo(uint64_t cell, RandomSource& random, Memos* memos) const;
  absl::Status SubmitWithRetry(const v1::SubmitRequest& request, RandomSource& random,
                               v1::SubmitResponse* response) ABSL_LOCKS_EXCLUDED(mutex_);
  // So many records, each by its place.
  absl::StatusOr<BulkOutcome> ReportEach(size_t count,
                                         absl::FunctionRef<RecordView(size_t)> record_at);
  absl::Status SendMany(absl::Span<const mechanism::Cells> submissions, RandomSource& random,
                        BulkOutcome* outcome) ABSL_LOCKS_EXCLUDED(mutex_);

  // The following need a Turn.
  std::optional<Pending> CopyPending() const ABSL_LOCKS_EXCLUDED(mutex_);
  std::optional<Ending> EndingOf(const TokenDigest& token) const ABSL_LOCKS_EXCLUDED(mutex_);
  // If the submission of this token was begun already: its outcome, sent again if it waits.
  std::optional<absl::Status> Known(const TokenDigest& token, RandomSource& random)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // A submission of this part may be begun: the task allows another one, and another one in the
  // period.
  absl::Status CheckBudget(uint64_t part) const ABSL_LOCKS_EXCLUDED(mutex_);
  // The budget is to last for a new one, after what waits, if anything, was delivered: a failure
  // says what became of that.
  absl::Status MakeRoom(RandomSource& random) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Begin(const Pending& pending, const std::optional<Memos>& memos)
      ABSL_LOCKS_EXCLUDED(mutex_);
  Memos CopyMemos() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Sends the pending submission, and ends it unless it is to be tried again later.
  absl::Status Deliver(const Pending& pending, RandomSource& random) ABSL_LOCKS_EXCLUDED(mutex_);

  const SessionOptions options_;
  const SessionParts parts_;
  std::shared_ptr<const Task> task_;
  std::unique_ptr<Placer> placer_;

  mutable Mutex mutex_;
  CondVar turn_free_;
  bool turn_taken_ ABSL_GUARDED_BY(mutex_) = false;
  std::unique_ptr<Ledger> ledger_ ABSL_GUARDED_BY(mutex_) ABSL_PT_GUARDED_BY(mutex_);
  std::optional<KeyList> keys_ ABSL_GUARDED_BY(mutex_);
  absl::Time keys_fetched_ ABSL_GUARDED_BY(mutex_);
  std::optional<uint64_t> kept_promise_ ABSL_GUARDED_BY(mutex_);  // of this part last
};

}  // namespace tombola::client

#endif  // TOMBOLA_CLIENT_SESSION_SESSION_H_
