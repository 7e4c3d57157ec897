// Bearer tokens and what they stand for.
#ifndef TOMBOLA_COMMON_HTTP_TOKENS_H_
#define TOMBOLA_COMMON_HTTP_TOKENS_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/disk/followed.h"
#include "common/http/token_file.h"

namespace tombola::http {

// Follows a file of mode 0600 (token_file.h). The tokens themselves are in no file of the daemon. A
// file that changes is taken over as a whole or not at all, without a restart; one that is gone or
// empty has no token any more. Thread-safe.
class Tokens {
 public:
  // Told once for every change of the file that is not taken over, and when it is gone.
  using Refused = std::function<void(const absl::Status&)>;

  // As ReadTokenFile.
  static absl::StatusOr<std::shared_ptr<Tokens>> Load(const std::string& path,
                                                      Refused refused = {});
  // The same for a daemon, which logs tokens_refused; none if the path is empty.
  static absl::StatusOr<std::shared_ptr<Tokens>> Follow(const std::string& path);
  // What a token stands for; nothing if there is no such token, or it has expired. Time does not
  // depend on how near it is. Looks whether the file has changed, which costs a call of stat.
  std::optional<TokenGrant> Find(absl::string_view token, absl::Time now) const;
  // Reads the file even if it looks unchanged. Not OK: it was not taken over, of which Refused is
  // told as well.
  absl::Status Reload() { return entries_->Reload(); }

 private:
  using Entries = Followed<std::vector<TokenEntry>>;

  explicit Tokens(std::unique_ptr<Entries> entries) : entries_(std::move(entries)) {}

  const std::unique_ptr<Entries> entries_;
};

}  // namespace tombola::http

#endif  // TOMBOLA_COMMON_HTTP_TOKENS_H_
