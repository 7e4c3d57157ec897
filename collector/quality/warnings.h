// What counts say about the devices that they come from, and what dishonest ones could do.
#ifndef TOMBOLA_COLLECTOR_QUALITY_WARNINGS_H_
#define TOMBOLA_COLLECTOR_QUALITY_WARNINGS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "collector/aggregate/hash_tally.h"
#include "common/scheme/scheme.h"
#include "common/table/count_model.h"
#include "common/table/table.h"

namespace tombola::collector {

// What was counted in one table, of one batch or of several together. Valid while what it refers to
// is.
struct ObservedTable {
  const mechanism::Table& table;
  mechanism::Tally tally;            // of what filled it; nothing is said if nobody did
  absl::Span<const int64_t> counts;  // one for each cell
  const HashTally& hashes;           // of all good reports
};

// The same of all tables.
struct Observed {
  mechanism::Tally tally;  // submissions >= 1
  int64_t messages = 0;    // of submissions, good and bad, without fakes
  std::vector<ObservedTable> tables;
};

struct Warning {
  std::string kind;  // "seeds", "buckets", "values", "sum" or "messages"; "noise" and "restored"
                     // are the answer's own
  std::string text;  // one sentence with its figures
};

// The probability that an answer whose devices are all honest carries any warning is at most this.
inline constexpr double kFalseAlarm = 1e-6;

// At most one warning of each kind for a table, in the order above, each kind with a fifth of
// `false_alarm`, which is shared out over the tables and the numbers that are looked at (a union
// bound); where there are several tables the text names its own. All bounds hold for any values
// that honest devices hold and any number of them; none is an approximation, but for what caps on
// messages change, which a task charges to its delta.
//
//  - seeds: an honest device draws its hash function uniformly, so that the number of reports in a
//    class of functions is binomial. Warns of a class that has too many or too few.
//  - buckets: an honest report falls into a bucket of the affine family uniformly, and into one of
//    the plane at least as often as the blanket alone would have it, gamma / q, and at most
//    1 - gamma more often.
//  - values: a raw frequency above 1 by more than the noise allows, which not even all devices that
//    hold the value could bring about, or as far below 0, which none could.
//  - sum: what the raw frequencies add up to, which hashing on the plane makes 1 on average
//  whatever
//    the values: a pair of values collides in one function of q + 1. (Randomised response makes it
//    1 always; of the affine family too little is known about the tails.)
//  - messages: how many messages the submissions consist of, where that is random.
//
// A warning is a reason to doubt an answer; silence is none to trust it: a device that lies about
// its value and otherwise follows the mechanism looks honest.
std::vector<Warning> Warnings(const mechanism::Scheme& scheme, const Observed& observed,
                              double false_alarm = kFalseAlarm);

// The most by which the raw frequency of any one value changes if one of the counted submissions is
// replaced by any other that the task allows: exact, some two submissions reach it. m of them reach
// m times as much. Of the raw frequency, before post-processing.
//
// The estimate is (count - background) / (n (p - s)), and of its terms a submission changes the
// count alone. A report supports a value once or not at all, so that a submission of at most k
// reports adds 0 to k; where reports speak against a value too (Layout::kSigned), -k to k:
//   k / (n (p - s)), or 2 k / n.
// tally.submissions >= 1, and the table's Signal > 0.
double ShiftPerDishonest(const mechanism::Scheme& scheme, const mechanism::Table& table,
                         const mechanism::Tally& tally);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_QUALITY_WARNINGS_H_
