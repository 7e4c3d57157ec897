// How often each cell of a task about strings was reported: all that is kept of its reports.
#ifndef TOMBOLA_COLLECTOR_AGGREGATE_STRING_COUNTS_H_
#define TOMBOLA_COLLECTOR_AGGREGATE_STRING_COUNTS_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "collector/aggregate/sparse_cells.h"
#include "common/strings/report.h"
#include "common/strings/shape.h"

namespace tombola::collector {

// Immutable and thread-safe; as large as there are different reports.
class StringCounts {
 public:
  explicit StringCounts(const strings::Shape& shape) : shape_(shape) {}
  // InvalidArgument unless cells ascend, are the shape's, and have a count of at least 1.
  static absl::StatusOr<StringCounts> FromCells(const strings::Shape& shape,
                                                std::vector<CellCount> cells);

  const strings::Shape& shape() const { return shape_; }
  // Cells are (level * kFunctions + function) * range + bucket.
  absl::Span<const CellCount> cells() const { return cells_; }
  // Those of one level; their cells count on from Base(level).
  absl::Span<const CellCount> Level(int64_t level) const;
  uint64_t Base(int64_t level) const;
  // The same, once: they are not kept.
  SparseCells TakeCells() && { return std::move(cells_); }
  int64_t reports() const { return reports_; }

  // The counts of both. Their shapes must be alike.
  StringCounts Plus(const StringCounts& other) const;

 private:
  friend class StringTally;
  StringCounts(const strings::Shape& shape, std::vector<CellCount> cells);

  strings::Shape shape_;
  std::vector<CellCount> cells_;
  int64_t reports_ = 0;
};

// Counts reports. Not thread-safe: one a thread, and Plus at the end.
class StringTally {
 public:
  explicit StringTally(const strings::Shape& shape) : counted_(shape) {}

  // The report must be within the shape's bounds, as what ReadStringReport returns.
  void Add(const strings::StringReport& report);
  // What was added since it was made or last taken.
  StringCounts Take();

 private:
  void Settle();

  StringCounts counted_;
  std::vector<uint64_t> fresh_;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_AGGREGATE_STRING_COUNTS_H_
