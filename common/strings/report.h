// What a device says about its string, and its bytes.
#ifndef TOMBOLA_COMMON_STRINGS_REPORT_H_
#define TOMBOLA_COMMON_STRINGS_REPORT_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/base/encoding.h"
#include "common/strings/shape.h"

namespace tombola::strings {

// A cell: the bucket of a prefix under a function. In six bytes: the level, the function, and the
// bucket, little-endian.
struct StringReport {
  static constexpr size_t kBytes = 6;

  uint8_t level = 0;
  uint8_t function = 0;
  uint32_t bucket = 0;

  friend bool operator==(const StringReport& a, const StringReport& b) {
    return a.level == b.level && a.function == b.function && a.bucket == b.bucket;
  }
};

// out.size() == kBytes.
void Write(const StringReport& report, absl::Span<uint8_t> out);

// Of kBytes bytes; says nothing about the fields' bounds, which belong to a shape.
inline StringReport LoadReport(absl::Span<const uint8_t> bytes) {
  return {.level = bytes[0], .function = bytes[1], .bucket = LoadNumber<uint32_t>(&bytes[2])};
}

// InvalidArgument, naming the field and its bound, unless there are kBytes bytes, the level is
// below the shape's levels and the bucket below its range. A function is any byte.
absl::StatusOr<StringReport> ReadStringReport(absl::Span<const uint8_t> bytes, const Shape& shape);

}  // namespace tombola::strings

#endif  // TOMBOLA_COMMON_STRINGS_REPORT_H_
