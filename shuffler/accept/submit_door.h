// The one place where a device's call is checked.
#ifndef TOMBOLA_SHUFFLER_ACCEPT_SUBMIT_DOOR_H_
#define TOMBOLA_SHUFFLER_ACCEPT_SUBMIT_DOOR_H_

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "shuffler/catalog/catalog.h"
#include "shuffler/store/store.h"
#include "tombola/v1/shuffler.pb.h"

namespace tombola::shuffler {

inline constexpr int64_t kMaxSubmissionsPerCall = 10000;

// Turns a request into what the store takes; the result points into the request. The status is what
// the device gets:
//   NotFound            no such task
//   InvalidArgument     a field is out of its bounds
//   FailedPrecondition  the task is not open, the period or the window is over, or the key is not
//                       the collector's or its window is closed
//
// Of a stream, whose reports come in groups, all of this holds for each of them: one group for each
// node that covers the period, in ascending order, with as many reports as a submission may have
// there, under a key of that node. A node's key is refused for everything else.
absl::StatusOr<SubmitBatch> CheckSubmit(const v1::SubmitRequest& request, const Catalog& catalog,
                                        absl::Time now);

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_ACCEPT_SUBMIT_DOOR_H_
