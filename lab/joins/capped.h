// COUNT of joined tuples, all of a device at once, of which at most so many that are alike in what
// is asked for count: less noise for what the cap cuts off.
#ifndef TOMBOLA_LAB_JOINS_CAPPED_H_
#define TOMBOLA_LAB_JOINS_CAPPED_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "lab/joins/join_method.h"
#include "lab/joins/star.h"

namespace tombola::lab {

// `pure_dump` on a uniform grid, two cells for the ends of the amount in each place. A device with
// more than tau tuples takes a uniform choice of tau, of those that are in one place of the grid
// `cap`, again a uniform choice, and sends tau messages: what is not there or was cut off fills
// ceil(tau / cap) further cells.
struct CappedJoin {
  JoinSetting setting;
  int64_t cap = 1;
  Places cells = {1, 1, 1};
  double mean = 0;      // of the noise on a cell
  double messages = 0;  // of a device, on average
};
// On the finest grid that costs a device no more than kMostMessages. 1 <= cap <= setting.tau.
absl::StatusOr<CappedJoin> PlanCappedJoin(const JoinSetting& setting, int64_t cap, double delta);

// Of the estimate of COUNT, given the data: exact.
struct CappedLaw {
  double count = 0;  // expectation
  double variance = 0;
};
CappedLaw LawOf(const CappedJoin& join, const StarData& data, const JoinQuery& query);
// The share of all tuples that is expected to count.
double CountedShare(const CappedJoin& join, const StarData& data);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_JOINS_CAPPED_H_
