#include "collector/audit/audit_log.h"

#include <fcntl.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/base/status_macros.h"
#include "common/disk/file.h"
#include "common/json/text.h"
#include "common/log/log.h"

namespace tombola::collector {
namespace {

// The file under that name, made if need be.
absl::StatusOr<File> OpenFile(const std::string& path) {
  absl::StatusOr<File> made = File::CreateNew(path);
  return absl::IsAlreadyExists(made.status()) ? File::OpenToWrite(path) : std::move(made);
}

absl::Status Append(const std::string& path, const std::string& text) {
  TOMBOLA_ASSIGN_OR_RETURN(const File file, OpenFile(path));
  TOMBOLA_ASSIGN_OR_RETURN(const int64_t size, file.Size());
  absl::Status status = file.WriteAt(
      size, absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
  if (status.ok()) status = file.SyncData();
  // Half a line would spoil the next one.
  if (!status.ok()) file.Truncate(size).IgnoreError();
  return status;
}

}  // namespace

absl::StatusOr<std::unique_ptr<AuditLog>> AuditLog::Open(std::string path, const Clock* clock) {
  TOMBOLA_RETURN_IF_ERROR(OpenFile(path).status());
  return std::unique_ptr<AuditLog>(new AuditLog(std::move(path), clock));
}

AuditLog::AuditLog(std::string path, const Clock* clock)
    : path_(std::move(path)),
      clock_(clock),
      worker_(std::make_unique<Worker>("audit", absl::Seconds(1), [this] { Write(); })) {}

AuditLog::~AuditLog() {
  worker_->Stop();
  Write();
}

std::string AuditLog::Line(const AuditEntry& entry) const {
  Json line = {
      {"time", absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", clock_->Now(), absl::UTCTimeZone())},
      {"who", entry.who},
      {"act", entry.act}};
  for (const auto& [name, text] : entry.about) line[name] = text;
  line["outcome"] = absl::StatusCodeToString(entry.outcome.code());
  return absl::StrCat(ToText(line), "\n");
}

void AuditLog::Add(std::string line) {
  MutexLock lock(mutex_);
  if (waiting_.size() < kMostWaiting) {
    waiting_.push_back(std::move(line));
  } else {
    ++dropped_;
  }
}

void AuditLog::Record(const AuditEntry& entry) {
  Add(Line(entry));
  Write();
}

void AuditLog::Note(const AuditEntry& entry) { Add(Line(entry)); }

void AuditLog::Write() {
  MutexLock writing(writing_);
  std::vector<std::string> lines;
  int64_t dropped = 0;
  {
    MutexLock lock(mutex_);
    lines.swap(waiting_);
    dropped = std::exchange(dropped_, 0);
  }
  if (dropped > 0) {
    lines.push_back(Line({.who = "tombola-collector",
                          .act = "dropped",
                          .about = {{"entries", absl::StrCat(dropped)}},
                          .outcome = absl::DataLossError("the disk failed for too long")}));
  }
  if (lines.empty()) return;
  const absl::Status status = Append(path_, absl::StrJoin(lines, ""));
  // Once when it begins, not every second.
  if (!std::exchange(failing_, !status.ok()) && !status.ok()) {
    log::Error("audit_failed", {{"status", status.ToString()}});
  }
  if (status.ok()) return;
  MutexLock lock(mutex_);
  lines.insert(lines.end(), std::make_move_iterator(waiting_.begin()),
               std::make_move_iterator(waiting_.end()));
  waiting_ = std::move(lines);
  if (waiting_.size() > kMostWaiting) {
    dropped_ += static_cast<int64_t>(waiting_.size() - kMostWaiting);
    waiting_.resize(kMostWaiting);
  }
}

}  // namespace tombola::collector
