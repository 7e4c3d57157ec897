// Appends commits to a held log.
#ifndef TOMBOLA_SHUFFLER_LOG_LOG_WRITER_H_
#define TOMBOLA_SHUFFLER_LOG_LOG_WRITER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/disk/file.h"
#include "shuffler/disk/fault.h"
#include "shuffler/log/log_format.h"
#include "shuffler/store/amounts.h"

namespace tombola::shuffler {

// A log as far as it is known to be good.
struct LogInfo {
  std::string path;
  LogHeader header;
  int64_t end = 0;  // of the last frame; the file may go on with zeros
  uint32_t frames = 0;
  Amounts amounts;
  bool ended = false;  // its last frame is an empty one: see EndLog
  int64_t cut = 0;     // bytes of a torn frame that recovery took off
};

// Not thread-safe. One append is one write and one sync; the disk space is taken in steps before.
class LogWriter {
 public:
  // A new, durable, empty log in `directory`, which is made if need be.
  static absl::StatusOr<std::unique_ptr<LogWriter>> Create(const std::string& directory,
                                                           const LogHeader& header,
                                                           const Fault& fault);

  // OK: the frame is on disk. Otherwise nothing of it counts: either it was cut off again, durably,
  // and the log can be used on, or broken() is true and only recovery can tell what it holds.
  absl::Status Append(FrameBuilder& frame, int64_t duplicates);

  bool broken() const { return broken_; }
  const LogInfo& info() const { return info_; }

 private:
  LogWriter(File file, LogInfo info, Fault fault)
      : file_(std::move(file)), info_(std::move(info)), fault_(std::move(fault)) {}
  absl::Status Reserve(int64_t end);
  absl::Status Write(absl::Span<const uint8_t> bytes);

  const File file_;
  LogInfo info_;
  const Fault fault_;
  int64_t reserved_ = 0;
  bool broken_ = false;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_LOG_LOG_WRITER_H_
