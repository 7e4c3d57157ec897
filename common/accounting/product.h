// What several independent parts guarantee together: the product accountant.
//
// A device's record may touch several cells, tables, batches or periods. Each is a pair of
// distributions whose loss has a law (loss_law.h), and the loss of all of them is the sum. The
// sum's law is a convolution, which is taken on a grid by a Fourier transform.
//
// Guaranteed: what is returned is never below the delta of the product of the laws given. An atom
// between two points of the grid is split so that its masses under both distributions are kept; the
// atom is then the two points merged, so the split pair dominates (Doroshenko, Ghazi, Kamath,
// Kumar, Manurangsi, "Connect the dots", 2022). The transform is taken of the tilted laws, so that
// its rounding, which is charged, is relative to the delta in question; what wraps around only
// adds; what lies beyond the window is charged by Chernoff's bound. docs/privacy.md has the
// details. At most 1 % above in the cases tried, mostly 0.1 %.
// Not guaranteed: anything for parts that are not independent given what was seen before; anything
// for the other order of neighbours, unless the list of parts reads the same backwards.
#ifndef TOMBOLA_COMMON_ACCOUNTING_PRODUCT_H_
#define TOMBOLA_COMMON_ACCOUNTING_PRODUCT_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/accounting/loss_law.h"
#include "common/accounting/work.h"

namespace tombola::accounting {

// The most uses of all parts together.
inline constexpr int64_t kMostProductUses = int64_t{1} << 20;

// The delta that holds at epsilon >= 0, in [0, 1]: on finer and finer grids until that changes less
// than 0.2 %. Milliseconds for some hundred uses; O(atoms + N log N) with N about 800 sqrt(uses).
// InvalidArgument unless epsilon is finite and >= 0, every part has 1 to kMostProductUses uses and
// all together no more than that.
// Also ResourceExhausted, if `work` is not null and has too little left.
absl::StatusOr<double> ProductDelta(absl::Span<const LossPart> parts, double epsilon,
                                    Work* work = nullptr);

// On the first of those grids alone, so at least ProductDelta, by some percent at most in the cases
// tried, and for a fraction of the work: for searches. Also ResourceExhausted, if `work` is not
// null and has too little left.
absl::StatusOr<double> CoarseProductDelta(absl::Span<const LossPart> parts, double epsilon,
                                          Work* work);

// The same as ProductDelta on one grid of the given step > 0, for those who compare grids.
absl::StatusOr<double> ProductDeltaOnGrid(absl::Span<const LossPart> parts, double step,
                                          double epsilon);

// Charged besides, at an epsilon.
using ExtraDelta = absl::FunctionRef<double(double epsilon)>;

// The smallest epsilon at which the product's delta, with `extra` added to it, was evaluated and
// was at most `delta`, to 1e-6 relative on its grid. FailedPrecondition if there is none up to 700;
// ResourceExhausted as ProductDelta.
absl::StatusOr<double> ProductEpsilon(
    absl::Span<const LossPart> parts, double delta, ExtraDelta extra = [](double) { return 0.0; },
    Work* work = nullptr);

}  // namespace tombola::accounting

#endif  // TOMBOLA_COMMON_ACCOUNTING_PRODUCT_H_
