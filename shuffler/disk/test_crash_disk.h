// What a crash leaves of a directory. For tests: linking this replaces fsync and fdatasync in the
// test's process by ones that only take note of what would be safe from then on.
#ifndef TOMBOLA_SHUFFLER_DISK_TEST_CRASH_DISK_H_
#define TOMBOLA_SHUFFLER_DISK_TEST_CRASH_DISK_H_

#include <functional>
#include <map>
#include <string>

namespace tombola::shuffler {

// What is lost.
enum class Crash {
  kProcess,  // nothing: kill -9, the kernel lives on
  kPower,    // all that was not synced: bytes by a sync of the file, names by one of the directory
  kData,     // bytes that were not synced, while the names are all there
};

// Directories (paths ending in a slash) and files, by their path from the root.
using DiskImage = std::map<std::string, std::string>;

// Watches one directory at a time, whose own name is taken for durable. Thread-safe.
class CrashDisk {
 public:
  // Calls `before_sync` whenever the process is about to sync something, until the object goes.
  CrashDisk(std::string root, std::function<void()> before_sync);
  ~CrashDisk();

  // From now on, or no longer, every sync fails with EIO and makes nothing safe.
  void FailSyncs(bool fail);

  // What a crash right now would leave. Zeros at the end of a file may be left out.
  DiskImage Image(Crash crash) const;

  static void Restore(const DiskImage& image, const std::string& directory);
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_DISK_TEST_CRASH_DISK_H_
