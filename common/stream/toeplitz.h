// The lower triangular Toeplitz matrices of Gaussian noise that is correlated over time: C, what is
// released being C x + z, and B = W C^-1, which makes running totals W x + B z of it.
// Pure functions, thread-safe.
#ifndef TOMBOLA_COMMON_STREAM_TOEPLITZ_H_
#define TOMBOLA_COMMON_STREAM_TOEPLITZ_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"

namespace tombola::stream {

// Coefficients of the square root are multiples of 2^-12. So C x of whole numbers is on that grid,
// as the noise is; from a sum off the grid its fractional part would show.
inline constexpr int kSquareRootBits = 12;
inline constexpr int64_t kMostSquareRootPeriods = int64_t{1} << 14;

// The first column of the square root of W, f_0 = 1, f_k = f_(k-1) (2k-1)/(2k) (Henzinger, Upadhyay
// and Upadhyay, "Almost tight error bounds on differentially private continual counting", 2023),
// each rounded to a multiple of 2^-12 and given in those.
std::vector<int64_t> SquareRootColumn(int64_t periods);

// The first column of B for those, that of W C^-1 to the precision of a double. O(N^2).
std::vector<double> TotalsColumn(absl::Span<const int64_t> column);

// A buffered linear Toeplitz matrix (Dvijotham, McMahan, Pillutla, Steinke and Thakurta, "Efficient
// and near-optimal noise generation for streaming differential privacy", 2024): c_0 = 1 and
// c_k = sum of omega_i theta_i^(k-1), which d numbers remember.
struct Blt {
  std::vector<double> theta;  // ascending, in (0, 1); multiples of 2^-30, as omega
  std::vector<double> omega;  // above 0
};

inline constexpr int kBltBits = 30;
// Buffers over increments, u_i(t+1) = theta_i u_i(t) + x_t, are whole numbers of 2^-40.
inline constexpr int kBltFraction = 40;

// The squares of c_0, ..., c_(N-1), each with `slack` added to c_k, summed.
double SquaredColumn(const Blt& blt, int64_t periods, double slack);

// b_k = constant + sum of weight_i decay_i^k, the first column of B.
struct BltTotals {
  double constant = 0;
  std::vector<double> weight;
  std::vector<double> decay;
};
BltTotals TotalsOf(const Blt& blt);
// The sum of the first `periods` of b_k^2.
double SquaredTotals(const BltTotals& totals, int64_t periods);

// b_0, b_1, ... in turn.
class BltWalk {
 public:
  explicit BltWalk(BltTotals totals) : totals_(std::move(totals)) {}
  double Next() {
    double b = totals_.constant;
    for (size_t i = 0; i < totals_.weight.size(); ++i) {
      b += totals_.weight[i];
      totals_.weight[i] *= totals_.decay[i];
    }
    return b;
  }

 private:
  BltTotals totals_;
};

// One with the least largest variance of N totals, as far as a search among `buffers` in [1, 5]
// pairs finds it: the same for the same arguments on one machine. Tens of milliseconds.
Blt SearchBlt(int64_t periods, int buffers);

}  // namespace tombola::stream

#endif  // TOMBOLA_COMMON_STREAM_TOEPLITZ_H_
