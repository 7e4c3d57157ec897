// The tags of protobuf fields of fixed width, which are a byte each; a little-endian word follows.
#ifndef TOMBOLA_COMMON_TABLE_FIXED_FIELDS_H_
#define TOMBOLA_COMMON_TABLE_FIXED_FIELDS_H_

#include <cstdint>

namespace tombola::mechanism {

// A tag is the field number (1 to 15) times 8 plus the wire type: 5 for fixed32 and sfixed32, 1 for
// fixed64.
constexpr uint8_t Fixed32Tag(int field) { return static_cast<uint8_t>(field << 3 | 5); }
constexpr uint8_t Fixed64Tag(int field) { return static_cast<uint8_t>(field << 3 | 1); }

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_TABLE_FIXED_FIELDS_H_
