#include "collector/backup/manifest.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "collector/data_directory.h"
#include "common/base/ids.h"
#include "common/crypto/sha256.h"

namespace tombola::collector {
namespace {

constexpr absl::string_view kTitle = "tombola collector backup ";
constexpr absl::string_view kVersion = "2";
constexpr absl::string_view kChecksum = "checksum ";

absl::Status Damaged() { return absl::DataLossError("the backup's manifest is damaged"); }

bool IsDatabase(absl::string_view path) {
  return std::find(std::begin(kDatabases), std::end(kDatabases), path) != std::end(kDatabases);
}

bool IsPrivateKey(absl::string_view path) {
  return absl::ConsumePrefix(&path, absl::StrCat(kKeysDirectory, "/")) &&
         absl::ConsumeSuffix(&path, ".key") && IdFromHex<KeyId>(path).has_value();
}

bool IsOfABackup(absl::string_view path) {
  return IsDatabase(absl::StripSuffix(path, ".mark")) || IsPrivateKey(path);
}

bool ParseFile(const std::vector<absl::string_view>& words, BackupManifest* manifest) {
  const auto digest = IdFromHex<crypto::Sha256Digest>(words[2]);
  crypto::FileDigest file;
  if (!digest.has_value() || !absl::SimpleAtoi(words[1], &file.bytes)) return false;
  file.sha256 = *digest;
  return IsOfABackup(words[3]) && manifest->files.try_emplace(std::string(words[3]), file).second;
}

bool HasAllDatabases(const BackupManifest& manifest) {
  return std::all_of(std::begin(kDatabases), std::end(kDatabases), [&](absl::string_view name) {
    return manifest.files.contains(std::string(name)) &&
           manifest.files.contains(absl::StrCat(name, ".mark"));
  });
}

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
  if (words[0] == "file" && words.size() == 4) return ParseFile(words, manifest);
  return false;
}

}  // namespace

std::string Print(const BackupManifest& manifest) {
  std::string text = absl::StrCat(kTitle, kVersion, "\ntaken ", absl::ToUnixSeconds(manifest.taken),
                                  "\nprogram ", manifest.program, "\n");
  for (const auto& [path, file] : manifest.files) {
    absl::StrAppend(&text, "file ", file.bytes, " ", ToHex(file.sha256), " ", path, "\n");
  }
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
    return absl::FailedPreconditionError(absl::StrCat(
        "the backup is of format version ", lines.substr(0, lines.find('\n')),
        ", this program's is ", kVersion, ": restore it with the version that made it"));
  }
  BackupManifest manifest;
  for (const absl::string_view line : absl::StrSplit(lines, '\n', absl::SkipEmpty())) {
    if (!ParseLine(line, &manifest)) return Damaged();
  }
  if (!HasAllDatabases(manifest)) return Damaged();
  return manifest;
}

}  // namespace tombola::collector
