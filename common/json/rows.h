// What the rows of every body have in common.
#ifndef TOMBOLA_COMMON_JSON_ROWS_H_
#define TOMBOLA_COMMON_JSON_ROWS_H_

#include <vector>

namespace tombola {

// What is true of each row of a body, where it is known.
struct Truth {
  std::vector<double> frequencies;  // the share of the devices; none: not known
  std::vector<double> means = {};   // of key-value pairs; NaN where nobody holds the key

  bool empty() const { return frequencies.empty(); }
};

enum class BinOrder {
  kFrequency,  // the largest first; those that are equal in the domain's order
  kValue,      // the domain's order
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_JSON_ROWS_H_
