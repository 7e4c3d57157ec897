#include "common/disk/file_stamp.h"

#include <sys/stat.h>

namespace tombola {
namespace {

int64_t Nanoseconds(const struct timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

FileStamp StampOf(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return {};
  return {.device = info.st_dev,
          .inode = info.st_ino,
          .size = info.st_size,
          .modified = Nanoseconds(info.st_mtim),
          .changed = Nanoseconds(info.st_ctim)};
}

}  // namespace tombola
