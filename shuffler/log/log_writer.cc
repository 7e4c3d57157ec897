#include "shuffler/log/log_writer.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/encoding.h"
#include "common/base/status_macros.h"
#include "common/disk/directory.h"
#include "common/disk/whole_file.h"

namespace tombola::shuffler {
namespace {

// Space is taken in steps that grow with the log, so that many small logs cost little.
constexpr int64_t kSmallestStep = int64_t{1} << 20;
constexpr int64_t kLargestStep = int64_t{16} << 20;

}  // namespace

absl::StatusOr<std::unique_ptr<LogWriter>> LogWriter::Create(const std::string& directory,
                                                             const LogHeader& header,
                                                             const Fault& fault) {
  TOMBOLA_RETURN_IF_ERROR(FaultAt(fault, "log/create"));
  TOMBOLA_RETURN_IF_ERROR(MakeDirectory(directory));
  LogInfo info;
  info.path = absl::StrCat(directory, "/", LogName(header.of, header.sequence));
  info.header = header;
  const std::string bytes = EncodeLogHeader(header);
  info.end = static_cast<int64_t>(bytes.size());
  // A log has its name only once its header is on disk.
  TOMBOLA_RETURN_IF_ERROR(WriteDraft(info.path, bytes));
  TOMBOLA_RETURN_IF_ERROR(AdoptDraft(info.path));
  TOMBOLA_ASSIGN_OR_RETURN(File file, File::OpenToWrite(info.path));
  return std::unique_ptr<LogWriter>(new LogWriter(std::move(file), std::move(info), fault));
}

absl::Status LogWriter::Append(FrameBuilder& frame, int64_t duplicates) {
  TOMBOLA_CHECK(!broken_);
  const auto counted =
      static_cast<uint32_t>(std::min<int64_t>(duplicates, std::numeric_limits<uint32_t>::max()));
  const absl::Span<const uint8_t> bytes = frame.Finish(info_.frames, counted, info_.header.salt);
  TOMBOLA_RETURN_IF_ERROR(Reserve(info_.end + static_cast<int64_t>(bytes.size())));
  TOMBOLA_RETURN_IF_ERROR(Write(bytes));
  info_.end += static_cast<int64_t>(bytes.size());
  ++info_.frames;
  info_.amounts += {frame.submissions(), frame.reports(), counted};
  return absl::OkStatus();
}

absl::Status LogWriter::Reserve(int64_t end) {
  if (end <= reserved_) return absl::OkStatus();
  const int64_t step = std::clamp(reserved_, kSmallestStep, kLargestStep);
  const int64_t generous = std::max(end, reserved_ + step);
  absl::Status status = file_.Preallocate(generous);
  if (status.ok()) {
    reserved_ = generous;
    return status;
  }
  TOMBOLA_RETURN_IF_ERROR(file_.Preallocate(end));
  reserved_ = end;
  return absl::OkStatus();
}

absl::Status LogWriter::Write(absl::Span<const uint8_t> bytes) {
  absl::Status written = FaultAt(fault_, "log/write");
  if (written.ok()) written = file_.WriteAt(info_.end, bytes);
  if (!written.ok()) {
    absl::Status cut = FaultAt(fault_, "log/cut");
    if (cut.ok()) cut = file_.Truncate(info_.end);
    if (cut.ok()) cut = file_.SyncData();
    reserved_ = info_.end;
    broken_ = !cut.ok();
    return written;
  }
  absl::Status synced = FaultAt(fault_, "log/sync");
  if (synced.ok()) synced = file_.SyncData();
  // The kernel may have dropped the pages and forgotten the error: a second sync proves nothing.
  broken_ = !synced.ok();
  return synced;
}

}  // namespace tombola::shuffler
