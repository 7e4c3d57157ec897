#include "common/metrics/process.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace tombola {
namespace {

namespace fs = std::filesystem;

double Seconds(absl::Time time) { return absl::ToDoubleSeconds(time - absl::UnixEpoch()); }

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// /proc/self is there also where a unit hides the rest of /proc.
void ReadProcess(Readings& out) {
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    out.Counter("process_cpu_seconds_total", "Processor time, of the system's side too.",
                Seconds(usage.ru_utime) + Seconds(usage.ru_stime));
  }
  int64_t pages = 0, resident = 0;
  if (std::ifstream("/proc/self/statm") >> pages >> resident) {
    out.Gauge("process_resident_memory_bytes", "Memory that is in use.",
              static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)));
  }
  std::error_code error;
  int64_t open = 0;
  for (fs::directory_iterator at("/proc/self/fd", error), last; !error && at != last;
       at.increment(error)) {
    ++open;
  }
  if (!error) {
    out.Gauge("process_open_fds", "Open files and connections.", static_cast<double>(open));
  }
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    out.Gauge("process_max_fds", "How many may be open.", static_cast<double>(files.rlim_cur));
  }
}

void ReadDisk(const std::string& directory, Readings& out) {
  std::error_code error;
  const fs::space_info space = fs::space(directory, error);
  if (error) return;
  out.Gauge("tombola_disk_available_bytes", "Free for this daemon where its data directory is.",
            static_cast<double>(space.available));
  out.Gauge("tombola_disk_size_bytes", "All there is of it.", static_cast<double>(space.capacity));
}

}  // namespace

std::string Version() { return TOMBOLA_VERSION; }

void AddProcess(Metrics& metrics, const std::string& program, const std::string& directory) {
  metrics
      .Gauge("tombola_build_info", "1; the labels say what runs.",
             {{"program", program}, {"version", Version()}})
      .Set(1);
  metrics.Gauge("process_start_time_seconds", "When the process began.").Set(Seconds(absl::Now()));
  metrics.AddLook([directory](Readings& out) {
    out.Gauge("tombola_time_seconds", "What time this host thinks it is.", Seconds(absl::Now()));
    ReadDisk(directory, out);
    ReadProcess(out);
  });
}

int64_t BytesOf(const std::string& file) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  return error ? 0 : static_cast<int64_t>(size);
}

int64_t BytesBelow(const std::string& directory) {
  int64_t bytes = 0;
  std::vector<fs::path> folders = {directory};
  while (!folders.empty()) {
    const fs::path folder = std::move(folders.back());
    folders.pop_back();
    std::error_code error;
    // Files come and go meanwhile: what vanishes counts nothing, and ends nothing but itself.
    for (fs::directory_iterator at(folder, error), last; !error && at != last;
         at.increment(error)) {
      std::error_code gone;
      if (at->is_directory(gone))
        folders.push_back(at->path());
      else if (at->is_regular_file(gone))
        bytes += BytesOf(at->path().string());
    }
  }
  return bytes;
}

}  // namespace tombola
