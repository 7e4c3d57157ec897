// The bytes of protobuf fields of fixed width: a tag byte and a little-endian word.
#ifndef TOMBOLA_COMMON_TABLE_FIXED_FIELDS_H_
#define TOMBOLA_COMMON_TABLE_FIXED_FIELDS_H_

#include <cstddef>
#include <cstdint>

namespace tombola::mechanism {

// A tag is the field number (1 to 15) times 8 plus the wire type: 5 for fixed32 and sfixed32, 1 for
// fixed64.
constexpr uint8_t Fixed32Tag(int field) { return static_cast<uint8_t>(field << 3 | 5); }
constexpr uint8_t Fixed64Tag(int field) { return static_cast<uint8_t>(field << 3 | 1); }

// Both take sizeof(Word) bytes; Word is unsigned.
template <typename Word>
void PutWord(Word word, uint8_t* out) {
  for (size_t i = 0; i < sizeof(Word); ++i) out[i] = static_cast<uint8_t>(word >> (8 * i));
}

template <typename Word>
Word GetWord(const uint8_t* in) {
  Word word = 0;
  for (size_t i = 0; i < sizeof(Word); ++i) word |= static_cast<Word>(in[i]) << (8 * i);
  return word;
}

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_TABLE_FIXED_FIELDS_H_
