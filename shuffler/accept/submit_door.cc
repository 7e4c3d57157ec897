#include "shuffler/accept/submit_door.h"

#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/retry_after.h"
#include "common/base/status_macros.h"

namespace tombola::shuffler {
namespace {

absl::Span<const uint8_t> AsSpan(const std::string& bytes) {
  return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

absl::Status NotOpen(absl::string_view message) {
  return WithCause("task_not_open", absl::FailedPreconditionError(message));
}

absl::Status CheckOpen(const CatalogEntry& entry, absl::Time now) {
  if (entry.closed) return NotOpen("the task is closed");
  if (now < entry.task->not_before()) return NotOpen("the task has not begun");
  if (now >= entry.task->not_after()) return NotOpen("the task has ended");
  return absl::OkStatus();
}

absl::Status CheckWindow(uint64_t window, uint64_t current) {
  if (window < current && current - window > 1) {
    return WithCause("window_over", absl::FailedPreconditionError(absl::StrCat(
                                        "window is over: it must be at least ", current - 1,
                                        "; the submission is not retried")));
  }
  if (window > current && window - current > 1) {
    return WithCause("window_ahead",
                     absl::InvalidArgumentError(absl::StrCat("window must be at most ", current + 1,
                                                             "; is the device's clock right?")));
  }
  return absl::OkStatus();
}

absl::Status CheckPart(uint64_t part, const Task& task, absl::Time now) {
  if (!task.HasPart(part)) {
    return absl::InvalidArgumentError(
        task.periods().has_value()
            ? absl::StrCat("part must be a period of the task, 1 to ", task.periods()->count())
            : "part must be 0: the task has no periods");
  }
  if (!task.periods().has_value()) return absl::OkStatus();
  const Periods& periods = *task.periods();
  if (now >= periods.Closes(part)) {
    return WithCause("period_over", absl::FailedPreconditionError(absl::StrCat(
                                        "period ", part, " is over, and the present one is ",
                                        periods.At(now), "; the submission is not retried")));
  }
  if (now < periods.Opens(part)) {
    return WithCause("period_ahead", absl::InvalidArgumentError(absl::StrCat(
                                         "period ", part, " has not begun, the present one is ",
                                         periods.At(now), "; is the device's clock right?")));
  }
  return absl::OkStatus();
}

// `of` names the key: "key_id", or that of a group.
absl::Status CheckKey(KeyStanding standing, absl::string_view of) {
  switch (standing) {
    case KeyStanding::kOpen:
      return absl::OkStatus();
    case KeyStanding::kUnknown:
      return WithCause("unknown_key",
                       absl::FailedPreconditionError(
                           absl::StrCat(of, " names no key of the collector: fetch the key list")));
    case KeyStanding::kMisused:
      return absl::InvalidArgumentError(
          absl::StrCat(of,
                       " must be a key for these reports: a node of a stream has keys of its "
                       "own, and nothing else is sealed to them"));
    case KeyStanding::kClosed:
    case KeyStanding::kDestroyed:
      break;
  }
  return WithCause(
      "key_closed",
      absl::FailedPreconditionError(absl::StrCat(
          "the window of ", of, " is closed; the submission is not retried: fetch the key list")));
}

// How many submissions there are.
absl::StatusOr<size_t> CheckIds(const v1::SubmitRequest& request) {
  const size_t id_bytes = request.submission_ids().size();
  if (id_bytes == 0 || id_bytes % sizeof(SubmissionId) != 0) {
    return absl::InvalidArgumentError(
        "submission_ids must be 16 bytes a submission, and at least one submission");
  }
  const size_t submissions = id_bytes / sizeof(SubmissionId);
  if (submissions > static_cast<size_t>(kMaxSubmissionsPerCall)) {
    return absl::InvalidArgumentError(
        absl::StrCat("submission_ids must name at most ", kMaxSubmissionsPerCall, " submissions"));
  }
  return submissions;
}

absl::Span<const uint32_t> AsSpan(const google::protobuf::RepeatedField<uint32_t>& counts) {
  return absl::MakeConstSpan(counts.data(), static_cast<size_t>(counts.size()));
}

// Of a request or of one of its groups, which `prefix` names.
absl::Status CheckSizes(absl::string_view prefix, size_t submissions,
                        absl::Span<const uint32_t> counts, const std::string& sealed,
                        const Task& task) {
  uint64_t reports = submissions;
  if (!counts.empty()) {
    if (counts.size() != submissions) {
      return absl::InvalidArgumentError(
          absl::StrCat(prefix, "report_counts must have one entry a submission, or none"));
    }
    reports = std::accumulate(counts.begin(), counts.end(), uint64_t{0});
  }
  if (sealed.size() != reports * task.sealed_bytes()) {
    return absl::InvalidArgumentError(
        absl::StrCat(prefix, "sealed_reports must be ", task.sealed_bytes(), " bytes a report"));
  }
  return absl::OkStatus();
}

// What the device says of one node; `node` is that which is due.
absl::StatusOr<SubmitGroup> CheckGroup(const v1::NodeGroup& group, const std::string& name,
                                       uint64_t node, size_t submissions, const Task& task) {
  if (group.node() != node) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ".node must be ", node,
                     ": groups are for the nodes that cover the period, all of them, ascending"));
  }
  TOMBOLA_ASSIGN_OR_RETURN(const KeyId key,
                           RequireId<KeyId>(absl::StrCat(name, ".key_id"), group.key_id()));
  const absl::Span<const uint32_t> counts = AsSpan(group.report_counts());
  TOMBOLA_RETURN_IF_ERROR(
      CheckSizes(absl::StrCat(name, "."), submissions, counts, group.sealed_reports(), task));
  const int64_t most = task.SchemeOf(node).max_reports_per_submission();
  for (const uint32_t count : counts) {
    if (count >= 1 && count <= most) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(name, ".report_counts must be 1 to ", most, " each"));
  }
  return SubmitGroup{.of = {.node = node, .key = key},
                     .report_counts = counts,
                     .sealed_reports = AsSpan(group.sealed_reports())};
}

