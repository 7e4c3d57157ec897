// The plaintext reports of local hashing and their bytes.
#ifndef TOMBOLA_COMMON_TABLE_LOCAL_HASH_REPORT_H_
#define TOMBOLA_COMMON_TABLE_LOCAL_HASH_REPORT_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "common/base/encoding.h"
#include "common/table/fixed_fields.h"

namespace tombola::mechanism {

// Each layout is a tag byte and a little-endian word for each field, in the order below: at once a
// record of fixed length and the serialised protobuf message of the same name.
struct PlaneReport {
  static constexpr size_t kBytes = 10;
  uint32_t function = 0;
  uint32_t bucket = 0;
};

struct AffineReport {
  static constexpr size_t kBytes = 23;
  uint64_t multiplier = 0;
  uint64_t offset = 0;
  uint32_t bucket = 0;
};

// out.size() == kBytes.
void Write(const PlaneReport& report, absl::Span<uint8_t> out);
void Write(const AffineReport& report, absl::Span<uint8_t> out);

// False, with *report unspecified, if the length or a tag byte is wrong. Says nothing about the
// fields' bounds, which belong to a mechanism's parameters.
inline bool Read(absl::Span<const uint8_t> bytes, PlaneReport* report) {
  if (bytes.size() != PlaneReport::kBytes) return false;
  if (bytes[0] != Fixed32Tag(1) || bytes[5] != Fixed32Tag(2)) return false;
  report->function = LoadNumber<uint32_t>(&bytes[1]);
  report->bucket = LoadNumber<uint32_t>(&bytes[6]);
  return true;
}

inline bool Read(absl::Span<const uint8_t> bytes, AffineReport* report) {
  if (bytes.size() != AffineReport::kBytes) return false;
  if (bytes[0] != Fixed64Tag(1) || bytes[9] != Fixed64Tag(2) || bytes[18] != Fixed32Tag(3)) {
    return false;
  }
  report->multiplier = LoadNumber<uint64_t>(&bytes[1]);
  report->offset = LoadNumber<uint64_t>(&bytes[10]);
  report->bucket = LoadNumber<uint32_t>(&bytes[19]);
  return true;
}

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_TABLE_LOCAL_HASH_REPORT_H_
