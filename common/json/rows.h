// What the rows of every body have in common.
#ifndef TOMBOLA_COMMON_JSON_ROWS_H_
#define TOMBOLA_COMMON_JSON_ROWS_H_

#include <optional>
#include <vector>

namespace tombola {

// What is true of numbers, or of a measure of records, where it is known.
struct NumbersTruth {
  double count = 0;          // of the devices in the range, or the records, that were asked for
  double mean = 0, sum = 0;  // of their numbers; the mean is NaN where there is none
  std::vector<double> quantiles;  // those that were asked for
};

// What is true of each row of a body, where it is known.
struct Truth {
  std::vector<double> frequencies;           // the share of the devices; none: not known
  std::vector<double> means = {};            // of key-value pairs; NaN where nobody holds the key
  std::optional<NumbersTruth> numbers = {};  // of numbers and records, which may have no rows
  std::vector<NumbersTruth> cells = {};      // of records: of each cell

  bool empty() const { return frequencies.empty() && !numbers.has_value(); }
};

enum class BinOrder {
  kFrequency,  // the largest first; those that are equal in the domain's order
  kValue,      // the domain's order
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_JSON_ROWS_H_
