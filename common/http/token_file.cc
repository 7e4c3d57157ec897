#include "common/http/token_file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/base/ids.h"
#include "common/base/roles.h"
#include "common/base/status_macros.h"
#include "common/crypto/key_file.h"
#include "common/disk/lock.h"
#include "common/text/utf8.h"

namespace tombola::http {
namespace {

constexpr size_t kTokenBytes = 32;
constexpr size_t kMaxNameBytes = 64;
constexpr absl::string_view kFirstLine =
    "# role, SHA-256 of the token, [expires=TIME] [tasks=ID,ID] name\n";
constexpr absl::string_view kExpires = "expires=";
constexpr absl::string_view kTasks = "tasks=";

absl::string_view WithoutComment(absl::string_view line) {
  return absl::StripAsciiWhitespace(line.substr(0, line.find('#')));
}

// The first word of `rest`, which loses it.
absl::string_view TakeWord(absl::string_view* rest) {
  const size_t end = std::min(rest->find_first_of(" \t"), rest->size());
  const absl::string_view word = rest->substr(0, end);
  *rest = absl::StripAsciiWhitespace(rest->substr(end));
  return word;
}

absl::Status ParseExpires(absl::string_view text, TokenGrant* grant) {
  std::string error;
  if (absl::ParseTime(absl::RFC3339_full, text, &grant->expires, &error)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("expires= must be a time such as 2027-01-31T08:00:00Z: ", error));
}

absl::Status CheckTasks(const TokenGrant& grant) {
  if (!grant.tasks.empty() && grant.role != kRoleAnalyst) {
    return absl::InvalidArgumentError("only the role analyst can be limited to tasks");
  }
  for (const std::string& task : grant.tasks) {
    if (!IdFromHex<TaskId>(task).has_value()) {
      return absl::InvalidArgumentError(
          "each task must be an id, 64 lower-case hexadecimal digits");
    }
  }
  return absl::OkStatus();
}

// The limits of a token, each at most once, which `line` loses.
absl::Status TakeLimits(absl::string_view* line, TokenGrant* grant) {
  if (absl::StartsWith(*line, kExpires)) {
    TOMBOLA_RETURN_IF_ERROR(ParseExpires(TakeWord(line).substr(kExpires.size()), grant));
  }
  if (absl::StartsWith(*line, kTasks)) {
    grant->tasks = absl::StrSplit(TakeWord(line).substr(kTasks.size()), ',');
  }
  return CheckTasks(*grant);
}

absl::StatusOr<TokenEntry> ParseLine(absl::string_view line) {
  TokenEntry entry;
  entry.role = std::string(TakeWord(&line));
  TOMBOLA_RETURN_IF_ERROR(CheckTokenRole(entry.role));
  const absl::string_view digest = TakeWord(&line);
  if (digest.size() != 2 * crypto::kSha256Bytes ||
      !std::all_of(digest.begin(), digest.end(), absl::ascii_isxdigit)) {
    return absl::InvalidArgumentError("after the role must stand 64 hexadecimal digits");
  }
  const std::string bytes = absl::HexStringToBytes(digest);
  std::copy(bytes.begin(), bytes.end(), entry.digest.begin());
  TOMBOLA_RETURN_IF_ERROR(TakeLimits(&line, &entry));
  TOMBOLA_RETURN_IF_ERROR(CheckTokenName(line));
  entry.name = std::string(line);
  return entry;
}

absl::Status CheckUnlike(const std::vector<TokenEntry>& entries, const TokenEntry& next) {
  for (const TokenEntry& entry : entries) {
    if (entry.name == next.name) {
      return absl::InvalidArgumentError("another line has the same name");
    }
    if (entry.digest == next.digest) {
      return absl::InvalidArgumentError("another line has the same token");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadText(const std::string& path, crypto::AllowedOwner owner) {
  TOMBOLA_RETURN_IF_ERROR(crypto::CheckDirectoryOfSecret(path));
  const absl::StatusOr<crypto::SecretBytes> text = crypto::ReadSecretFile(path, owner);
  std::error_code error;
  if (absl::IsInvalidArgument(text.status()) && std::filesystem::file_size(path, error) == 0 &&
      !error) {
    return std::string();  // which no secret is, but a file without tokens
  }
  TOMBOLA_RETURN_IF_ERROR(text.status());
  return std::string(text->ExposeSecretAsString());
}

absl::StatusOr<std::vector<TokenEntry>> ParseNaming(const std::string& path,
                                                    absl::string_view text) {
  auto entries = ParseTokens(text);
  if (entries.ok()) return entries;
  return absl::InvalidArgumentError(absl::StrCat(path, ", ", entries.status().message()));
}

// As a line has them before the name.
std::string Limits(const TokenGrant& grant) {
  std::string text;
  if (grant.expires != absl::InfiniteFuture()) {
    absl::StrAppend(&text, kExpires,
                    absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", grant.expires, absl::UTCTimeZone()),
                    " ");
  }
  if (!grant.tasks.empty()) {
    absl::StrAppend(&text, kTasks, absl::StrJoin(grant.tasks, ","), " ");
  }
  return text;
}

absl::Status Replace(const std::string& path, absl::string_view text) {
  return crypto::WriteSecretFile(path, crypto::SecretBytes(text), crypto::ExistingFile::kReplace);
}

}  // namespace

absl::Status CheckTokenRole(absl::string_view role) {
  if (role == kRoleAnalyst || role == kRoleAdministrator || role == kRoleOperator ||
      role == kRoleMonitor) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError("the role must be analyst, administrator, operator or monitor");
}

absl::Status CheckTokenName(absl::string_view name) {
  if (!name.empty() && name.size() <= kMaxNameBytes && IsPlainText(name) &&
      name.find('#') == absl::string_view::npos && absl::StripAsciiWhitespace(name) == name &&
      !absl::StartsWith(name, kExpires) && !absl::StartsWith(name, kTasks)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "the name must be one line of 1 to ", kMaxNameBytes,
      " bytes of text, without '#' and without spaces at its ends, and not begin with ", kExpires,
      " or ", kTasks));
}

absl::StatusOr<std::vector<TokenEntry>> ParseTokens(absl::string_view text) {
  std::vector<TokenEntry> entries;
  int64_t number = 0;
  for (const absl::string_view whole : absl::StrSplit(text, '\n')) {
    ++number;
    const absl::string_view line = WithoutComment(whole);
    if (line.empty()) continue;
    absl::StatusOr<TokenEntry> entry = ParseLine(line);
    const absl::Status status = entry.ok() ? CheckUnlike(entries, *entry) : entry.status();
    if (!status.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("line ", number, ": ", status.message()));
    }
    entries.push_back(*std::move(entry));
  }
  return entries;
}

absl::StatusOr<std::vector<TokenEntry>> ReadTokenFile(const std::string& path) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::string text,
                           ReadText(path, crypto::AllowedOwner::kSelfOrRoot));
  return ParseNaming(path, text);
}

