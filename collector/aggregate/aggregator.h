// Reports become counts: the last stage that sees a single report.
#ifndef TOMBOLA_COLLECTOR_AGGREGATE_AGGREGATOR_H_
#define TOMBOLA_COLLECTOR_AGGREGATE_AGGREGATOR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "collector/aggregate/hash_tally.h"
#include "collector/aggregate/rejected_reports.h"
#include "collector/aggregate/sparse_cells.h"
#include "common/table/report_state.h"
#include "common/table/table.h"

namespace tombola::collector {

// How many of some reports were counted, and how many were not and why.
struct AddedReports {
  int64_t counted = 0;
  RejectedReports rejected;

  AddedReports& operator+=(const AddedReports& other) {
    counted += other.counted;
    rejected += other.rejected;
    return *this;
  }
};

// Counts for each value how many reports support it, less those that speak against it where a
// mechanism has such (or how many ones its bits have together, where reports are bits), and with
// hashing how functions and buckets are spread. These are all its state, so aggregators of parts of
// a batch, or of several batches, merge by addition in any order. How many reports were counted is
// the caller's to keep: a report may support no value at all.
//
// Not thread-safe: one a thread, then Merge.
class Aggregator {
 public:
  virtual ~Aggregator() = default;
  Aggregator(const Aggregator&) = delete;
  Aggregator& operator=(const Aggregator&) = delete;

  // Bytes from outside; what is not kValid leaves the counts as they were.
  mechanism::ReportState Add(absl::Span<const uint8_t> report);

  // The same for many reports that lie back to back, each of the table's report_bytes(): a bad
  // one among them changes nothing for the others. reports.size() must be a multiple of that. The
  // way to add reports fast: what it costs to begin is paid once for all of them.
  AddedReports AddAll(absl::Span<const uint8_t> reports);

  // Adds the counts of another aggregator of the same table. InvalidArgument, with nothing
  // added, if their number is not the domain's size.
  absl::Status Merge(absl::Span<const int64_t> counts);

  // One for each value, all reports so far included.
  const std::vector<int64_t>& counts() {
    Settle();
    return counts_;
  }

  // The same, once: they are not kept.
  std::vector<int64_t> TakeCounts() {
    Settle();
    return std::move(counts_);
  }

  // Of a sparse table, whose counts() are none: the cells that occur, once; they are not kept.
  virtual SparseCells TakeCells() { return {}; }

  // Of all reports so far; empty where the mechanism does not hash.
  const HashTally& hashes() const { return hashes_; }

 protected:
  Aggregator(int64_t domain_size, size_t report_bytes)
      : counts_(static_cast<size_t>(domain_size), 0), report_bytes_(report_bytes) {}

  // As AddAll, which has checked the size.
  virtual AddedReports Count(absl::Span<const uint8_t> reports) = 0;

  // Brings reports that were set aside into counts_.
  virtual void Settle() {}

  std::vector<int64_t> counts_;
  HashTally hashes_;

 private:
  const size_t report_bytes_;
};

// The aggregator of a table, by the layout of its reports.
std::unique_ptr<Aggregator> MakeAggregator(const std::shared_ptr<const mechanism::Table>& table);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_AGGREGATE_AGGREGATOR_H_
