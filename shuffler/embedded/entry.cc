#include "shuffler/embedded/entry.h"

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/crypto/report_digest.h"
#include "shuffler/log/log_format.h"

namespace tombola::shuffler {
namespace {

size_t Submissions(const SubmitBatch& call) {
  return call.submission_ids.size() / kSubmissionIdBytes;
}

size_t ReportsOf(absl::Span<const uint32_t> counts, size_t index) {
  return counts.empty() ? 1 : counts[index];
}

absl::Status CheckCounts(size_t submissions, absl::Span<const uint32_t> counts,
                         absl::Span<const uint8_t> sealed, const TaskShape& shape) {
  if (!counts.empty() && counts.size() != submissions) {
    return absl::InvalidArgumentError(absl::StrCat("report_counts has ", counts.size(),
                                                   " entries for ", submissions, " submissions"));
  }
  uint64_t reports = 0;  // 2^32 counts below 2^32 do not overflow it
  for (size_t i = 0; i < submissions; ++i) reports += ReportsOf(counts, i);
  const auto sealed_bytes = static_cast<uint64_t>(shape.sealed_bytes);
  if (sealed.size() % sealed_bytes != 0 || sealed.size() / sealed_bytes != reports) {
    return absl::InvalidArgumentError(absl::StrCat("sealed_reports has ", sealed.size(),
                                                   " bytes for ", reports, " reports of ",
                                                   sealed_bytes));
  }
  return absl::OkStatus();
}

absl::Status CheckGroups(const SubmitBatch& call, const TaskShape& shape) {
  if (!call.report_counts.empty() || !call.sealed_reports.empty()) {
    return absl::InvalidArgumentError("reports must be in groups or outside of them, not both");
  }
  if (call.groups.front().of != NodeKey{call.of.part, call.of.key}) {
    return absl::InvalidArgumentError("groups must begin with the period's own node");
  }
  for (size_t i = 0; i < call.groups.size(); ++i) {
    const SubmitGroup& group = call.groups[i];
    if (i > 0 && group.of.node <= call.groups[i - 1].of.node) {
      return absl::InvalidArgumentError("groups must have ascending nodes");
    }
    TOMBOLA_RETURN_IF_ERROR(
        CheckCounts(Submissions(call), group.report_counts, group.sealed_reports, shape));
  }
  return absl::OkStatus();
}

size_t SealedBytes(const SubmitBatch& call) {
  size_t bytes = call.sealed_reports.size();
  for (const SubmitGroup& group : call.groups) bytes += group.sealed_reports.size();
  return bytes;
}

// A stream's, of which a submission has reports in every group of the call.
void DigestGroups(Entry& entry) {
  const SubmitBatch& call = entry.call;
  const auto record_bytes = static_cast<size_t>(entry.shape.sealed_bytes);
  const auto most = static_cast<size_t>(entry.shape.max_reports_per_submission);
  std::vector<absl::Span<const uint8_t>> rest;
  for (const SubmitGroup& group : call.groups) rest.push_back(group.sealed_reports);
  std::vector<EntryGroup> said(call.groups.size());
  for (size_t i = 0; i < Submissions(call); ++i) {
    EntrySubmission submission = {.index = i, .first_digest = entry.digests.size()};
    bool valid = true;
    for (size_t g = 0; g < said.size(); ++g) {
      const size_t count = ReportsOf(call.groups[g].report_counts, i);
      said[g] = {static_cast<uint16_t>(count), rest[g].first(count * record_bytes)};
      rest[g].remove_prefix(count * record_bytes);
      submission.reports += static_cast<uint32_t>(count);
      valid &= count > 0 && count <= most;
    }
    if (!valid) continue;
    entry.digests.push_back(SubmissionDigest(
        call.of.task, call.submission_ids.subspan(i * kSubmissionIdBytes, kSubmissionIdBytes)));
    for (size_t g = 0; g < said.size(); ++g) {
      for (auto left = said[g].sealed; !left.empty(); left.remove_prefix(record_bytes)) {
        entry.digests.push_back(Cut(
            crypto::ReportDigest(call.of.task, call.groups[g].of.key, left.first(record_bytes))));
      }
    }
    entry.groups.insert(entry.groups.end(), said.begin(), said.end());
    entry.submissions.push_back(submission);
  }
}

}  // namespace

absl::Status CheckLengths(const SubmitBatch& call, const TaskShape& shape) {
  if (call.submission_ids.size() % kSubmissionIdBytes != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("submission_ids has ", call.submission_ids.size(),
                     " bytes, not a multiple of ", kSubmissionIdBytes));
  }
  if (!call.groups.empty()) return CheckGroups(call, shape);
  return CheckCounts(Submissions(call), call.report_counts, call.sealed_reports, shape);
}

int64_t QueuedBytes(const SubmitBatch& call, const TaskShape& shape) {
  const size_t submissions = Submissions(call), sealed = SealedBytes(call);
  const size_t reports = sealed / static_cast<size_t>(shape.sealed_bytes);
  const size_t groups = submissions * call.groups.size();
  // Twice the reports: the caller's and those in the frame.
  return static_cast<int64_t>(
      sizeof(Entry) + 2 * sealed + (submissions + reports) * sizeof(Digest) +
      call.groups.size() * sizeof(SubmitGroup) + groups * (sizeof(EntryGroup) + sizeof(uint16_t)) +
      submissions * (kSubmissionIdBytes + sizeof(EntrySubmission) + kSubmissionHeaderBytes));
}

void DigestEntry(Entry& entry) {
  const SubmitBatch& call = entry.call;
  const auto record_bytes = static_cast<size_t>(entry.shape.sealed_bytes);
  const size_t submissions = Submissions(call);
  entry.digests.reserve(submissions + SealedBytes(call) / record_bytes);
  entry.submissions.reserve(submissions);
  entry.outcomes.assign(submissions, Outcome::kRejected);
  if (!call.groups.empty()) return DigestGroups(entry);
  absl::Span<const uint8_t> rest = call.sealed_reports;
  for (size_t i = 0; i < submissions; ++i) {
    const size_t count = ReportsOf(call.report_counts, i);
    const absl::Span<const uint8_t> sealed = rest.first(count * record_bytes);
    rest.remove_prefix(sealed.size());
    if (count == 0 || count > static_cast<size_t>(entry.shape.max_reports_per_submission)) continue;
    const size_t first = entry.digests.size();
    entry.digests.push_back(SubmissionDigest(
        call.of.task, call.submission_ids.subspan(i * kSubmissionIdBytes, kSubmissionIdBytes)));
    for (size_t r = 0; r < count; ++r) {
      entry.digests.push_back(Cut(crypto::ReportDigest(
          call.of.task, call.of.key, sealed.subspan(r * record_bytes, record_bytes))));
    }
    entry.submissions.push_back({i, static_cast<uint32_t>(count), sealed, first});
  }
}

}  // namespace tombola::shuffler
