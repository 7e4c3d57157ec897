// The running totals of one design, period by period.
#ifndef TOMBOLA_COMMON_STREAM_RELEASE_H_
#define TOMBOLA_COMMON_STREAM_RELEASE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "common/base/encoding.h"
#include "common/random/random_source.h"
#include "common/stream/design.h"

namespace tombola::stream {

// The largest increment: sums of 2^20 of them fit everywhere.
inline constexpr int64_t kLargestIncrement = int64_t{1} << 32;

// A total as it is released, and the variance of the noise in it.
struct NoisyTotal {
  int64_t total = 0;
  double variance = 0;

  bool operator==(const NoisyTotal&) const = default;
};

// All noise comes from `random` in an order that does not depend on increments. So a release made
// again with the same design and the same bits from their beginning, and told by Load what Save
// said, goes on as if nothing had happened. Not thread-safe.
//
// Memory: of plain and Fenwick structures and k-ary trees what a total has blocks, O(log N) or
// O(k log N); of a best structure O(N), at most 4096 numbers; of a square root O(N); of a BLT
// constant.
class Release {
 public:
  // `random` must outlive the release, which alone draws from it.
  static std::unique_ptr<Release> Make(std::shared_ptr<const Design> design, RandomSource* random);
  virtual ~Release() = default;

  // The total up to and with the next period, of which there are design.periods. The increment is
  // in [0, kLargestIncrement].
  virtual NoisyTotal Next(int64_t increment) = 0;

  // Appends what increments have left. It is as secret as they are.
  virtual void Save(std::string& out) const = 0;
  // Of a new release: takes over what one had saved after so many periods, and draws their noise
  // again. FailedPrecondition if that is not the noise there was.
  virtual absl::Status Load(int64_t periods, Decoder& saved) = 0;
};

}  // namespace tombola::stream

#endif  // TOMBOLA_COMMON_STREAM_RELEASE_H_
