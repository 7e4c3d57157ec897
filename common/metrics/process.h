// What every daemon tells of itself: its build, its process, its clock and its disk.
#ifndef TOMBOLA_COMMON_METRICS_PROCESS_H_
#define TOMBOLA_COMMON_METRICS_PROCESS_H_

#include <cstdint>
#include <string>

#include "common/metrics/metrics.h"

namespace tombola {

// The version of this tree, "1.2.3".
std::string Version();

// tombola_build_info, tombola_time_seconds, tombola_disk_* of the file system of `directory`, and
// the process_* metrics that Prometheus' own clients have. The start is the time of this call.
void AddProcess(Metrics& metrics, const std::string& program, const std::string& directory);

// The bytes of all files in a directory and those below it, as they are now; 0 for what is not
// there.
int64_t BytesBelow(const std::string& directory);
// The same of one file.
int64_t BytesOf(const std::string& file);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_METRICS_PROCESS_H_
