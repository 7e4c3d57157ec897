// The tables that a kind fills, and how a report says which of them it is of.
#ifndef TOMBOLA_COMMON_TABLE_TABLES_H_
#define TOMBOLA_COMMON_TABLE_TABLES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "common/table/table.h"

namespace tombola::mechanism {

// A cell of one of the tables; index < its domain_size().
struct Cell {
  size_t table = 0;
  uint64_t index = 0;
};
// What a device fills: of each table that it is about as many as Table::filling says, those of a
// table one after the other and no more alike than it says. Mostly one.
using Cells = absl::InlinedVector<Cell, 2>;

// The reports of a single table are the table's own. Where there are several a report begins with
// its table's number, one byte, and ends with zeros up to the length of the longest, so that all
// have one length. Immutable and thread-safe.
class Tables {
 public:
  // 1 to 256 of them.
  explicit Tables(std::vector<std::shared_ptr<const Table>> tables);

  size_t size() const { return tables_.size(); }
  const std::shared_ptr<const Table>& operator[](size_t table) const { return tables_[table]; }
  // How many bytes of a report say which table it is of: 0 or 1.
  size_t prefix_bytes() const { return tables_.size() == 1 ? 0 : 1; }
  size_t report_bytes() const { return report_bytes_; }

 private:
  std::vector<std::shared_ptr<const Table>> tables_;
  size_t report_bytes_;
};

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_TABLE_TABLES_H_
