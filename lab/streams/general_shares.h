// The shares of a structure's nodes by convex optimisation, whatever the structure: what FDA's
// recursion is held against. Lab only; for tens of periods.
#ifndef TOMBOLA_LAB_STREAMS_GENERAL_SHARES_H_
#define TOMBOLA_LAB_STREAMS_GENERAL_SHARES_H_

#include "common/stream/shares.h"
#include "common/stream/structure.h"

namespace tombola::lab {

struct GeneralShares {
  stream::Shares shares;
  double error = 0;  // the sum of the totals' variances, in units of noise with the whole budget
  double bound = 0;  // no shares have less: the dual problem's value
};

// The least sum of the totals' variances if shares over every period sum to at most 1, until error
// and bound differ by less than this part, or 1e6 steps. O(periods * nodes over a period) a step.
inline constexpr double kGeneralGap = 1e-8;
GeneralShares SolveShares(const stream::Structure& structure, stream::Norm norm);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_STREAMS_GENERAL_SHARES_H_
