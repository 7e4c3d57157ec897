// Reports that were dropped, and why: the same words on the wire, in JSON, in metrics and on disk.
#ifndef TOMBOLA_COLLECTOR_AGGREGATE_REJECTED_REPORTS_H_
#define TOMBOLA_COLLECTOR_AGGREGATE_REJECTED_REPORTS_H_

#include <cstdint>

namespace tombola::collector {

struct RejectedReports {
  int64_t unopened = 0;      // not sealed to the key and the task, or tampered with
  int64_t malformed = 0;     // wrong length or layout
  int64_t out_of_range = 0;  // well formed, but no device that follows the mechanism sends it

  int64_t total() const { return unopened + malformed + out_of_range; }
  RejectedReports& operator+=(const RejectedReports& other) {
    unopened += other.unopened;
    malformed += other.malformed;
    out_of_range += other.out_of_range;
    return *this;
  }
};

struct RejectionCause {
  const char* name;
  int64_t RejectedReports::*count;
};

inline constexpr RejectionCause kRejectionCauses[] = {
    {"unopened", &RejectedReports::unopened},
    {"malformed", &RejectedReports::malformed},
    {"out_of_range", &RejectedReports::out_of_range}};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_AGGREGATE_REJECTED_REPORTS_H_
