// What is collected and how, as everybody behind the doors sees it.
#ifndef TOMBOLA_COMMON_TASK_TASK_H_
#define TOMBOLA_COMMON_TASK_TASK_H_

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/accounting/composition.h"
#include "common/base/ids.h"
#include "common/scheme/nodes.h"
#include "common/scheme/scheme.h"
#include "common/task/periods.h"

namespace tombola {

class Kind;   // common/kind/kind.h, for who fills or counts tables
class Kinds;  // common/kind/kinds.h

inline constexpr size_t kMaxTaskBytes = 16 << 20;
// Of the rules that tasks follow; others are refused.
inline constexpr uint32_t kTaskVersion = 3;

// What a released batch satisfies for one submission of a device in it.
struct Target {
  double epsilon = 0;
  double delta = 0;
};

// When a batch is released; the fields of the same names in task.proto.
struct BatchPolicy {
  int64_t planned_submissions = 0;
  int64_t smallest_batch = 0;
  double dishonest_share = 0;
  absl::Duration interval;  // zero: none
  absl::Duration retry_window;
  bool merge_periods = false;
};

// The values a device may report.
class Domain {
 public:
  Domain(int64_t size, std::vector<std::string> labels, std::optional<uint64_t> other);

  int64_t size() const { return size_; }
  // Empty when the values have no names.
  const std::vector<std::string>& labels() const { return labels_; }
  std::optional<uint64_t> other() const { return other_; }

  // The value that `text` names: a label, or a number where the values have no names.
  std::optional<uint64_t> Find(absl::string_view text) const;
  // The same for what a device holds: a text that names no value is mapped to the domain's "other"
  // value if there is one; else InvalidArgument.
  absl::StatusOr<uint64_t> IndexOf(absl::string_view text) const;
  // The name of a value below size().
  std::string NameOf(uint64_t value) const;

 private:
  int64_t size_;
  std::vector<std::string> labels_;
  std::optional<uint64_t> other_;
  absl::flat_hash_map<std::string, uint64_t> by_label_;
};

// A valid task: its bytes, its id, and what they mean. Immutable and thread-safe.
class Task {
 public:
  // InvalidArgument names the field that is out of its bounds.
  static absl::StatusOr<std::shared_ptr<const Task>> Parse(std::string bytes);
  // The same where there are other kinds than those of every release.
  static absl::StatusOr<std::shared_ptr<const Task>> Parse(std::string bytes, const Kinds& kinds);

  const std::string& bytes() const { return bytes_; }
  const TaskId& id() const { return id_; }
  const std::string& name() const { return name_; }
  const Domain& domain() const { return *domain_; }
  const Kind& kind() const { return *kind_; }
  // What the task guarantees and what it asks for it; never null.
  const std::shared_ptr<const mechanism::Scheme>& scheme() const { return scheme_; }
  // Of a stream: the batches that a submission of a period has groups of reports for. Else null.
  const mechanism::Nodes* nodes() const { return nodes_; }
  // What is in a batch of this part: the node's of a stream, else scheme().
  const mechanism::Scheme& SchemeOf(uint64_t part) const {
    return nodes_ == nullptr ? *scheme_ : *(*nodes_)[part].scheme;
  }
  // The fewest submissions of a batch of this part.
  int64_t SmallestBatchOf(uint64_t part) const {
    return nodes_ == nullptr ? batch_policy_.smallest_batch : (*nodes_)[part].smallest_batch;
  }
  const Target& target() const { return target_; }
  const BatchPolicy& batch_policy() const { return batch_policy_; }
  int64_t submissions_per_device() const { return submissions_per_device_; }
  const std::array<uint8_t, 32>& collector_key() const { return collector_key_; }
  const std::array<uint8_t, 32>& shuffler_key() const { return shuffler_key_; }
  absl::Time not_before() const { return not_before_; }
  absl::Time not_after() const { return not_after_; }
  // Nothing: it has none, because it has no interval or lets them merge.
  const std::optional<Periods>& periods() const { return periods_; }
  // A device seals by no key list that is older.
  absl::Duration key_list_age() const { return key_list_age_; }
  // The task that this one takes the place of.
  const std::optional<TaskId>& supersedes() const { return supersedes_; }

  // The length of every sealed report.
  size_t sealed_bytes() const;
  // HPKE's info for a report of this task and part sealed to this key: nothing of a device, no
  // other time.
  std::string HpkeInfo(const KeyId& key, uint64_t part) const;
  // The part of what a device submits now: its period, or 0 where the task has none.
  uint64_t PartAt(absl::Time now) const { return periods_.has_value() ? periods_->At(now) : 0; }
  // The parts of the batches that such a submission is in, ascending: itself, or of a stream the
  // nodes that cover the period.
  std::vector<uint64_t> PartsOf(uint64_t part) const {
    return nodes_ == nullptr ? std::vector<uint64_t>{part} : nodes_->Cover(part);
  }
  // Whether there is such a part: a period or, of a stream, the node of that number as well.
  bool HasPart(uint64_t part) const {
    return periods_.has_value() ? periods_->Has(part) : part == 0;
  }
  // The retry window that a moment belongs to; 0 before not_before.
  uint64_t WindowAt(absl::Time now) const;
  // How many of `submissions` hide each other when the dishonest share is the observer's.
  int64_t Honest(int64_t submissions) const;

 private:
  Task() = default;
  friend accounting::EpsilonDelta WholeLife(const Task& task);  // whole_life.h, which keeps it here

  std::string bytes_;
  TaskId id_{};
  std::string name_;
  std::optional<Domain> domain_;
  std::shared_ptr<const Kind> kind_;
  std::shared_ptr<const mechanism::Scheme> scheme_;
  const mechanism::Nodes* nodes_ = nullptr;  // the kind's
  Target target_;
  BatchPolicy batch_policy_;
  int64_t submissions_per_device_ = 0;
  std::array<uint8_t, 32> collector_key_{};
  std::array<uint8_t, 32> shuffler_key_{};
  absl::Time not_before_;
  absl::Time not_after_;
  std::optional<Periods> periods_;
  absl::Duration key_list_age_;
  std::optional<TaskId> supersedes_;
  mutable std::once_flag whole_life_computed_;
  mutable accounting::EpsilonDelta whole_life_;
};

using mechanism::HonestOf;

// How many submissions a batch needs: the smallest number for which the task's target holds after
// the dishonest share is taken off, and no less than the policy's smallest batch.
// FailedPrecondition: more than a batch of the planned number has, so the target can never be met.
absl::StatusOr<int64_t> NeededSubmissions(const Task& task);

// Whether a task takes submissions: "closed", "ended" when its time is over, "not_begun" when it
// has yet to come, or "open".
inline const char* StateOf(const Task& task, bool closed, absl::Time now) {
  if (closed) return "closed";
  if (now >= task.not_after()) return "ended";
  return now < task.not_before() ? "not_begun" : "open";
}

}  // namespace tombola

#endif  // TOMBOLA_COMMON_TASK_TASK_H_
