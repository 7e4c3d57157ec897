// Who administered, and who asked what.
#ifndef TOMBOLA_COLLECTOR_AUDIT_AUDIT_LOG_H_
#define TOMBOLA_COLLECTOR_AUDIT_AUDIT_LOG_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/clock.h"
#include "common/base/mutex.h"
#include "common/base/worker.h"

namespace tombola::collector {

struct AuditEntry {
  // "certificate CN=tombola analyst-dana", "token dana": of people alone, never of devices.
  std::string who;
  std::string act;  // "create_task", "answer"
  // What it was about: names and texts.
  std::vector<std::pair<std::string, std::string>> about = {};
  absl::Status outcome = {};
};

// A file to which a line of JSON is added for each act: time, who, act, what it was about, and how
// it ended ("OK", or the code of the refusal). docs/operate.md has an example. The file is opened
// for each writing, so that it may be moved away at any time and goes on under its name. Mode 0600.
//
// Thread-safe.
class AuditLog {
 public:
  // The path's file is made if it is not there. As DiskError: it cannot be written.
  static absl::StatusOr<std::unique_ptr<AuditLog>> Open(std::string path, const Clock* clock);
  // What was noted is written first.
  ~AuditLog();

  // An act that changes something: on disk when it returns, with all that was noted before. What
  // cannot be written is logged as audit_failed, kept and tried again with the next.
  void Record(const AuditEntry& entry);
  // A question, or an act that was refused: within a second, from a thread of its own; never waits
  // for the disk. The same again within kFoldedFor (of what was refused: of the same caller and act
  // with the same outcome, whatever it was about) is counted in a line of its own with `times`, so
  // that nobody can fill the disk by asking. Beyond kMostWaiting that wait for a disk which fails,
  // entries are counted and dropped; a line tells of it.
  void Note(const AuditEntry& entry);

  static constexpr size_t kMostWaiting = 100000;
  static constexpr absl::Duration kFoldedFor = absl::Minutes(1);

 private:
  AuditLog(std::string path, const Clock* clock);

  // What was noted again since it was written.
  struct Folded {
    AuditEntry entry;
    absl::Time since;
    int64_t times = 0;
  };

  std::string Line(const AuditEntry& entry, int64_t times = 1) const;
  // Lines for what is not folded any more; for everything if `all`.
  void Unfold(bool all);
  void Add(std::string line);
  void Write();

  const std::string path_;
  const Clock* const clock_;
  Mutex writing_;  // one writer at a time, so that lines keep their order
  Mutex mutex_;
  std::vector<std::string> waiting_ ABSL_GUARDED_BY(mutex_);
  int64_t dropped_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<std::string, Folded> folded_ ABSL_GUARDED_BY(mutex_);
  bool failing_ ABSL_GUARDED_BY(writing_) = false;
  std::unique_ptr<Worker> worker_;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_AUDIT_AUDIT_LOG_H_
