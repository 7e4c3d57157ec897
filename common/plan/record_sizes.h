// How many records devices have, as far as it is known.
#ifndef TOMBOLA_COMMON_PLAN_RECORD_SIZES_H_
#define TOMBOLA_COMMON_PLAN_RECORD_SIZES_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace tombola::mechanism {

// More records of a device than this are not told apart by anybody.
inline constexpr int64_t kMostKnownRecords = 1'000'000;

// A distribution of the number of records of a device. Immutable.
class RecordSizes {
 public:
  struct Share {
    int64_t records = 0;
    double share = 0;           // of the devices, in any unit: what counts is its part of all
    double standard_error = 0;  // in the same unit; 0 where it is known
  };
  // Shares of distinct numbers in [0, kMostKnownRecords], each at least 0 and finite.
  // InvalidArgument: they are not, or no device has a record.
  static absl::StatusOr<RecordSizes> Create(std::vector<Share> shares);

  // Ascending; the shares add up to 1.
  const std::vector<Share>& shares() const { return shares_; }
  double mean() const { return mean_; }
  // The largest number of which the share is above 0.
  int64_t most() const { return most_; }

  // The share of all records that is not counted where a device counts at most so many, >= 1, of
  // its own. O(shares).
  double Cut(int64_t max_records) const;
  // Its standard error, to which shares that are 0 contribute too, where errors of shares are
  // independent of each other.
  double CutError(int64_t max_records) const;

 private:
  RecordSizes(std::vector<Share> shares, double mean, int64_t most)
      : shares_(std::move(shares)), mean_(mean), most_(most) {}

  std::vector<Share> shares_;
  double mean_;
  int64_t most_;
};

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_PLAN_RECORD_SIZES_H_
