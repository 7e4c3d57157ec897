#include "collector/database/mark.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/base/check.h"
#include "common/base/encoding.h"
#include "common/base/ids.h"
#include "common/base/status_macros.h"
#include "common/crypto/sha256.h"
#include "common/disk/file.h"
#include "common/disk/whole_file.h"

namespace tombola::collector {
namespace {

constexpr absl::string_view kMagic = "TMBLMRK1";
// A write that is cut short leaves the other slot's page alone.
constexpr size_t kSlotStride = 4096;
constexpr size_t kFileBytes = 2 * kSlotStride;
constexpr size_t kContentBytes = 8 + sizeof(DatabaseId) + sizeof(int64_t);
constexpr size_t kSlotBytes = kContentBytes + crypto::kSha256Bytes;

std::string SlotOf(const DatabaseId& database, int64_t commits) {
  std::string slot(kMagic);
  PutBytes(database, slot);
  PutNumber(commits, slot);
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
  Decoder decoder(AsBytes(content.substr(kMagic.size())));
  Slot slot;
  slot.database = decoder.Bytes<sizeof(DatabaseId)>();
  slot.commits = decoder.Number<int64_t>();
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
  TOMBOLA_ASSIGN_OR_RETURN(File file, File::OpenToWrite(path));
  return Mark(std::move(file), slot.database, slot.commits);
}

absl::Status Mark::Raise(int64_t commits) {
  TOMBOLA_CHECK(commits >= commits_);
  if (commits == commits_ && synced_) return absl::OkStatus();
  const std::string slot = SlotOf(database_, commits);
  TOMBOLA_RETURN_IF_ERROR(file_.WriteAt(commits % 2 == 0 ? 0 : kSlotStride, AsBytes(slot)));
  TOMBOLA_RETURN_IF_ERROR(file_.SyncData());
  commits_ = commits;
  synced_ = true;
  return absl::OkStatus();
}

}  // namespace tombola::collector
