// Reports of all tables of a task become counts, each those of its own table.
#ifndef TOMBOLA_COLLECTOR_AGGREGATE_TABLES_AGGREGATOR_H_
#define TOMBOLA_COLLECTOR_AGGREGATE_TABLES_AGGREGATOR_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "collector/aggregate/aggregator.h"
#include "collector/aggregate/counts.h"
#include "common/table/tables.h"

namespace tombola::collector {

// Not thread-safe: one a thread, then Counts::Merge.
class TablesAggregator {
 public:
  explicit TablesAggregator(const mechanism::Tables& tables);

  // As Aggregator::AddAll, of reports of the tables' report_bytes(). One of several tables that
  // names none of them is out of range, one whose zeros are none is malformed.
  AddedReports AddAll(absl::Span<const uint8_t> reports);

  // Of all reports, once.
  Counts Finish() &&;

 private:
  AddedReports AddTo(size_t table, absl::Span<const uint8_t> reports);

  mechanism::Tables tables_;
  std::vector<std::unique_ptr<Aggregator>> aggregators_;
  std::vector<int64_t> counted_;  // reports of each table
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_AGGREGATE_TABLES_AGGREGATOR_H_
