#include "common/http/tokens.h"

#include "common/base/status_macros.h"
#include "common/crypto/sha256.h"
#include "common/log/log.h"

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
  TOMBOLA_ASSIGN_OR_RETURN(
      auto entries,
      Entries::Load({.files = {path},
                     .read = [path] { return ReadTokenFile(path); },
                     .refused = std::move(refused),
                     // Whoever takes the file away means that nobody is let in.
                     .when_gone = std::make_shared<const std::vector<TokenEntry>>()}));
  return std::shared_ptr<Tokens>(new Tokens(std::move(entries)));
}

absl::StatusOr<std::shared_ptr<Tokens>> Tokens::Follow(const std::string& path) {
  if (path.empty()) return std::shared_ptr<Tokens>();
  return Load(path, [](const absl::Status& status) {
    log::Warning("tokens_refused", {{"status", status.ToString()}});
  });
}

std::optional<TokenGrant> Tokens::Find(absl::string_view token, absl::Time now) const {
  const crypto::Sha256Digest digest = crypto::Sha256(token);
  std::optional<TokenGrant> found;
  const std::shared_ptr<const std::vector<TokenEntry>> entries = entries_->Current();
  for (const TokenEntry& entry : *entries) {
    if (Same(entry.digest, digest) && now < entry.expires) found = entry;
  }
  return found;
}

}  // namespace tombola::http
