// What is true of an answer about records, by the rows that devices hold.
#ifndef TOMBOLA_CLI_QUERY_RECORDS_TRUTH_H_
#define TOMBOLA_CLI_QUERY_RECORDS_TRUTH_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/json/rows.h"
#include "common/kind/records.h"
#include "tombola/record.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::cli {

// Counts rows, those beyond a device's max_records too. Not thread-safe; valid while the answer and
// the schema are.
class RecordsTruth {
 public:
  RecordsTruth(const v1::Aggregates& body, const RecordSchema& schema);

  // A row that lacks a field meets no condition on it, and has no place in its cells.
  void Add(const Row& row);

  // Of the whole answer, its quantiles and its cells, of the rows so far. Once.
  Truth Take();

 private:
  // One attribute of the answer's cells, and its values as they come in them.
  struct Axis {
    std::string name;
    double last = 0;  // of a number: the end that is included
    std::map<std::string, size_t> labels = {};
    std::map<double, std::pair<double, size_t>> ranges = {};  // by their lower ends

    size_t PlaceOf(const v1::CellValue& value);
    std::optional<size_t> PlaceOf(const Row& row) const;
  };

  bool Meets(const Row& row, const v1::Condition& condition) const;
  NumbersTruth* CellOf(const Row& row);  // null: it is in none

  const v1::Aggregates& body_;
  const RecordSchema& schema_;
  NumbersTruth whole_;
  std::vector<double> values_;  // of the attribute whose quantiles are asked for
  std::vector<Axis> axes_;
  std::map<std::vector<size_t>, size_t> cells_;  // by their values on the axes
  std::vector<NumbersTruth> of_cells_;
};

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_QUERY_RECORDS_TRUTH_H_
