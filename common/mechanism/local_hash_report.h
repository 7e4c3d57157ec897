// The plaintext reports of local hashing and their bytes.
#ifndef TOMBOLA_COMMON_MECHANISM_LOCAL_HASH_REPORT_H_
#define TOMBOLA_COMMON_MECHANISM_LOCAL_HASH_REPORT_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

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
bool Read(absl::Span<const uint8_t> bytes, PlaneReport* report);
bool Read(absl::Span<const uint8_t> bytes, AffineReport* report);

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_MECHANISM_LOCAL_HASH_REPORT_H_
