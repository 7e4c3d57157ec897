// The frame of the store's small files and of its files' headers:
//   8 bytes  kind    what it is, in letters
//   u32      version
//   u32      length of the body
//   body
//   u32      CRC-32C of everything before
#ifndef TOMBOLA_SHUFFLER_DISK_RECORD_H_
#define TOMBOLA_SHUFFLER_DISK_RECORD_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tombola::shuffler {

inline constexpr size_t kRecordOverhead = 20;

// `kind` has 8 letters.
std::string WrapRecord(absl::string_view kind, absl::string_view body);

// The body, which lies in `bytes`. DataLoss, with `path` and the cause, if the bytes are not
// exactly one whole record of this kind and of a version that this program reads.
absl::StatusOr<absl::Span<const uint8_t>> UnwrapRecord(absl::string_view kind,
                                                       absl::Span<const uint8_t> bytes,
                                                       absl::string_view path);

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_DISK_RECORD_H_
