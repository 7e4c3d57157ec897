// Counts of those cells that occur, where there are too many cells to count them all.
#ifndef TOMBOLA_COLLECTOR_AGGREGATE_SPARSE_CELLS_H_
#define TOMBOLA_COLLECTOR_AGGREGATE_SPARSE_CELLS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "common/base/encoding.h"

namespace tombola::collector {

// A cell of which there are reports.
struct CellCount {
  uint64_t cell = 0;
  int64_t count = 0;

  friend bool operator==(const CellCount& a, const CellCount& b) {
    return a.cell == b.cell && a.count == b.count;
  }
};

// Cells ascend, here and below.
using SparseCells = std::vector<CellCount>;

SparseCells Sum(absl::Span<const CellCount> a, absl::Span<const CellCount> b);

// For each cell its distance from the one before, of the first from -1, and its count, as numbers
// of seven bits a byte, the lowest first, whose last byte is below 128: two bytes a cell where they
// lie close.
void PutSparse(const SparseCells& cells, std::string& out);
// `count` of them off the front; empty, and the decoder not ok(), where there are none such: cells
// ascend below 2^63 and counts are at least 1.
SparseCells TakeSparse(size_t count, Decoder& decoder);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_AGGREGATE_SPARSE_CELLS_H_
