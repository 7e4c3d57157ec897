// The number of messages among which the victim's hides, cut into bins.
#ifndef TOMBOLA_COMMON_ACCOUNTING_MESSAGE_BINS_H_
#define TOMBOLA_COMMON_ACCOUNTING_MESSAGE_BINS_H_

#include <cstdint>
#include <vector>

#include "common/accounting/binomial.h"

namespace tombola::accounting {

struct MessageBin {
  int64_t messages = 0;  // the smallest number of messages in the bin, the victim's included
  double mass = 0;       // the probability of the bin
};

// How the range of a binomial is cut. Beyond [low, high) lies at most 1e-30 on each side; what a
// divergence adds up from lies in [fine_low, fine_high), so the cut is eight times coarser outside.
struct BinPlan {
  int64_t low = 0;
  int64_t fine_low = 0;
  int64_t fine_high = 0;
  int64_t high = 0;
  int64_t width = 1;  // of a bin in [fine_low, fine_high)
};

// Every value by itself if there are a few hundred (and at most 1e5 messages); else bins so narrow
// that the bound exceeds the sum over all values by about ln(1/delta) * 1e-4, relative. Depends on
// no epsilon: over one plan the bound is monotone in epsilon.
BinPlan PlanFineBins(const Binomial& blankets, int64_t fakes);

// The same for any number of messages, from [low, high) and with this mean and deviation.
BinPlan PlanFineBins(int64_t low, int64_t high, double mean, double deviation);

// The lower ends of the bins of [low, high), ascending, and high. A bin of the coarse part below
// never reaches into the fine part, where it could hold most of the mass.
std::vector<int64_t> BinEdges(const BinPlan& plan);

// The bins of m = 1 + fakes + X, X ~ `blankets`, in ascending order: all of its range, the first
// bin begins at 1 + fakes and the last is open. The masses add up to 1 to about 1e-12.
std::vector<MessageBin> BinMessages(const Binomial& blankets, int64_t fakes, const BinPlan& plan);

}  // namespace tombola::accounting

#endif  // TOMBOLA_COMMON_ACCOUNTING_MESSAGE_BINS_H_