// Sizes and nodes; keys are looked at once the period is known to be open.
absl::StatusOr<std::vector<SubmitGroup>> CheckGroups(const v1::SubmitRequest& request,
                                                     size_t submissions, const Task& task) {
  if (!request.key_id().empty() || request.report_counts_size() != 0 ||
      !request.sealed_reports().empty()) {
    return absl::InvalidArgumentError(
        "key_id, report_counts and sealed_reports must be empty: the task is a stream, whose "
        "reports are in groups");
  }
  const std::vector<uint64_t> nodes = task.PartsOf(request.part());
  if (static_cast<size_t>(request.groups_size()) != nodes.size()) {
    return absl::InvalidArgumentError(absl::StrCat("groups must be ", nodes.size(),
                                                   ", one for each node that covers period ",
                                                   request.part()));
  }
  std::vector<SubmitGroup> groups;
  for (size_t i = 0; i < nodes.size(); ++i) {
    TOMBOLA_ASSIGN_OR_RETURN(groups.emplace_back(), CheckGroup(request.groups(static_cast<int>(i)),
                                                               absl::StrCat("groups[", i, "]"),
                                                               nodes[i], submissions, task));
  }
  return groups;
}

// Everything that is checked of every task alike.
absl::Status CheckTime(const v1::SubmitRequest& request, const CatalogEntry& entry,
                       absl::Time now) {
  TOMBOLA_RETURN_IF_ERROR(CheckOpen(entry, now));
  TOMBOLA_RETURN_IF_ERROR(CheckWindow(request.window(), entry.task->WindowAt(now)));
  return CheckPart(request.part(), *entry.task, now);
}

absl::StatusOr<SubmitBatch> CheckStreamSubmit(const v1::SubmitRequest& request,
                                              const CatalogEntry& entry, const Catalog& catalog,
                                              absl::Time now) {
  const Task& task = *entry.task;
  TOMBOLA_ASSIGN_OR_RETURN(const size_t submissions, CheckIds(request));
  TOMBOLA_RETURN_IF_ERROR(CheckTime(request, entry, now));
  TOMBOLA_ASSIGN_OR_RETURN(std::vector<SubmitGroup> groups,
                           CheckGroups(request, submissions, task));
  for (size_t i = 0; i < groups.size(); ++i) {
    const NodeKey& of = groups[i].of;
    TOMBOLA_RETURN_IF_ERROR(CheckKey(catalog.StandingFor(task, of.node, of.key, now),
                                     absl::StrCat("groups[", i, "].key_id")));
  }
  const KeyId key = groups.front().of.key;
  return SubmitBatch{.of = {.task = task.id(), .key = key, .part = request.part()},
                     .window = static_cast<uint32_t>(request.window()),
                     .submission_ids = AsSpan(request.submission_ids()),
                     .report_counts = {},
                     .sealed_reports = {},
                     .groups = std::move(groups)};
}

}  // namespace

absl::StatusOr<SubmitBatch> CheckSubmit(const v1::SubmitRequest& request, const Catalog& catalog,
                                        absl::Time now) {
  TOMBOLA_ASSIGN_OR_RETURN(const TaskId task_id, RequireId<TaskId>("task_id", request.task_id()));
  const std::optional<CatalogEntry> entry = catalog.Find(task_id);
  if (!entry.has_value()) return absl::NotFoundError("task_id names no task of this shuffler");
  if (entry->task->nodes() != nullptr) return CheckStreamSubmit(request, *entry, catalog, now);
  if (request.groups_size() != 0) {
    return absl::InvalidArgumentError("groups must be empty: the task is no stream");
  }
  TOMBOLA_ASSIGN_OR_RETURN(const KeyId key, RequireId<KeyId>("key_id", request.key_id()));
  TOMBOLA_ASSIGN_OR_RETURN(const size_t submissions, CheckIds(request));
  const absl::Span<const uint32_t> counts = AsSpan(request.report_counts());
  TOMBOLA_RETURN_IF_ERROR(
      CheckSizes("", submissions, counts, request.sealed_reports(), *entry->task));
  TOMBOLA_RETURN_IF_ERROR(CheckTime(request, *entry, now));
  TOMBOLA_RETURN_IF_ERROR(
      CheckKey(catalog.StandingFor(*entry->task, request.part(), key, now), "key_id"));
  return SubmitBatch{.of = {.task = task_id, .key = key, .part = request.part()},
                     .window = static_cast<uint32_t>(request.window()),
                     .submission_ids = AsSpan(request.submission_ids()),
                     .report_counts = counts,
                     .sealed_reports = AsSpan(request.sealed_reports())};
}

}  // namespace tombola::shuffler
