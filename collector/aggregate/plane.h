// The aggregator of local hashing with the plane.
#ifndef TOMBOLA_COLLECTOR_AGGREGATE_PLANE_H_
#define TOMBOLA_COLLECTOR_AGGREGATE_PLANE_H_

#include <cstdint>
#include <memory>

#include "absl/types/span.h"
#include "collector/aggregate/aggregator.h"
#include "collector/aggregate/hash_tally.h"
#include "common/mechanism/local_hash.h"

namespace tombola::collector {

// A report is a line of the plane, and the values it supports are the domain's points on it: one
// candidate in each of about sqrt(domain) rows, found by steps of one subtraction. O(sqrt(domain))
// a report whatever the range.
class PlaneAggregator final : public Aggregator {
 public:
  // local_hash->options().family must be kPlane.
  explicit PlaneAggregator(std::shared_ptr<const mechanism::LocalHash> local_hash);

  AddResult Add(absl::Span<const uint8_t> report) override;

 private:
  void AddRow(uint64_t row);
  void AddLine(uint32_t slope, uint32_t bucket);

  std::shared_ptr<const mechanism::LocalHash> local_hash_;
  const HashClasses classes_;
  const uint32_t order_;  // q
  const uint32_t side_;   // the length of a row
  const uint32_t rows_;   // all full, except perhaps the last
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_AGGREGATE_PLANE_H_
