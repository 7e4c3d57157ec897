#include "collector/backup/manifest.h"

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "common/base/ids.h"

namespace tombola::collector {
namespace {

constexpr absl::string_view kTitle = "tombola collector backup ";
constexpr absl::string_view kVersion = "1";
constexpr absl::string_view kChecksum = "checksum ";

absl::Status Damaged() { return absl::DataLossError("the backup's manifest is damaged"); }

bool ParseLine(absl::string_view line, BackupManifest* manifest) {
  const std::vector<absl::string_view> words = absl::StrSplit(line, ' ');
  int64_t seconds = 0;
  if (words[0] == "taken" && words.size() == 2 && absl::SimpleAtoi(words[1], &seconds)) {
    manifest->taken = absl::FromUnixSeconds(seconds);
    return true;
  }
  if (words[0] == "program" && words.size() == 2) {
    manifest->program = std::string(words[1]);
    return true;
  }
  if (words[0] == "database" && words.size() == 3) {
    const auto digest = IdFromBytes<crypto::Sha256Digest>(absl::HexStringToBytes(words[2]));
    if (digest.has_value()) manifest->marks[std::string(words[1])] = *digest;
    return digest.has_value();
  }
  // A name is 16 hexadecimal digits and an ending: it leads nowhere else.
  if (words[0] == "key" && words.size() == 2 && words[1].size() == 20 &&
      absl::EndsWith(words[1], ".key") && !absl::StrContains(words[1], '/')) {
    manifest->keys.emplace_back(words[1]);
    return true;
  }
  return false;
}

}  // namespace

std::string Print(const BackupManifest& manifest) {
  std::string text = absl::StrCat(kTitle, kVersion, "\ntaken ", absl::ToUnixSeconds(manifest.taken),
                                  "\nprogram ", manifest.program, "\n");
  for (const auto& [name, digest] : manifest.marks) {
    absl::StrAppend(&text, "database ", name, " ", ToHex(digest), "\n");
  }
  for (const std::string& name : manifest.keys) absl::StrAppend(&text, "key ", name, "\n");
  const crypto::Sha256Digest checksum = crypto::Sha256(text);
  return absl::StrCat(text, kChecksum, ToHex(checksum), "\n");
}

absl::StatusOr<BackupManifest> ParseBackupManifest(const std::string& text) {
  const size_t end = absl::string_view(text).rfind(kChecksum);
  if (end == absl::string_view::npos) return Damaged();
  absl::string_view lines = absl::string_view(text).substr(0, end);
  const crypto::Sha256Digest checksum = crypto::Sha256(lines);
  if (text.substr(end) != absl::StrCat(kChecksum, ToHex(checksum), "\n")) return Damaged();
  if (!absl::ConsumePrefix(&lines, kTitle)) return Damaged();
  if (!absl::ConsumePrefix(&lines, absl::StrCat(kVersion, "\n"))) {
    return absl::FailedPreconditionError(absl::StrCat("the backup is of format version ",
                                                      lines.substr(0, lines.find('\n')),
                                                      ", this program's is ", kVersion));
  }
  BackupManifest manifest;
  for (const absl::string_view line : absl::StrSplit(lines, '\n', absl::SkipEmpty())) {
    if (!ParseLine(line, &manifest)) return Damaged();
  }
  return manifest;
}

}  // namespace tombola::collector
