// On which side of a target delta lies, for searches.
#ifndef TOMBOLA_COMMON_ACCOUNTING_DELTA_OR_ENOUGH_H_
#define TOMBOLA_COMMON_ACCOUNTING_DELTA_OR_ENOUGH_H_

#include "absl/status/statusor.h"
#include "common/accounting/blanket.h"

namespace tombola::accounting {

// Delta, or where it is above `enough` anything in (enough, Delta]. For targets so small that the
// mass outside of what Delta sums over decides alone, that is found at once. Errors as Delta's.
absl::StatusOr<double> DeltaOrEnough(const Blanket& blanket, double epsilon, double enough);

}  // namespace tombola::accounting

#endif  // TOMBOLA_COMMON_ACCOUNTING_DELTA_OR_ENOUGH_H_
