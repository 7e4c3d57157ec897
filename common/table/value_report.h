// The plaintext reports that name a value, and their bytes.
#ifndef TOMBOLA_COMMON_TABLE_VALUE_REPORT_H_
#define TOMBOLA_COMMON_TABLE_VALUE_REPORT_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "common/base/encoding.h"
#include "common/table/fixed_fields.h"

namespace tombola::mechanism {

// Each layout is a tag byte and a little-endian word: at once a record of fixed length and the
// serialised protobuf message of the same name.
struct ValueReport {
  static constexpr size_t kBytes = 5;
  uint32_t value = 0;
};

struct SignedReport {
  static constexpr size_t kBytes = 5;
  // v + 1 says value v once more, -(v + 1) once less; never 0.
  int32_t change = 0;
};

// out.size() == kBytes.
void Write(const ValueReport& report, absl::Span<uint8_t> out);
void Write(const SignedReport& report, absl::Span<uint8_t> out);

// False, with *report unspecified, if the length or the tag byte is wrong. Says nothing about
// bounds, which belong to a mechanism's domain.
inline bool Read(absl::Span<const uint8_t> bytes, ValueReport* report) {
  if (bytes.size() != ValueReport::kBytes || bytes[0] != Fixed32Tag(1)) return false;
  report->value = LoadNumber<uint32_t>(&bytes[1]);
  return true;
}
inline bool Read(absl::Span<const uint8_t> bytes, SignedReport* report) {
  if (bytes.size() != SignedReport::kBytes || bytes[0] != Fixed32Tag(1)) return false;
  report->change = static_cast<int32_t>(LoadNumber<uint32_t>(&bytes[1]));
  return true;
}

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_TABLE_VALUE_REPORT_H_
