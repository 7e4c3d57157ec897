// Whether a file is still the one that was read.
#ifndef TOMBOLA_COMMON_DISK_FILE_STAMP_H_
#define TOMBOLA_COMMON_DISK_FILE_STAMP_H_

#include <cstdint>
#include <string>

namespace tombola {

// What changes when a file is written, replaced or given other rights.
struct FileStamp {
  uint64_t device = 0, inode = 0;
  int64_t size = -1, modified = 0, changed = 0;

  bool operator==(const FileStamp&) const = default;
};

// Of a file that cannot be looked at: that of no file. Taken before a reading, so that what changes
// meanwhile is read again.
FileStamp StampOf(const std::string& path);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_DISK_FILE_STAMP_H_
