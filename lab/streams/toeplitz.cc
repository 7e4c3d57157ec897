#include "lab/streams/toeplitz.h"

#include <numeric>

namespace tombola::lab {

TotalSpread ToeplitzSpread(absl::Span<const double> c, absl::Span<const double> b) {
  const double sensitivity = std::inner_product(c.begin(), c.end(), c.begin(), 0.0);
  SpreadSum sum;
  double squares = 0;
  for (const double entry : b) {
    squares += entry * entry;
    sum.Add(sensitivity * squares);
  }
  return sum.spread();
}

std::vector<double> SquareRootColumn(int64_t periods) {
  std::vector<double> column(periods, 1);
  for (int64_t k = 1; k < periods; ++k) {
    column[k] = column[k - 1] * static_cast<double>(2 * k - 1) / static_cast<double>(2 * k);
  }
  return column;
}

TotalSpread SquareRootSpread(int64_t periods) {
  const std::vector<double> column = SquareRootColumn(periods);
  return ToeplitzSpread(column, column);
}

TotalSpread BltSpread(const stream::Blt& blt, int64_t periods) {
  const double sensitivity = stream::SquaredColumn(blt, periods, 0);
  stream::BltWalk walk(stream::TotalsOf(blt));
  SpreadSum sum;
  double squares = 0;
  for (int64_t k = 0; k < periods; ++k) {
    const double entry = walk.Next();
    squares += entry * entry;
    sum.Add(sensitivity * squares);
  }
  return sum.spread();
}

}  // namespace tombola::lab
