#include "collector/audit/audit_log.h"

#include <fcntl.h>

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

constexpr size_t kMostText = 256;  // of what somebody called something

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
      worker_(std::make_unique<Worker>("audit", absl::Seconds(1), [this] {
        Unfold(/*all=*/false);
        Write();
      })) {}

AuditLog::~AuditLog() {
  worker_->Stop();
  Unfold(/*all=*/true);
  Write();
}

std::string AuditLog::Line(const AuditEntry& entry, int64_t times) const {
  Json line = {
      {"time", absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", clock_->Now(), absl::UTCTimeZone())},
      {"who", entry.who},
      {"act", entry.act}};
  for (const auto& [name, text] : entry.about) {
    line[name] = text.size() <= kMostText ? text : absl::StrCat(text.substr(0, kMostText), "...");
  }
  if (times != 1) line["times"] = times;
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

void AuditLog::Note(const AuditEntry& entry) {
  std::string key = absl::StrCat(entry.who, "\n", entry.act, "\n",
                                 absl::StatusCodeToString(entry.outcome.code()));
  if (entry.outcome.ok()) {
    for (const auto& [name, text] : entry.about) absl::StrAppend(&key, "\n", name, "=", text);
  }
  {
    MutexLock lock(mutex_);
    const auto [it, fresh] =
        folded_.try_emplace(std::move(key), Folded{.entry = entry, .since = clock_->Now()});
    if (!fresh) {
      ++it->second.times;
      return;
    }
  }
  Add(Line(entry));
}

void AuditLog::Unfold(bool all) {
  std::vector<Folded> over;
  {
    MutexLock lock(mutex_);
    for (auto it = folded_.begin(); it != folded_.end();) {
      const auto here = it++;
      // One from the future is of a clock that has been put right.
      const absl::Duration age = clock_->Now() - here->second.since;
      if (!all && age >= absl::ZeroDuration() && age < kFoldedFor) continue;
      if (here->second.times > 0) over.push_back(std::move(here->second));
      folded_.erase(here);
    }
  }
  for (const Folded& folded : over) Add(Line(folded.entry, folded.times));
}

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
