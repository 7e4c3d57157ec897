#include "shuffler/embedded/node_reports.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "common/base/status_macros.h"
#include "common/crypto/report_digest.h"
#include "shuffler/digests/digest.h"
#include "shuffler/embedded/held_reports.h"
#include "shuffler/log/log_reader.h"

namespace tombola::shuffler {
namespace {

using DigestSet = absl::flat_hash_set<Digest>;

// Those that are there more than once.
DigestSet Repeated(DigestsByWindow& digests, size_t threads) {
  DigestSet repeated;
  for (auto& [window, all] : digests) {
    SortDigests(absl::MakeSpan(all), threads);
    for (auto at = std::adjacent_find(all.begin(), all.end()); at != all.end();
         at = std::adjacent_find(at + 1, all.end())) {
      repeated.insert(*at);
    }
  }
  return repeated;
}

// Reads one group after the other and passes on those without a report that was there before.
class DistinctGroups {
 public:
  DistinctGroups(const DigestSet& repeated, const ReportsTo& to)
      : repeated_(repeated), to_(to), room_(to.memory) {}

  absl::Status AddChunk(const LogHeader& header, const FrameChunk& chunk) {
    absl::Status status;
    for (const FrameChunk::Frame& frame : chunk.frames) {
      ForEachGroup(chunk.Payload(frame), frame.submissions, LayoutOf(header),
                   [&](size_t, const SubmissionView& group) {
                     if (status.ok()) status = Add(header, group.reports);
                   });
    }
    return status;
  }
  const DetachedTotals& totals() const { return totals_; }

 private:
  absl::Status Add(const LogHeader& header, absl::Span<const uint8_t> reports) {
    const auto record_bytes = static_cast<size_t>(header.sealed_bytes);
    crypto::DigestSum sum;
    std::vector<Digest> watched;
    for (auto rest = reports; !rest.empty(); rest.remove_prefix(record_bytes)) {
      const crypto::Sha256Digest digest =
          crypto::ReportDigest(header.of.task, header.of.key, rest.first(record_bytes));
      sum.Add(digest);
      if (repeated_.contains(Cut(digest))) watched.push_back(Cut(digest));
    }
    const auto is_known = [&](const Digest& digest) { return known_.contains(digest); };
    if (std::any_of(watched.begin(), watched.end(), is_known)) {
      ++totals_.duplicates;
      return absl::OkStatus();
    }
    known_.insert(watched.begin(), watched.end());
    ++totals_.submissions;
    totals_.reports += static_cast<int64_t>(reports.size() / record_bytes);
    totals_.digest_sum.Add(sum);
    if (to_.take) return to_.take(reports);
    if (room_.data() != nullptr) {
      std::memcpy(room_.data(), reports.data(), reports.size());
      room_.remove_prefix(reports.size());
    }
    return absl::OkStatus();
  }

  const DigestSet& repeated_;
  const ReportsTo& to_;
  absl::Span<uint8_t> room_;
  DigestSet known_;
  DetachedTotals totals_;
};

}  // namespace

absl::StatusOr<DetachedTotals> ReadNode(absl::Span<const LogInfo> logs, const Amounts& accepted,
                                        size_t threads, const ReportsTo& to) {
  // What has been handed over cannot be taken back; what lies in memory can be written again.
  TOMBOLA_ASSIGN_OR_RETURN(HeldReports held, ReadHeld(logs, threads, {.memory = to.memory}));
  TOMBOLA_RETURN_IF_ERROR(CheckComplete(held, accepted));
  const DigestSet repeated = Repeated(held.digests, threads);
  held.digests.clear();
  if (repeated.empty()) {
    if (to.take) TOMBOLA_RETURN_IF_ERROR(ReadHeld(logs, threads, to).status());
    return DetachedTotals{.submissions = held.submissions,
                          .reports = held.reports,
                          .duplicates = accepted.duplicates,
                          .digest_sum = held.sum};
  }
  DistinctGroups groups(repeated, to);
  for (const LogInfo& log : logs) {
    TOMBOLA_RETURN_IF_ERROR(
        ReadLogChunks(log, [&](FrameChunk& chunk) { return groups.AddChunk(log.header, chunk); }));
  }
  DetachedTotals totals = groups.totals();
  totals.duplicates += accepted.duplicates;
  return totals;
}

}  // namespace tombola::shuffler
