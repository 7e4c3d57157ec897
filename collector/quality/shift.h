// How far dishonest devices could have moved an answer.
#ifndef TOMBOLA_COLLECTOR_QUALITY_SHIFT_H_
#define TOMBOLA_COLLECTOR_QUALITY_SHIFT_H_

#include "common/scheme/scheme.h"
#include "common/table/count_model.h"
#include "common/table/table.h"

namespace tombola::collector {

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

#endif  // TOMBOLA_COLLECTOR_QUALITY_SHIFT_H_
