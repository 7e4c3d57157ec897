// The 256 public hash functions of a task, and the keys that they hash: prefixes of strings.
//
// A prefix at level v has a first part, what stood at level v - 1, and `step` symbols of its own.
// Its key is a hash of the first part plus its own symbols as a number, so that the extensions of a
// prefix have consecutive keys, and trying them all takes one addition each. Keys are hashes
// because packed numbers would not do: two keys that differ by 2^j with j > 64 - range_bits meet
// with probability 2^(j - 64), not 1/range.
#ifndef TOMBOLA_COMMON_STRINGS_PUBLIC_FUNCTIONS_H_
#define TOMBOLA_COMMON_STRINGS_PUBLIC_FUNCTIONS_H_

#include <array>
#include <cstdint>

#include "absl/types/span.h"
#include "common/base/ids.h"
#include "common/strings/shape.h"

namespace tombola::strings {

// x -> the leading bits of multiplier * x + offset mod 2^64.
struct PublicFunction {
  uint64_t multiplier = 0;
  uint64_t offset = 0;

  uint64_t Line(uint64_t key) const { return multiplier * key + offset; }
  // 1 <= range_bits <= 32.
  uint32_t Bucket(uint64_t key, int range_bits) const {
    return static_cast<uint32_t>(Line(key) >> (64 - range_bits));
  }
};

// Immutable and thread-safe; holds nothing secret.
class PublicFunctions {
 public:
  PublicFunctions(const TaskId& task, const Shape& shape);

  const Shape& shape() const { return shape_; }
  absl::Span<const PublicFunction> functions() const { return functions_; }

  // The first of the keys of the extensions of `parent`, which is what stands before `level`:
  // shape().Before(level) symbols. The first eight bytes, big-endian, of
  // SHA-256("tombola/v1/prefix" | task id | level | number of symbols | symbols).
  uint64_t FirstKey(int64_t level, absl::Span<const uint8_t> parent) const;
  // The key of a string's prefix; `symbols` has at least shape().Through(level) of
  // them.
  uint64_t Key(int64_t level, absl::Span<const uint8_t> symbols) const;

  // function in [0, kFunctions).
  uint32_t Bucket(int64_t function, uint64_t key) const {
    return functions_[static_cast<size_t>(function)].Bucket(key, shape_.range_bits());
  }

 private:
  TaskId task_;
  Shape shape_;
  // Multiplier and offset of function j are the first and second eight bytes, big-endian, of
  // SHA-256("tombola/v1/function" | task id | j as two bytes, big-endian).
  std::array<PublicFunction, kFunctions> functions_;
};

// A level's own symbols as a number, and back: base `symbols`, the first being the most
// significant.
uint64_t OwnNumber(absl::Span<const uint8_t> own, int64_t symbols);
void OwnSymbols(uint64_t number, int64_t symbols, absl::Span<uint8_t> own);

}  // namespace tombola::strings

#endif  // TOMBOLA_COMMON_STRINGS_PUBLIC_FUNCTIONS_H_
