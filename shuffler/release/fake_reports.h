// Reports that the shuffler adds to a batch itself.
#ifndef TOMBOLA_SHUFFLER_RELEASE_FAKE_REPORTS_H_
#define TOMBOLA_SHUFFLER_RELEASE_FAKE_REPORTS_H_

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace tombola::shuffler {

struct FakeReports {
  int64_t count = 0;
  // Writes one sealed report, of the batch's record length; called `count` times, from one thread.
  std::function<absl::Status(absl::Span<uint8_t>)> draw;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_RELEASE_FAKE_REPORTS_H_
