// The device's own account of what it has said.
#ifndef TOMBOLA_CLIENT_LEDGER_LEDGER_H_
#define TOMBOLA_CLIENT_LEDGER_LEDGER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/base/ids.h"

namespace tombola::client {

// A sealed submission that is on its way.
struct Pending {
  SubmissionId id{};
  KeyId key{};
  uint64_t window = 0;
  int64_t reports = 0;
  std::string sealed_reports;
  std::string value_digest;
};

// How many submissions the device has made for one task, the one that is not yet acknowledged, and
// the newest key list seen. Every change is on disk before the call returns OK, so that neither a
// crash nor a restart lets the device say more than the task allows, or say one thing twice. A
// change that fails has not happened here; the disk then has it or not, and neither lets the device
// say more. A ledger that cannot be read is an error and never an empty one.
//
// The file is for its owner's eyes only: until a submission is acknowledged its value can be found
// out from it.
//
// Not thread-safe; one process at a time, which a lock on the file enforces.
class Ledger {
 public:
  // `directory` is made if it is missing; empty: memory only. FailedPrecondition: another process
  // has it. DataLoss: the file is damaged.
  static absl::StatusOr<std::unique_ptr<Ledger>> Open(const std::string& directory,
                                                      const TaskId& task);
  ~Ledger();
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  int64_t submissions() const { return state_.submissions; }
  uint64_t key_list_serial() const { return state_.key_list_serial; }
  const std::optional<Pending>& pending() const { return state_.pending; }

  // A key list of this serial has been seen. An older one than the newest changes nothing.
  absl::Status NoteKeyList(uint64_t serial);
  // Spends one submission. Nothing may be pending.
  absl::Status Begin(Pending pending);
  // The pending submission has been acknowledged, or was refused for good.
  absl::Status End();

 private:
  struct State {
    int64_t submissions = 0;
    uint64_t key_list_serial = 0;
    std::optional<Pending> pending;
  };

  Ledger(std::string path, int lock, const TaskId& task)
      : path_(std::move(path)), lock_(lock), task_(task) {}

  absl::Status Load();
  absl::Status Save(const State& state) const;
  // Saves, then takes the new state.
  absl::Status Change(const State& next);

  std::string path_;  // empty: memory only
  int lock_;
  TaskId task_;
  State state_;
};

}  // namespace tombola::client

#endif  // TOMBOLA_CLIENT_LEDGER_LEDGER_H_
