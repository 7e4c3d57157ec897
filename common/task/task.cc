#include "common/task/task.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/base/batch_key.h"
#include "common/base/status_macros.h"
#include "common/crypto/hpke_suite.h"
#include "common/crypto/sha256.h"
#include "common/kind/kind.h"
#include "common/kind/kinds.h"
#include "common/table/domain_size.h"
#include "common/task/target_bounds.h"
#include "tombola/v1/task.pb.h"

namespace tombola {
namespace {

constexpr size_t kMaxNameBytes = 128;
constexpr size_t kMaxLabelBytes = 256;
constexpr uint64_t kMaxSubmissions = uint64_t{1} << 40;
constexpr uint64_t kMaxSeconds = 10ull * 366 * 24 * 3600;
constexpr int64_t kMaxUnixSeconds = 253402300799;  // the end of the year 9999
// The shuffler remembers the window of what it has forwarded: a short one would tell when.
constexpr uint64_t kMinRetryWindow = 3600;

absl::Status Refuse(absl::string_view field, absl::string_view bound) {
  return absl::InvalidArgumentError(absl::StrCat("task.", field, " must be ", bound));
}

bool HasControlCharacter(absl::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return (c >= 0 && c < 32) || c == 127; });
}

absl::StatusOr<Domain> DomainFromProto(const v1::Domain& wire) {
  if (!mechanism::IsDomainSize(wire.size())) {
    return Refuse("domain.size", absl::StrCat("between 2 and ", mechanism::kLargestDomain));
  }
  std::vector<std::string> labels(wire.labels().begin(), wire.labels().end());
  if (!labels.empty()) {
    if (labels.size() != wire.size()) {
      return Refuse("domain.labels", "as many as domain.size, or none");
    }
    absl::flat_hash_set<absl::string_view> seen;
    for (const std::string& label : labels) {
      if (label.empty() || label.size() > kMaxLabelBytes || HasControlCharacter(label)) {
        return Refuse("domain.labels", "1 to 256 bytes each, without control characters");
      }
      if (!seen.insert(label).second) {
        return Refuse("domain.labels", absl::StrCat("distinct: \"", label, "\" is there twice"));
      }
    }
  }
  std::optional<uint64_t> other;
  if (wire.has_other()) {
    if (wire.other() >= wire.size()) return Refuse("domain.other", "below domain.size");
    other = wire.other();
  }
  return Domain(static_cast<int64_t>(wire.size()), std::move(labels), other);
}

absl::StatusOr<Target> TargetFromProto(const v1::Target& wire) {
  if (!IsTargetEpsilon(wire.epsilon())) return Refuse("target.epsilon", kTargetEpsilonBound);
  if (!IsTargetDelta(wire.delta())) return Refuse("target.delta", kTargetDeltaBound);
  return Target{.epsilon = wire.epsilon(), .delta = wire.delta()};
}

absl::StatusOr<BatchPolicy> PolicyFromProto(const v1::BatchPolicy& wire) {
  if (wire.planned_submissions() < 2 || wire.planned_submissions() > kMaxSubmissions) {
    return Refuse("batch_policy.planned_submissions", "between 2 and 2^40");
  }
  if (wire.smallest_batch() < 2 || wire.smallest_batch() > wire.planned_submissions()) {
    return Refuse("batch_policy.smallest_batch", "between 2 and planned_submissions");
  }
  if (!(wire.dishonest_share() >= 0 && wire.dishonest_share() < 1)) {
    return Refuse("batch_policy.dishonest_share", "in [0, 1)");
  }
  if (wire.interval() > kMaxSeconds) {
    return Refuse("batch_policy.interval", "at most ten years of seconds");
  }
  if (wire.merge_periods() && wire.interval() == 0) {
    return Refuse("batch_policy.merge_periods", "false where there is no interval");
  }
  if (wire.retry_window() < kMinRetryWindow || wire.retry_window() > 31622400) {
    return Refuse("batch_policy.retry_window", "between 3600 and 31622400 seconds");
  }
  return BatchPolicy{.planned_submissions = static_cast<int64_t>(wire.planned_submissions()),
                     .smallest_batch = static_cast<int64_t>(wire.smallest_batch()),
                     .dishonest_share = wire.dishonest_share(),
                     .interval = absl::Seconds(wire.interval()),
                     .retry_window = absl::Seconds(wire.retry_window()),
                     .merge_periods = wire.merge_periods()};
}

absl::StatusOr<std::array<uint8_t, 32>> KeyFromProto(absl::string_view field,
                                                     const std::string& wire) {
  const auto key = IdFromBytes<std::array<uint8_t, 32>>(wire);
  if (!key.has_value()) return Refuse(field, "an Ed25519 public key of 32 bytes");
  return *key;
}

// A stream's nodes fit its periods, and none leaves with fewer honest submissions than its noise is
// sized for.
absl::Status CheckNodes(const Task& task) {
  const mechanism::Nodes* const nodes = task.nodes();
  if (nodes == nullptr) return absl::OkStatus();
  const auto count = static_cast<uint64_t>(nodes->count());
  if (!task.periods().has_value() || task.periods()->count() != count) {
    return Refuse("stream.start", "as many as the task has periods, which must not merge");
  }
  for (uint64_t node = 1; node <= count; ++node) {
    if (task.Honest(task.SmallestBatchOf(node)) < (*nodes)[node].honest) {
      return Refuse("stream.nodes.smallest_batch",
                    "so large that the honest among them are as many as the noise is sized for");
    }
  }
  return absl::OkStatus();
}

}  // namespace

