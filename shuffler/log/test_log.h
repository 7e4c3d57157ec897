// A log's submissions one by one, for tests.
#ifndef TOMBOLA_SHUFFLER_LOG_TEST_LOG_H_
#define TOMBOLA_SHUFFLER_LOG_TEST_LOG_H_

#include <string>

#include "common/base/status_macros.h"
#include "shuffler/log/log_reader.h"

namespace tombola::shuffler {

// What ReadLogChunks and RecoverLogChunks take, out of a function of one SubmissionView, which must
// outlive it.
template <typename Visit>
VisitChunk OneByOne(int64_t sealed_bytes, const Visit& visit) {
  return [sealed_bytes, &visit](FrameChunk& chunk) {
    for (const FrameChunk::Frame& frame : chunk.frames) {
      ForEachGroup(chunk.Payload(frame), frame.submissions,
                   {.sealed_bytes = static_cast<size_t>(sealed_bytes)},
                   [&](size_t, const SubmissionView& submission) { visit(submission); });
    }
    return absl::OkStatus();
  };
}

template <typename Visit>
absl::Status ReadLog(const LogInfo& info, const Visit& visit) {
  return ReadLogChunks(info, OneByOne(info.header.sealed_bytes, visit));
}

template <typename Visit>
absl::StatusOr<LogInfo> RecoverLog(const std::string& path, const Visit& visit) {
  TOMBOLA_ASSIGN_OR_RETURN(const LogHeader header, ReadLogHeader(path));
  return RecoverLogChunks(path, OneByOne(header.sealed_bytes, visit));
}

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_LOG_TEST_LOG_H_
