// How many submissions of a batch hid each other, by what of it could be opened.
#ifndef TOMBOLA_COLLECTOR_INGEST_COVER_H_
#define TOMBOLA_COLLECTOR_INGEST_COVER_H_

#include <cstdint>

#include "common/task/manifest.h"
#include "common/task/task.h"

namespace tombola::collector {

// Of a task whose submissions may be several reports each, before the dishonest share is taken off.
// `good` and `bad`: reports, the shuffler's fakes among the good ones.
//
// Reports of one submission cannot be linked, so that nobody can say whose the bad ones are: they
// may be all of a few submissions, or one of each of many. An honest device sends no bad report.
//
// Where noise is spread over devices, what is good must be what all others say of their own and the
// noise of so many honest devices as it is sized for, but for a chance of 1e-6, as soon as a report
// is bad: a fault that spoils noise alone leaves a batch with none, and 0 is what it is worth. A
// shortfall that may be chance is not seen.
//
// If the bad ones can be those of the share that the task takes for dishonest, that share answers
// for them. Else each bad report is taken to have left a submission without cover. Where noise is
// spread, what holds is for so many honest ones, whoever they are: there this stops at the smallest
// batch, if the fewest submissions that may have sent the bad reports leave that. So one submission
// full of garbage does not void a batch that has some to spare, and one that is bad for the most
// part is.
int64_t CoveredSubmissions(const Task& task, const Manifest& manifest, int64_t good, int64_t bad);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_INGEST_COVER_H_
