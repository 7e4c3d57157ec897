// The device's own account of what it has said.
#ifndef TOMBOLA_CLIENT_LEDGER_LEDGER_H_
#define TOMBOLA_CLIENT_LEDGER_LEDGER_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/ids.h"
#include "common/disk/lock.h"
#include "common/task/key_list.h"

namespace tombola::client {

// SHA-256 of the token by which a caller names a submission.
using TokenDigest = std::array<uint8_t, 32>;

// What a submission says in one batch.
struct SealedGroup {
  KeyId key{};
  uint64_t part = 0;  // of the batch: of a stream the node, else the submission's own
  int64_t reports = 0;
  std::string sealed_reports;
};

// A sealed submission that is on its way. Beyond the sealed reports nothing of it depends on the
// value, so that nothing a device does next can.
struct Pending {
  SubmissionId id{};
  uint64_t window = 0;
  uint64_t part = 0;                 // the period, or 0
  std::vector<SealedGroup> groups;   // one for each of Task::PartsOf(part)
  std::optional<TokenDigest> token;  // none: the caller gave none
};

// What was drawn of a value for good (client/encode/memo.h).
struct Memo {
  uint64_t cell = 0;
  std::string memo;
};
struct Memos {
  std::vector<Memo> drawn;  // of distinct cells
  size_t last = 0;          // which of them the last submission was made of

  // The place of the cell's; nothing if it has none.
  std::optional<size_t> Find(uint64_t cell) const;
};

// How a submission ended.
enum class Ending { kDelivered, kRefused };

// How many submissions the device has made for one task, the one that is not yet acknowledged, how
// those ended that their caller named by a token, the newest key list seen, and the memos that it
// has drawn where the task asks for some. Every change is on
// disk before the call returns OK, so that neither a crash nor a restart lets the device say more
// than the task allows, or say one thing twice. A change that fails has not happened here; the disk
// then has it or not, and neither lets the device say more. A ledger that cannot be read is an
// error and never an empty one.
//
// The file is for its owner's eyes only. Of a value it holds the sealed reports, until they are
// acknowledged: who reads it learns nothing of the value without the collector's private key. But
// of a task with memos it holds every value that has one.
//
// Not thread-safe; one process at a time, which a lock on the file enforces.
class Ledger {
 public:
  // `directory` is made if it is missing; empty: memory only. FailedPrecondition: another process
  // has it. DataLoss: the file is damaged.
  static absl::StatusOr<std::unique_ptr<Ledger>> Open(const std::string& directory,
                                                      const TaskId& task);
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  int64_t submissions() const { return state_.submissions; }
  // Whether a submission of this period was begun, whatever became of it.
  bool BegunIn(uint64_t period) const { return state_.periods.contains(period); }
  // Serial 0: none was seen.
  const KeyListVersion& key_list() const { return state_.key_list; }
  const std::optional<Pending>& pending() const { return state_.pending; }
  // How the submission of this token ended; nothing if none has.
  std::optional<Ending> EndingOf(const TokenDigest& token) const;

  // This key list has been seen. One that is not newer than the newest changes nothing.
  absl::Status NoteKeyList(const KeyListVersion& list);
  const Memos& memos() const { return state_.memos; }
  // Spends one submission. Nothing may be pending. With the memos as they are now.
  absl::Status Begin(Pending pending, std::optional<Memos> memos = std::nullopt);
  // The pending submission has been acknowledged, or was refused for good.
  absl::Status End(Ending ending);

 private:
  struct State {
    int64_t submissions = 0;
    std::set<uint64_t> periods;  // in which one was begun
    KeyListVersion key_list;
    std::optional<Pending> pending;
    std::vector<TokenDigest> delivered;
    std::vector<TokenDigest> refused;
    Memos memos;
  };

  Ledger(std::string path, std::optional<DiskLock> lock, const TaskId& task)
      : path_(std::move(path)), lock_(std::move(lock)), task_(task) {}

  absl::Status Load();
  absl::Status Save(const State& state) const;
  // Saves, then takes the new state.
  absl::Status Change(const State& next);

  std::string path_;  // empty: memory only
  std::optional<DiskLock> lock_;
  TaskId task_;
  State state_;
};

}  // namespace tombola::client

#endif  // TOMBOLA_CLIENT_LEDGER_LEDGER_H_
