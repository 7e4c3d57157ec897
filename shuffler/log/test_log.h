// A log's submissions one by one, for tests.
#ifndef TOMBOLA_SHUFFLER_LOG_TEST_LOG_H_
#define TOMBOLA_SHUFFLER_LOG_TEST_LOG_H_

#include <cstddef>
#include <string>
#include <type_traits>

#include "common/base/status_macros.h"
#include "shuffler/log/log_reader.h"

namespace tombola::shuffler {

// What ReadLogChunks and RecoverLogChunks take, out of a function of one SubmissionView, or of a
// group's place in its submission and one; it must outlive what is returned.
template <typename Visit>
VisitChunk OneByOne(const FrameLayout& layout, const Visit& visit) {
  return [layout, &visit](FrameChunk& chunk) {
    for (const FrameChunk::Frame& frame : chunk.frames) {
      ForEachGroup(chunk.Payload(frame), frame.submissions, layout,
                   [&](size_t group, const SubmissionView& submission) {
                     if constexpr (std::is_invocable_v<Visit, size_t, const SubmissionView&>) {
                       visit(group, submission);
                     } else {
                       visit(submission);
                     }
                   });
    }
    return absl::OkStatus();
  };
}

template <typename Visit>
absl::Status ReadLog(const LogInfo& info, const Visit& visit) {
  return ReadLogChunks(info, OneByOne(LayoutOf(info.header), visit));
}

template <typename Visit>
absl::StatusOr<LogInfo> RecoverLog(const std::string& path, const Visit& visit) {
  TOMBOLA_ASSIGN_OR_RETURN(const LogHeader header, ReadLogHeader(path));
  return RecoverLogChunks(path, OneByOne(LayoutOf(header), visit));
}

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_LOG_TEST_LOG_H_