absl::StatusOr<std::string> CreateToken(const std::string& path, const TokenGrant& grant,
                                        RandomSource& random) {
  TOMBOLA_RETURN_IF_ERROR(CheckTokenRole(grant.role));
  TOMBOLA_RETURN_IF_ERROR(CheckTokenName(grant.name));
  TOMBOLA_RETURN_IF_ERROR(CheckTasks(grant));
  TOMBOLA_ASSIGN_OR_RETURN(const DiskLock lock, DiskLock::WaitForDirectoryOf(path));
  absl::StatusOr<std::string> text = ReadText(path, crypto::AllowedOwner::kAnybodyForRoot);
  if (absl::IsNotFound(text.status())) text = std::string(kFirstLine);
  TOMBOLA_RETURN_IF_ERROR(text.status());
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<TokenEntry> entries, ParseNaming(path, *text));
  for (const TokenEntry& entry : entries) {
    if (entry.name == grant.name) {
      return absl::AlreadyExistsError(
          absl::StrCat(path, " has a token with the name ", grant.name,
                       " already: revoke it first, or take another name"));
    }
  }
  std::array<uint8_t, kTokenBytes> bytes;
  random.Fill(absl::MakeSpan(bytes));
  const std::string token = absl::WebSafeBase64Escape(
      absl::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  const crypto::Sha256Digest digest = crypto::Sha256(token);
  if (!text->empty() && text->back() != '\n') text->push_back('\n');
  absl::StrAppend(&*text, grant.role, " ",
                  absl::BytesToHexString(absl::string_view(
                      reinterpret_cast<const char*>(digest.data()), digest.size())),
                  " ", Limits(grant), grant.name, "\n");
  TOMBOLA_RETURN_IF_ERROR(Replace(path, *text));
  return token;
}

absl::Status RevokeToken(const std::string& path, absl::string_view name) {
  TOMBOLA_ASSIGN_OR_RETURN(const DiskLock lock, DiskLock::WaitForDirectoryOf(path));
  TOMBOLA_ASSIGN_OR_RETURN(const std::string text,
                           ReadText(path, crypto::AllowedOwner::kAnybodyForRoot));
  TOMBOLA_RETURN_IF_ERROR(ParseNaming(path, text).status());
  std::string kept;
  bool found = false;
  for (const absl::string_view line : absl::StrSplit(absl::StripSuffix(text, "\n"), '\n')) {
    const absl::StatusOr<TokenEntry> entry = ParseLine(WithoutComment(line));
    if (entry.ok() && entry->name == name) {
      found = true;
    } else {
      absl::StrAppend(&kept, line, "\n");
    }
  }
  if (!found) return absl::NotFoundError(absl::StrCat(path, " has no token with the name ", name));
  return Replace(path, kept.empty() ? kFirstLine : kept);
}

absl::Status ClearTokens(const std::string& path) {
  TOMBOLA_ASSIGN_OR_RETURN(const DiskLock lock, DiskLock::WaitForDirectoryOf(path));
  return Replace(path, kFirstLine);
}

}  // namespace tombola::http
