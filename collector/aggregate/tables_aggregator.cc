#include "collector/aggregate/tables_aggregator.h"

#include <algorithm>
#include <cstddef>

#include "common/base/check.h"

namespace tombola::collector {

TablesAggregator::TablesAggregator(const mechanism::Tables& tables)
    : tables_(tables), counted_(tables.size(), 0) {
  for (size_t i = 0; i < tables.size(); ++i) aggregators_.push_back(MakeAggregator(tables[i]));
}

AddedReports TablesAggregator::AddTo(size_t table, absl::Span<const uint8_t> reports) {
  const AddedReports added = aggregators_[table]->AddAll(reports);
  counted_[table] += added.counted;
  return added;
}

// One by one where there are several, so that no plaintext is copied.
AddedReports TablesAggregator::AddAll(absl::Span<const uint8_t> reports) {
  if (tables_.size() == 1) return AddTo(0, reports);
  const size_t bytes = tables_.report_bytes();
  TOMBOLA_CHECK(reports.size() % bytes == 0);
  AddedReports added;
  for (size_t at = 0; at < reports.size(); at += bytes) {
    const size_t table = reports[at];
    if (table >= tables_.size()) {
      ++added.rejected.out_of_range;
      continue;
    }
    const auto own = reports.subspan(at + tables_.prefix_bytes(), tables_[table]->report_bytes());
    const uint8_t* const end = reports.data() + at + bytes;
    if (std::any_of(own.end(), end, [](uint8_t byte) { return byte != 0; })) {
      ++added.rejected.malformed;
    } else {
      added += AddTo(table, own);
    }
  }
  return added;
}

Counts TablesAggregator::Finish() && {
  Counts counts;
  for (size_t i = 0; i < aggregators_.size(); ++i) {
    counts.tables.push_back({.reports = counted_[i],
                             .counts = aggregators_[i]->TakeCounts(),
                             .cells = aggregators_[i]->TakeCells(),
                             .hashes = aggregators_[i]->hashes()});
  }
  return counts;
}

}  // namespace tombola::collector
