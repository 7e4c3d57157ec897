// The numbers of a task about strings that nobody listed: how long they are, how they are cut into
// levels, and how many buckets a hash function has.
#ifndef TOMBOLA_COMMON_STRINGS_SHAPE_H_
#define TOMBOLA_COMMON_STRINGS_SHAPE_H_

#include <cstdint>

#include "absl/status/statusor.h"

namespace tombola::strings {

// The public hash functions of a task.
inline constexpr int64_t kFunctions = 256;

// A symbol, and the number of symbols before a level, are bytes of what is hashed.
inline constexpr int64_t kMostSymbols = 256;
inline constexpr int64_t kMostLength = 255;
inline constexpr int64_t kLeastRange = 64;
inline constexpr int64_t kMostRange = int64_t{1} << 24;
// The prefixes that one prefix is extended by.
inline constexpr int64_t kMostChildren = int64_t{1} << 32;

// No field has a usable default: zero is refused.
struct ShapeOptions {
  int64_t symbols = 0;  // of the alphabet, with "end" and "other": 3 to kMostSymbols
  int64_t length = 0;   // of a string at most, in symbols; 1 to kMostLength
  int64_t step = 0;     // symbols of a level; divides the length
  int64_t range = 0;    // buckets: a power of two, kLeastRange to kMostRange
  // Only whole strings are hashed: one level, at which only a dictionary can be looked up.
  bool whole = false;
};

// A string is `length` symbols, padded with "end"; its prefix at level v, from 0, is the first
// Through(v) of them, of which the last `step` are the level's own. Immutable, a value.
class Shape {
 public:
  // InvalidArgument naming the field ("strings.step", ...) and its bound.
  static absl::StatusOr<Shape> Create(const ShapeOptions& options);

  int64_t symbols() const { return options_.symbols; }
  int64_t length() const { return options_.length; }
  int64_t step() const { return options_.step; }
  int64_t range() const { return options_.range; }
  int range_bits() const { return range_bits_; }
  bool whole() const { return options_.whole; }
  int64_t levels() const { return options_.whole ? 1 : options_.length / options_.step; }
  // The symbols up to a level, and those before it.
  int64_t Through(int64_t level) const {
    return options_.whole ? options_.length : (level + 1) * options_.step;
  }
  int64_t Before(int64_t level) const { return Through(level) - options_.step; }
  // symbols^step: the keys that follow those of one prefix, consecutive at the next level.
  int64_t children() const { return children_; }
  // Those of them that are prefixes of strings: nothing but "end" follows "end".
  int64_t valid_children() const { return valid_children_; }

 private:
  Shape(const ShapeOptions& options, int64_t children);

  ShapeOptions options_;
  int range_bits_ = 0;
  int64_t children_ = 0;
  int64_t valid_children_ = 0;
};

}  // namespace tombola::strings

#endif  // TOMBOLA_COMMON_STRINGS_SHAPE_H_
