// A device under test: a session whose shuffler follows a script, on a clock that only pauses move.
#ifndef TOMBOLA_CLIENT_SESSION_SESSION_HARNESS_H_
#define TOMBOLA_CLIENT_SESSION_SESSION_HARNESS_H_

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "client/session/session.h"
#include "client/submit/transport.h"
#include "common/base/mutex.h"
#include "common/crypto/ed25519_sign.h"
#include "common/crypto/hpke_open.h"
#include "common/table/local_hash_report.h"
#include "tests/support/fake_clock.h"
#include "tests/support/scratch_directory.h"
#include "tests/support/test_task.h"

namespace tombola::client {

// The collector's HPKE keys, by a letter from a to l.
const crypto::HpkePrivateKey& TestHpkeKey(char name);
KeyId TestHpkeKeyId(char name);

struct KeyLife {
  char name;
  absl::Time not_before;
  absl::Time not_after;
  std::optional<TaskId> task = std::nullopt;  // of a node's key
  uint64_t node = 0;
};
v1::SignedKeyList SignedKeys(uint64_t serial, const std::vector<KeyLife>& keys,
                             const crypto::SigningKey& signer = TestCollectorKey(),
                             absl::Time issued = TestTaskStart());

// A shuffler in the process that keeps every request and recognises ids that it has stored.
// Thread-safe; what a test asks to run during a call runs without a lock.
class ScriptedShuffler : public std::enable_shared_from_this<ScriptedShuffler> {
 public:
  ScriptedShuffler(std::string task, v1::SignedKeyList keys);

  std::unique_ptr<Transport> Connect();

  void ServeTask(std::string bytes);
  void ServeKeys(v1::SignedKeyList keys);
  // The next `calls` fail with `status` and store nothing.
  void FailTask(int calls, absl::Status status);
  void FailKeys(int calls, absl::Status status);
  void FailSubmit(int calls, absl::Status status);
  // The next `calls` submissions are stored, but the device does not hear of it.
  void LoseAnswers(int calls);
  // The next submission is answered by this and not stored.
  void AnswerWith(v1::SubmitResponse response);
  // Runs once, in the next call, after its answer is settled and before the device gets it.
  void DuringKeyList(std::function<void()> action);
  void DuringSubmit(std::function<void(const v1::SubmitRequest&)> action);

  // Every Submit call that arrived, failed ones included.
  std::vector<v1::SubmitRequest> requests() const;
  int key_fetches() const;
  // Distinct submissions that were accepted.
  size_t stored() const;
  // The most Submit calls that were under way at one moment.
  int most_at_once() const;

 private:
  friend class ScriptedTransport;
  struct Failures {
    int calls = 0;
    absl::Status status;
    // Uses one up.
    absl::Status Next();
  };

  absl::StatusOr<std::string> GetTask();
  absl::StatusOr<v1::SignedKeyList> GetKeyList();
  absl::StatusOr<v1::SubmitResponse> Submit(const v1::SubmitRequest& request);
  absl::StatusOr<v1::SubmitResponse> Settle(const v1::SubmitRequest& request)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable Mutex mutex_;
  std::string task_ ABSL_GUARDED_BY(mutex_);
  v1::SignedKeyList keys_ ABSL_GUARDED_BY(mutex_);
  Failures fail_task_ ABSL_GUARDED_BY(mutex_);
  Failures fail_keys_ ABSL_GUARDED_BY(mutex_);
  Failures fail_submit_ ABSL_GUARDED_BY(mutex_);
  int lost_answers_ ABSL_GUARDED_BY(mutex_) = 0;
  std::optional<v1::SubmitResponse> answer_ ABSL_GUARDED_BY(mutex_);
  std::function<void()> during_key_list_ ABSL_GUARDED_BY(mutex_);
  std::function<void(const v1::SubmitRequest&)> during_submit_ ABSL_GUARDED_BY(mutex_);
  std::vector<v1::SubmitRequest> requests_ ABSL_GUARDED_BY(mutex_);
  std::set<std::string> stored_ ABSL_GUARDED_BY(mutex_);
  int key_fetches_ ABSL_GUARDED_BY(mutex_) = 0;
  int under_way_ ABSL_GUARDED_BY(mutex_) = 0;
  int most_at_once_ ABSL_GUARDED_BY(mutex_) = 0;
};

constexpr int kForEver = 1 << 30;

// The test task, with the collector's key `a` for the whole of it in a list of serial 5, one hour
// after its beginning, on a device with a ledger and a policy that just accepts it.
class SessionTest : public ::testing::Test {
 protected:
  SessionTest();

  // Before the first session: another task, and a policy that accepts it.
  void UseTask(const std::function<void(v1::Task*)>& change);
  // A report of this task tells its value: the blanket's probability is 23 / (e^30 + 22) = 2e-12.
  static void Truthful(v1::Task* task);

  absl::StatusOr<std::unique_ptr<Session>> Create();
  // The same; a test fails here if it cannot be made.
  std::unique_ptr<Session> MustCreate();

  // The reports of a request, opened with the key that it names and bound to the task; a report
  // that does not open or is not valid fails the test.
  std::vector<mechanism::PlaneReport> Open(const v1::SubmitRequest& request) const;
  bool Supports(const mechanism::PlaneReport& report, uint64_t value) const;

  const ScratchDirectory scratch_;
  const std::string root_ = scratch_.path();
  std::shared_ptr<const Task> task_;
  std::shared_ptr<FakeClock> clock_;
  std::shared_ptr<ScriptedShuffler> shuffler_;
  SessionOptions options_;
  // Of the next call's randomness.
  std::atomic<uint64_t> seed_{1};
};

}  // namespace tombola::client

#endif  // TOMBOLA_CLIENT_SESSION_SESSION_HARNESS_H_
