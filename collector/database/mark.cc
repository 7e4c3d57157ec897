#include "collector/database/mark.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/base/check.h"
#include "common/base/file.h"
#include "common/base/ids.h"
#include "common/base/status_macros.h"
#include "common/crypto/sha256.h"

namespace tombola::collector {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are stored as they lie");

constexpr absl::string_view kMagic = "TMBLMRK1";
// A write that is cut short leaves the other slot's page alone.
constexpr size_t kSlotStride = 4096;
constexpr size_t kFileBytes = 2 * kSlotStride;
constexpr size_t kContentBytes = 8 + sizeof(DatabaseId) + sizeof(int64_t);
constexpr size_t kSlotBytes = kContentBytes + crypto::kSha256Bytes;

std::string SlotOf(const DatabaseId& database, int64_t commits) {
  std::string slot =
      absl::StrCat(kMagic, AsView(database),
                   absl::string_view(reinterpret_cast<const char*>(&commits), sizeof(commits)));
  const crypto::Sha256Digest checksum = crypto::Sha256(slot);
  return absl::StrCat(slot, AsView(checksum));
}

struct Slot {
  DatabaseId database{};
  int64_t commits = 0;
};

std::optional<Slot> ReadSlot(absl::string_view bytes) {
  const absl::string_view content = bytes.substr(0, kContentBytes);
  if (content.substr(0, kMagic.size()) != kMagic) return std::nullopt;
  const crypto::Sha256Digest checksum = crypto::Sha256(content);
  if (bytes.substr(kContentBytes) != AsView(checksum)) return std::nullopt;
  Slot slot;
  std::memcpy(slot.database.data(), content.data() + kMagic.size(), slot.database.size());
  std::memcpy(&slot.commits, content.data() + kMagic.size() + slot.database.size(),
              sizeof(slot.commits));
  return slot;
}

absl::Status Damaged(const std::string& path) {
  return absl::DataLossError(absl::StrCat(path, " is damaged"));
}

// The newer of the slots that are right.
absl::StatusOr<Slot> ReadSlots(absl::string_view content, const std::string& path) {
  if (content.size() != kFileBytes) return Damaged(path);
  const std::optional<Slot> even = ReadSlot(content.substr(0, kSlotBytes));
  const std::optional<Slot> odd = ReadSlot(content.substr(kSlotStride, kSlotBytes));
  if (even.has_value() && odd.has_value()) {
    if (even->database != odd->database) return Damaged(path);
    return even->commits > odd->commits ? *even : *odd;
  }
  if (even.has_value()) return *even;
  if (odd.has_value()) return *odd;
  return Damaged(path);
}

}  // namespace

Mark::Mark(std::string path, int fd, const DatabaseId& database, int64_t commits)
    : path_(std::move(path)), fd_(fd), database_(database), commits_(commits) {}

Mark::Mark(Mark&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      database_(other.database_),
      commits_(other.commits_),
      synced_(other.synced_) {}

Mark::~Mark() {
  if (fd_ >= 0) ::close(fd_);
}

absl::StatusOr<Mark> Mark::Make(const std::string& path, const DatabaseId& database,
                                int64_t commits) {
  std::string content = SlotOf(database, commits);
  content.resize(kSlotStride);
  content += content;
  TOMBOLA_RETURN_IF_ERROR(ReplaceFile(path, content));
  return Open(path);
}

absl::StatusOr<Mark> Mark::Open(const std::string& path) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::string content, ReadSmallFile(path));
  TOMBOLA_ASSIGN_OR_RETURN(const Slot slot, ReadSlots(content, path));
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  return Mark(path, fd, slot.database, slot.commits);
}

absl::Status Mark::Raise(int64_t commits) {
  TOMBOLA_CHECK(commits >= commits_);
  if (commits == commits_ && synced_) return absl::OkStatus();
  const std::string slot = SlotOf(database_, commits);
  const off_t at = commits % 2 == 0 ? 0 : kSlotStride;
  if (::pwrite(fd_, slot.data(), slot.size(), at) != static_cast<ssize_t>(slot.size())) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot write ", path_));
  }
  if (::fdatasync(fd_) != 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot sync ", path_));
  commits_ = commits;
  synced_ = true;
  return absl::OkStatus();
}

}  // namespace tombola::collector
