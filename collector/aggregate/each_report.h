// The loop over reports that every aggregator has.
#ifndef TOMBOLA_COLLECTOR_AGGREGATE_EACH_REPORT_H_
#define TOMBOLA_COLLECTOR_AGGREGATE_EACH_REPORT_H_

#include <cstdint>

#include "absl/types/span.h"
#include "collector/aggregate/aggregator.h"
#include "common/table/report_state.h"

namespace tombola::collector {

// Reads reports of Report::kBytes each, back to back, by decode(bytes, Report*) -> ReportState, and
// calls count(report) for each valid one.
template <typename Report, typename Decode, typename Count>
AddedReports CountEach(absl::Span<const uint8_t> reports, Decode decode, Count count) {
  AddedReports added;
  const uint8_t* const end = reports.data() + reports.size();
  for (const uint8_t* at = reports.data(); at != end; at += Report::kBytes) {
    Report report;
    const mechanism::ReportState state = decode(absl::MakeConstSpan(at, Report::kBytes), &report);
    if (state == mechanism::ReportState::kValid) {
      count(report);
    } else if (state == mechanism::ReportState::kMalformed) {
      ++added.rejected.malformed;
    } else {
      ++added.rejected.out_of_range;
    }
  }
  added.counted = static_cast<int64_t>(reports.size() / Report::kBytes) - added.rejected.total();
  return added;
}

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_AGGREGATE_EACH_REPORT_H_
