// What is left of a batch's reports: sums, for each table of its task.
#ifndef TOMBOLA_COLLECTOR_AGGREGATE_COUNTS_H_
#define TOMBOLA_COLLECTOR_AGGREGATE_COUNTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "collector/aggregate/hash_tally.h"
#include "collector/aggregate/sparse_cells.h"

namespace tombola::collector {

struct TableCounts {
  int64_t reports = 0;          // that were counted
  std::vector<int64_t> counts;  // one for each cell; as Aggregator::counts; none of a sparse table
  SparseCells cells = {};       // of a sparse table: those that occur
  HashTally hashes;             // as Aggregator::hashes

  bool operator==(const TableCounts&) const = default;
};

// Of parts of a batch, of one or of several; they merge by addition in any order. Who keeps them
// needs to know no more than the bytes.
struct Counts {
  std::vector<TableCounts> tables;

  bool operator==(const Counts&) const = default;

  // Adds the other ones; nothing has been counted if there are no tables. InvalidArgument, with
  // nothing added, if they are of other tables.
  absl::Status Merge(Counts other);
};

// One byte for the version, 2; the number of tables, 2 bytes; for each the number of its cells, 4
// bytes, those of its classes of functions and of buckets, 2 bytes each, its reports, 8 bytes, the
// number of cells that occur of a sparse table, 8 bytes, a count of 8 bytes for each cell, function
// class and bucket class, and what PutSparse writes. Little-endian.
std::string ToBytes(const Counts& counts);
// DataLoss: not what ToBytes wrote.
absl::StatusOr<Counts> CountsFromBytes(absl::string_view bytes);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_AGGREGATE_COUNTS_H_
