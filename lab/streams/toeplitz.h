// Continual release by somebody trusted with Gaussian noise and matrices that are constant along
// diagonals: totals x + B z, where A = B C is the matrix of sums, one record changes C x by at most
// the norm of C's first column, and z is noise for that. Lab only.
//
// Exact numbers only: coefficients are real, and discrete noise on sums with fractions leaks them.
#ifndef TOMBOLA_LAB_STREAMS_TOEPLITZ_H_
#define TOMBOLA_LAB_STREAMS_TOEPLITZ_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "common/stream/toeplitz.h"
#include "lab/streams/noise.h"

namespace tombola::lab {

// C and B from their first columns, which have `periods` entries each: in units of the variance of
// noise for a number that one record changes by 1.
TotalSpread ToeplitzSpread(absl::Span<const double> c, absl::Span<const double> b);

// B = C, the square root of the matrix of sums (Henzinger, Upadhyay, Upadhyay 2023), not rounded
// and for any number of periods.
std::vector<double> SquareRootColumn(int64_t periods);
TotalSpread SquareRootSpread(int64_t periods);

// Of the matrices of common/stream/toeplitz.h, before their coefficients are rounded for release.
TotalSpread BltSpread(const stream::Blt& blt, int64_t periods);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_STREAMS_TOEPLITZ_H_
