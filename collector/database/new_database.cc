#include <sqlite3.h>

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "collector/database/database.h"
#include "common/base/status_macros.h"
#include "common/disk/directory.h"
#include "common/disk/whole_file.h"

namespace tombola::collector {
namespace {

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
struct FreeBytes {
  void operator()(unsigned char* bytes) const { sqlite3_free(bytes); }
};

// Offsets in SQLite's file header of the versions that a program must have to write and to read the
// file; 2 is write-ahead mode (SQLite, "Database File Format", section 1.3.3).
constexpr size_t kWriteVersion = 18, kReadVersion = 19;
constexpr char kWriteAhead = 2;

absl::StatusOr<std::string> ImageOf(const std::string& sql) {
  sqlite3* handle = nullptr;
  const int opened = sqlite3_open(":memory:", &handle);
  const std::unique_ptr<sqlite3, CloseDatabase> database(handle);
  if (opened != SQLITE_OK ||
      sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return absl::InternalError(absl::StrCat("database: ", sqlite3_errmsg(handle)));
  }
  sqlite3_int64 size = 0;
  const std::unique_ptr<unsigned char, FreeBytes> bytes(
      sqlite3_serialize(handle, "main", &size, /*mFlags=*/0));
  if (bytes == nullptr) return absl::InternalError("database: cannot be made");
  std::string image(reinterpret_cast<const char*>(bytes.get()), static_cast<size_t>(size));
  image[kWriteVersion] = kWriteAhead;
  image[kReadVersion] = kWriteAhead;
  return image;
}

}  // namespace

absl::Status MakeDatabase(const std::string& path, const std::string& sql) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::string image, ImageOf(sql));
  const std::string log = absl::StrCat(path, "-wal");
  TOMBOLA_RETURN_IF_ERROR(RemoveFile(log));
  return ReplaceFile(path, image);
}

}  // namespace tombola::collector
