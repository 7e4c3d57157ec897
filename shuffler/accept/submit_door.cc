#include "shuffler/accept/submit_door.h"

#include <numeric>
#include <optional>

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

absl::Status CheckKey(KeyStanding standing) {
  switch (standing) {
    case KeyStanding::kOpen:
      return absl::OkStatus();
    case KeyStanding::kUnknown:
      return WithCause("unknown_key",
                       absl::FailedPreconditionError(
                           "key_id names no key of the collector: fetch the key list"));
    case KeyStanding::kClosed:
    case KeyStanding::kDestroyed:
      break;
  }
  return WithCause(
      "key_closed",
      absl::FailedPreconditionError(
          "the window of key_id is closed; the submission is not retried: fetch the key list"));
}

absl::Status CheckSizes(const v1::SubmitRequest& request, const Task& task) {
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
  uint64_t reports = submissions;
  if (request.report_counts_size() != 0) {
    if (static_cast<size_t>(request.report_counts_size()) != submissions) {
      return absl::InvalidArgumentError("report_counts must have one entry a submission, or none");
    }
    reports = std::accumulate(request.report_counts().begin(), request.report_counts().end(),
                              uint64_t{0});
  }
  if (request.sealed_reports().size() != reports * task.sealed_bytes()) {
    return absl::InvalidArgumentError(
        absl::StrCat("sealed_reports must be ", task.sealed_bytes(), " bytes a report"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<SubmitBatch> CheckSubmit(const v1::SubmitRequest& request, const Catalog& catalog,
                                        absl::Time now) {
  TOMBOLA_ASSIGN_OR_RETURN(const TaskId task_id, RequireId<TaskId>("task_id", request.task_id()));
  const std::optional<CatalogEntry> entry = catalog.Find(task_id);
  if (!entry.has_value()) return absl::NotFoundError("task_id names no task of this shuffler");
  TOMBOLA_ASSIGN_OR_RETURN(const KeyId key, RequireId<KeyId>("key_id", request.key_id()));
  TOMBOLA_RETURN_IF_ERROR(CheckSizes(request, *entry->task));
  TOMBOLA_RETURN_IF_ERROR(CheckOpen(*entry, now));
  TOMBOLA_RETURN_IF_ERROR(CheckWindow(request.window(), entry->task->WindowAt(now)));
  TOMBOLA_RETURN_IF_ERROR(CheckPart(request.part(), *entry->task, now));
  TOMBOLA_RETURN_IF_ERROR(CheckKey(catalog.StandingOf(key, now)));
  return SubmitBatch{
      .of = {.task = task_id, .key = key, .part = request.part()},
      .window = static_cast<uint32_t>(request.window()),
      .submission_ids = AsSpan(request.submission_ids()),
      .report_counts = absl::MakeConstSpan(request.report_counts().data(),
                                           static_cast<size_t>(request.report_counts_size())),
      .sealed_reports = AsSpan(request.sealed_reports())};
}

}  // namespace tombola::shuffler
