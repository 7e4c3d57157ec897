#include "shuffler/embedded/entry.h"

#include "absl/strings/str_cat.h"
#include "common/crypto/report_digest.h"
#include "shuffler/log/log_format.h"

namespace tombola::shuffler {
namespace {

size_t Submissions(const SubmitBatch& call) {
  return call.submission_ids.size() / kSubmissionIdBytes;
}

size_t ReportsOf(const SubmitBatch& call, size_t index) {
  return call.report_counts.empty() ? 1 : call.report_counts[index];
}

}  // namespace

absl::Status CheckLengths(const SubmitBatch& call, const TaskShape& shape) {
  if (call.submission_ids.size() % kSubmissionIdBytes != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("submission_ids has ", call.submission_ids.size(),
                     " bytes, not a multiple of ", kSubmissionIdBytes));
  }
  const size_t submissions = Submissions(call);
  if (!call.report_counts.empty() && call.report_counts.size() != submissions) {
    return absl::InvalidArgumentError(absl::StrCat("report_counts has ", call.report_counts.size(),
                                                   " entries for ", submissions, " submissions"));
  }
  uint64_t reports = 0;  // 2^32 counts below 2^32 do not overflow it
  for (size_t i = 0; i < submissions; ++i) reports += ReportsOf(call, i);
  const auto sealed_bytes = static_cast<uint64_t>(shape.sealed_bytes);
  if (call.sealed_reports.size() % sealed_bytes != 0 ||
      call.sealed_reports.size() / sealed_bytes != reports) {
    return absl::InvalidArgumentError(absl::StrCat("sealed_reports has ",
                                                   call.sealed_reports.size(), " bytes for ",
                                                   reports, " reports of ", sealed_bytes));
  }
  return absl::OkStatus();
}

int64_t QueuedBytes(const SubmitBatch& call, const TaskShape& shape) {
  const size_t submissions = Submissions(call);
  const size_t reports = call.sealed_reports.size() / static_cast<size_t>(shape.sealed_bytes);
  // Twice the reports: the caller's and those in the frame.
  return static_cast<int64_t>(
      sizeof(Entry) + 2 * call.sealed_reports.size() + (submissions + reports) * sizeof(Digest) +
      submissions * (kSubmissionIdBytes + sizeof(EntrySubmission) + kSubmissionHeaderBytes));
}

void DigestEntry(Entry& entry) {
  const SubmitBatch& call = entry.call;
  const auto record_bytes = static_cast<size_t>(entry.shape.sealed_bytes);
  const size_t submissions = Submissions(call);
  entry.digests.reserve(submissions + call.sealed_reports.size() / record_bytes);
  entry.submissions.reserve(submissions);
  entry.outcomes.assign(submissions, Outcome::kRejected);
  absl::Span<const uint8_t> rest = call.sealed_reports;
  for (size_t i = 0; i < submissions; ++i) {
    const size_t count = ReportsOf(call, i);
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
    entry.submissions.push_back({i, static_cast<uint16_t>(count), sealed, first});
  }
}

}  // namespace tombola::shuffler
