// Reads held logs: strictly what is known to be good, or after a restart as far as it is good.
#ifndef TOMBOLA_SHUFFLER_LOG_LOG_READER_H_
#define TOMBOLA_SHUFFLER_LOG_LOG_READER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "shuffler/log/frame_reader.h"
#include "shuffler/log/log_format.h"
#include "shuffler/log/log_writer.h"

namespace tombola::shuffler {

// DataLoss if it is damaged.
absl::StatusOr<LogHeader> ReadLogHeader(const std::string& path);

// Visits every submission of the log, many frames at a time and in the order of the commits.
// DataLoss, with file and offset, unless every frame up to info.end is whole.
absl::Status ReadLogChunks(const LogInfo& info, const VisitChunk& visit);

// What a log holds after a restart; visits every submission. A commit is synced before the next one
// is written, so only the last frame can be torn: a bad frame with nothing but zeros after it, or
// whose header is bad as well and no other frame follows, was never acknowledged and is cut off.
// Zeros after the last frame are space taken in advance. Everything else that is bad is damage:
// DataLoss, with file and offset, and the file is left as it is. Damage to the last frame cannot be
// told from a torn one. What is left is synced, for a process may have died before it did.
absl::StatusOr<LogInfo> RecoverLogChunks(const std::string& path, const VisitChunk& visit);

// Puts an empty frame at the end of a recovered log that has none. Nothing is ever appended to such
// a log, so from now on damage to any frame that holds something has a frame after it and is
// reported. A disk that has no room for it is no error: the log is as good as before.
void EndLog(LogInfo& info);

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_LOG_LOG_READER_H_
