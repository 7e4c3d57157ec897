// The aggregator of local hashing with the plane.
#ifndef TOMBOLA_COLLECTOR_AGGREGATE_PLANE_H_
#define TOMBOLA_COLLECTOR_AGGREGATE_PLANE_H_

#include <cstdint>
#include <memory>

#include "absl/types/span.h"
#include "collector/aggregate/aggregator.h"
#include "collector/aggregate/hash_tally.h"
#include "collector/aggregate/plane_kernel.h"
#include "common/table/hashing.h"

namespace tombola::collector {

// A report is a line of the plane, and the values it supports are the domain's points on it: one
// candidate in each of about sqrt(domain) rows, found by steps of one subtraction, for a vector of
// reports at a time. O(sqrt(domain)) a report whatever the range.
class PlaneAggregator final : public Aggregator {
 public:
  // hashing->options().family must be kPlane.
  explicit PlaneAggregator(std::shared_ptr<const mechanism::Hashing> hashing);

 private:
  AddedReports Count(absl::Span<const uint8_t> reports) override;
  void AddRow(uint32_t row);

  std::shared_ptr<const mechanism::Hashing> hashing_;
  const HashClasses classes_;
  const PlaneShape shape_;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_AGGREGATE_PLANE_H_
