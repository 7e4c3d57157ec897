// A seam for tests: the store asks at named points whether to fail there.
#ifndef TOMBOLA_SHUFFLER_DISK_FAULT_H_
#define TOMBOLA_SHUFFLER_DISK_FAULT_H_

#include <functional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tombola::shuffler {

// A status that is not OK is treated as a failure of the disk at that point. Empty: nothing fails.
// Called from whichever thread is at work.
using Fault = std::function<absl::Status(absl::string_view point)>;

inline absl::Status FaultAt(const Fault& fault, absl::string_view point) {
  return fault ? fault(point) : absl::OkStatus();
}

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_DISK_FAULT_H_
