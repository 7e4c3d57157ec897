// All extensions of some prefixes by one level, and which of them stand out.
#ifndef TOMBOLA_COLLECTOR_DECODE_LEVEL_SEARCH_H_
#define TOMBOLA_COLLECTOR_DECODE_LEVEL_SEARCH_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "collector/decode/capped_cells.h"
#include "common/strings/alphabet.h"
#include "common/strings/public_functions.h"

namespace tombola::collector {

// The symbols of some whole levels, and how much speaks for them at the last one.
struct FoundPrefix {
  strings::Symbols symbols;
  int64_t statistic = 0;
};

// The more there is for a prefix the earlier it comes; what is alike is in the order of symbols.
bool ComesBefore(const FoundPrefix& a, const FoundPrefix& b);

struct LevelQuestion {
  const strings::PublicFunctions* functions = nullptr;
  const CappedCells* cells = nullptr;  // of `level`
  int64_t level = 0;
  int64_t threshold = 1;  // the least statistic that stands out, >= 1
  absl::Span<const FoundPrefix> parents;
  int threads = 1;
  // Told of every piece of work how many tests it was, from any of the threads and at once; false
  // ends the search.
  std::function<bool(int64_t tests)> advance;
};

// Those extensions whose statistic reaches the threshold and that are prefixes of strings, in
// order. Candidates are dropped early by DropBelow. Cancelled if advance() said so.
absl::StatusOr<std::vector<FoundPrefix>> SearchLevel(const LevelQuestion& question);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_DECODE_LEVEL_SEARCH_H_
