#include "common/http/tokens.h"

#include "common/base/status_macros.h"
#include "common/crypto/sha256.h"

namespace tombola::http {
namespace {

// Looks at every byte, whatever the first ones are.
bool Same(const crypto::Sha256Digest& a, const crypto::Sha256Digest& b) {
  unsigned difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace

absl::StatusOr<std::shared_ptr<Tokens>> Tokens::Load(const std::string& path, Refused refused) {
  std::shared_ptr<Tokens> tokens(new Tokens(path, std::move(refused)));
  const FileStamp stamp = StampOf(path);
  MutexLock lock(tokens->mutex_);
  TOMBOLA_RETURN_IF_ERROR(tokens->TakeOver(stamp));
  return tokens;
}

absl::Status Tokens::TakeOver(const FileStamp& stamp) {
  stamp_ = stamp;
  absl::StatusOr<std::vector<TokenEntry>> entries = ReadTokenFile(path_);
  if (entries.ok()) {
    entries_ = std::make_shared<const std::vector<TokenEntry>>(*std::move(entries));
  } else if (absl::IsNotFound(entries.status())) {
    // Whoever takes the file away means that nobody is let in.
    entries_ = std::make_shared<const std::vector<TokenEntry>>();
  }
  return entries.status();
}

Tokens::Entries Tokens::Current() {
  const FileStamp stamp = StampOf(path_);
  absl::Status taken;
  Entries current;
  {
    MutexLock lock(mutex_);
    if (stamp == stamp_) return entries_;
    taken = TakeOver(stamp);
    current = entries_;
  }
  if (!taken.ok() && refused_) refused_(taken);
  return current;
}

absl::Status Tokens::Reload() {
  const FileStamp stamp = StampOf(path_);
  absl::Status taken;
  {
    MutexLock lock(mutex_);
    taken = TakeOver(stamp);
  }
  if (!taken.ok() && refused_) refused_(taken);
  return taken;
}

std::vector<std::string> Tokens::RolesOf(absl::string_view token) {
  const crypto::Sha256Digest digest = crypto::Sha256(token);
  std::vector<std::string> roles;
  const Entries entries = Current();
  for (const TokenEntry& entry : *entries) {
    if (Same(entry.digest, digest)) roles.push_back(entry.role);
  }
  return roles;
}

}  // namespace tombola::http