Domain::Domain(int64_t size, std::vector<std::string> labels, std::optional<uint64_t> other)
    : size_(size), labels_(std::move(labels)), other_(other) {
  by_label_.reserve(labels_.size());
  for (size_t i = 0; i < labels_.size(); ++i) by_label_.emplace(labels_[i], i);
}

std::optional<uint64_t> Domain::Find(absl::string_view text) const {
  if (!labels_.empty()) {
    const auto it = by_label_.find(text);
    if (it == by_label_.end()) return std::nullopt;
    return it->second;
  }
  uint64_t value;
  if (!absl::SimpleAtoi(text, &value) || value >= static_cast<uint64_t>(size_)) {
    return std::nullopt;
  }
  return value;
}

absl::StatusOr<uint64_t> Domain::IndexOf(absl::string_view text) const {
  if (const std::optional<uint64_t> value = Find(text)) return *value;
  if (other_.has_value()) return *other_;
  if (labels_.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("value must be a whole number between 0 and ", size_ - 1));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("value must be one of the task's ", size_, " labels"));
}

std::string Domain::NameOf(uint64_t value) const {
  return labels_.empty() ? absl::StrCat(value) : labels_[value];
}

absl::StatusOr<std::shared_ptr<const Task>> Task::Parse(std::string bytes) {
  return Parse(std::move(bytes), Kinds::BuiltIn());
}

absl::StatusOr<std::shared_ptr<const Task>> Task::Parse(std::string bytes, const Kinds& kinds) {
  if (bytes.size() > kMaxTaskBytes) return Refuse("bytes", "at most 16 MiB");
  v1::Task wire;
  if (!wire.ParseFromString(bytes)) return Refuse("bytes", "a serialised tombola.v1.Task");
  if (wire.version() != kTaskVersion) return Refuse("version", absl::StrCat(kTaskVersion));
  if (wire.name().empty() || wire.name().size() > kMaxNameBytes ||
      HasControlCharacter(wire.name())) {
    return Refuse("name", "1 to 128 bytes without control characters");
  }
  if (wire.submissions_per_device() < 1 || wire.submissions_per_device() > 1000) {
    return Refuse("submissions_per_device", "between 1 and 1000");
  }
  if (wire.not_before() < 0 || wire.not_before() > kMaxUnixSeconds) {
    return Refuse("not_before", "a Unix time in seconds");
  }
  if (wire.not_after() <= wire.not_before() || wire.not_after() > kMaxUnixSeconds) {
    return Refuse("not_after", "a Unix time in seconds after not_before");
  }
  if (wire.nonce().size() != 16) return Refuse("nonce", "16 bytes");
  if (wire.key_list_age() < 3600 || wire.key_list_age() > 31622400) {
    return Refuse("key_list_age", "between 3600 and 31622400 seconds");
  }

  std::shared_ptr<Task> task(new Task());
  TOMBOLA_ASSIGN_OR_RETURN(task->domain_, DomainFromProto(wire.domain()));
  // Before the kind, of which a stream's says how many of a node are honest.
  TOMBOLA_ASSIGN_OR_RETURN(task->batch_policy_, PolicyFromProto(wire.batch_policy()));
  TOMBOLA_ASSIGN_OR_RETURN(task->kind_, kinds.Read(wire));
  task->scheme_ = task->kind_->scheme();
  task->nodes_ = task->kind_->nodes();
  TOMBOLA_ASSIGN_OR_RETURN(task->target_, TargetFromProto(wire.target()));
  TOMBOLA_ASSIGN_OR_RETURN(task->collector_key_,
                           KeyFromProto("collector_key", wire.collector_key()));
  TOMBOLA_ASSIGN_OR_RETURN(task->shuffler_key_, KeyFromProto("shuffler_key", wire.shuffler_key()));
  task->name_ = wire.name();
  task->submissions_per_device_ = wire.submissions_per_device();
  task->not_before_ = absl::FromUnixSeconds(wire.not_before());
  task->not_after_ = absl::FromUnixSeconds(wire.not_after());
  const BatchPolicy& policy = task->batch_policy_;
  if (policy.interval > absl::ZeroDuration() && !policy.merge_periods) {
    task->periods_.emplace(task->not_before_, task->not_after_, policy.interval);
  }
  TOMBOLA_RETURN_IF_ERROR(CheckNodes(*task));
  task->key_list_age_ = absl::Seconds(wire.key_list_age());
  if (!wire.supersedes().empty()) {
    task->supersedes_ = IdFromBytes<TaskId>(wire.supersedes());
    if (!task->supersedes_.has_value()) return Refuse("supersedes", "a task's id of 32 bytes");
  }
  task->bytes_ = std::move(bytes);
  task->id_ = crypto::Sha256(task->bytes_);
  return std::shared_ptr<const Task>(std::move(task));
}

size_t Task::sealed_bytes() const { return scheme_->report_bytes() + crypto::kHpkeOverhead; }

std::string Task::HpkeInfo(const KeyId& key, uint64_t part) const {
  return absl::StrCat("tombola/v1/report", AsView(id_), AsView(key), AsView(ToPartBytes(part)));
}

uint64_t Task::WindowAt(absl::Time now) const {
  if (now <= not_before_) return 0;
  return static_cast<uint64_t>((now - not_before_) / batch_policy_.retry_window);
}

int64_t Task::Honest(int64_t submissions) const {
  return HonestOf(submissions, batch_policy_.dishonest_share);
}

}  // namespace tombola
