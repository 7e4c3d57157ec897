// What a device that takes part in several periods of a stream gives away.
#ifndef TOMBOLA_COMMON_KIND_STREAM_DEVICE_H_
#define TOMBOLA_COMMON_KIND_STREAM_DEVICE_H_

#include <cstdint>

#include "common/accounting/composition.h"
#include "common/kind/stream.h"

namespace tombola {

// What holds for a device of at most `periods` >= 1 submissions in different periods of a stream,
// wherever in it they are and whatever each says, when `one` holds for one submission: for every
// node that leaves with the honest submissions it is sized for.
//
// Several submissions may be in one node, and then move one count of it by as many: they are not
// batches of their own. Plain periods of one mechanism compose as batches do. pure_dump and aue in
// a tree have what no placement exceeds (StreamPlacements). All else, or where that is less, is
// group privacy of `one`, which holds for whatever the device does; so is what would take too long.
// Tenths of a second; seconds for thousands of periods, and no more for what a stranger made up.
accounting::EpsilonDelta OverDevicePeriods(const StreamKind& stream, int64_t periods,
                                           const accounting::EpsilonDelta& one);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_KIND_STREAM_DEVICE_H_
