#include "shuffler/embedded/held_reports.h"

#include <cstring>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "common/base/mutex.h"
#include "common/base/status_macros.h"
#include "shuffler/digests/digest.h"
#include "shuffler/embedded/work_line.h"
#include "shuffler/log/log_reader.h"

namespace tombola::shuffler {
namespace {

struct Item {
  LogHeader header;
  FrameChunk chunk;
  uint8_t* to = nullptr;  // where the reports go; null: nowhere
};

// Digests chunks on several threads and puts together what they find.
class Digester {
 public:
  Digester(size_t threads, int64_t expected_digests)
      : found_(threads), expected_(expected_digests) {}

  void Work(size_t worker, Item& item) {
    const FrameLayout layout = LayoutOf(item.header);
    // Only emptied: to get memory from the system for every chunk costs more than to fill it.
    HeldReports& found = found_[worker];
    found.submissions = found.reports = 0;
    found.sum = {};
    for (auto& [old, emptied] : found.digests) emptied.clear();
    uint32_t window = 0;
    std::vector<Digest>* digests = nullptr;  // the window's
    for (const FrameChunk::Frame& frame : item.chunk.frames) {
      ForEachGroup(item.chunk.Payload(frame), frame.submissions, layout,
                   [&](size_t, const SubmissionView& submission) {
                     if (digests == nullptr || submission.window != window) {
                       window = submission.window;
                       digests = &found.digests[window];
                     }
                     if (layout.ids) digests->push_back(submission.id);
                     for (auto rest = submission.reports; !rest.empty();
                          rest.remove_prefix(layout.sealed_bytes)) {
                       const crypto::Sha256Digest digest =
                           crypto::ReportDigest(item.header.of.task, item.header.of.key,
                                                rest.first(layout.sealed_bytes));
                       found.sum.Add(digest);
                       digests->push_back(Cut(digest));
                       ++found.reports;
                     }
                     ++found.submissions;
                     if (item.to == nullptr) return;
                     std::memcpy(item.to, submission.reports.data(), submission.reports.size());
                     item.to += submission.reports.size();
                   });
    }
    Add(found);
  }

  HeldReports Take() {
    MutexLock lock(mutex_);
    return std::move(all_);
  }

 private:
  void Add(const HeldReports& found) {
    MutexLock lock(mutex_);
    all_.submissions += found.submissions;
    all_.reports += found.reports;
    all_.sum.Add(found.sum);
    for (const auto& [window, digests] : found.digests) {
      if (digests.empty()) continue;
      std::vector<Digest>& all = all_.digests[window];
      // Room for all that can come: what is never written takes no memory, but growing would.
      if (all.empty() && expected_ > collected_) {
        all.reserve(static_cast<size_t>(expected_ - collected_));
      }
      all.insert(all.end(), digests.begin(), digests.end());
      collected_ += static_cast<int64_t>(digests.size());
    }
  }

  std::vector<HeldReports> found_;  // one a thread
  const int64_t expected_;
  Mutex mutex_;
  HeldReports all_ ABSL_GUARDED_BY(mutex_);
  int64_t collected_ ABSL_GUARDED_BY(mutex_) = 0;
};

absl::Status TakeAll(const FrameChunk& chunk, const FrameLayout& layout, const ReportsTo& to) {
  absl::Status taken;
  for (const FrameChunk::Frame& frame : chunk.frames) {
    ForEachGroup(chunk.Payload(frame), frame.submissions, layout,
                 [&](size_t, const SubmissionView& submission) {
                   if (taken.ok()) taken = to.take(submission.reports);
                 });
  }
  return taken;
}

}  // namespace

absl::StatusOr<HeldReports> ReadHeld(absl::Span<const LogInfo> logs, size_t threads,
                                     const ReportsTo& to) {
  int64_t expected = 0;
  for (const LogInfo& log : logs) expected += log.amounts.submissions + log.amounts.reports;
  Digester digester(threads, expected);
  WorkLine<Item> line(threads, [&](size_t worker, Item& item) { digester.Work(worker, item); });
  absl::Span<uint8_t> room = to.memory;
  for (const LogInfo& log : logs) {
    TOMBOLA_RETURN_IF_ERROR(ReadLogChunks(log, [&](FrameChunk& chunk) -> absl::Status {
      if (to.take) TOMBOLA_RETURN_IF_ERROR(TakeAll(chunk, LayoutOf(log.header), to));
      Item item = line.Spare();
      item.header = log.header;
      item.to = nullptr;
      if (to.memory.data() != nullptr) {
        const auto bytes = static_cast<size_t>(chunk.reports * log.header.sealed_bytes);
        if (bytes > room.size()) {
          return absl::DataLossError(absl::StrCat(log.path, " holds more than was accepted"));
        }
        item.to = room.data();
        room.remove_prefix(bytes);
      }
      std::swap(item.chunk, chunk);
      line.Add(std::move(item));
      return absl::OkStatus();
    }));
  }
  line.Finish();
  return digester.Take();
}

absl::Status CheckComplete(const HeldReports& found, const Amounts& accepted) {
  if (found.submissions == accepted.submissions && found.reports == accepted.reports) {
    return absl::OkStatus();
  }
  return absl::DataLossError(absl::StrCat("the logs hold ", found.submissions, " submissions with ",
                                          found.reports, " reports where ", accepted.submissions,
                                          " with ", accepted.reports, " were accepted"));
}

}  // namespace tombola::shuffler
