#include "shuffler/embedded/detached_logs.h"

#include "common/base/status_macros.h"
#include "shuffler/digests/digest.h"
#include "shuffler/embedded/held_reports.h"
#include "shuffler/embedded/node_reports.h"

namespace tombola::shuffler {

DetachedLogs::~DetachedLogs() {
  if (sorter_.joinable()) sorter_.join();
  if (!settled_) inventory_.Return(leaving_);
}

absl::StatusOr<DetachedTotals> DetachedLogs::Read(const ReportsTo& to) {
  const Amounts& accepted = leaving_.amounts;
  if (leaving_.logs.front().header.of_node()) {
    return ReadNode(leaving_.logs, accepted, threads_, to);
  }
  TOMBOLA_ASSIGN_OR_RETURN(HeldReports held, ReadHeld(leaving_.logs, threads_, to));
  TOMBOLA_RETURN_IF_ERROR(CheckComplete(held, accepted));
  digests_ = std::move(held.digests);
  // While the reports are permuted, and the disk is waited for.
  sorter_ = std::thread([this] {
    for (auto& [window, digests] : digests_) SortDigests(absl::MakeSpan(digests), threads_);
  });
  return DetachedTotals{.submissions = held.submissions,
                        .reports = held.reports,
                        .duplicates = accepted.duplicates,
                        .digest_sum = held.sum};
}

DigestsByWindow& DetachedLogs::SortedDigests() {
  if (sorter_.joinable()) sorter_.join();
  return digests_;
}

}  // namespace tombola::shuffler
