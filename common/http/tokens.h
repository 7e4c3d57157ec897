// Bearer tokens and the roles they stand for.
#ifndef TOMBOLA_COMMON_HTTP_TOKENS_H_
#define TOMBOLA_COMMON_HTTP_TOKENS_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/base/file_stamp.h"
#include "common/base/mutex.h"
#include "common/http/token_file.h"

namespace tombola::http {

// Follows a file of mode 0600 with a line a token: its role, SHA-256 of it in hexadecimal, and a
// name for people; '#' begins a comment. The tokens themselves are in no file of the daemon. A file
// that changes is taken over as a whole or not at all, without a restart; one that is gone or empty
// has no token any more. Thread-safe.
class Tokens {
 public:
  // Told once for every change of the file that is not taken over, and when it is gone.
  using Refused = std::function<void(const absl::Status&)>;

  // As ReadTokenFile.
  static absl::StatusOr<std::shared_ptr<Tokens>> Load(const std::string& path,
                                                      Refused refused = {});
  // The roles of a token; none if there is no such token. Time does not depend on how near it is.
  // Looks whether the file has changed, which costs a call of stat.
  std::vector<std::string> RolesOf(absl::string_view token);
  // Reads the file even if it looks unchanged. Not OK: it was not taken over, of which Refused is
  // told as well.
  absl::Status Reload();

 private:
  using Entries = std::shared_ptr<const std::vector<TokenEntry>>;

  Tokens(std::string path, Refused refused)
      : path_(std::move(path)), refused_(std::move(refused)) {}

  absl::Status TakeOver(const FileStamp& stamp) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Entries Current();

  const std::string path_;
  const Refused refused_;
  Mutex mutex_;
  FileStamp stamp_ ABSL_GUARDED_BY(mutex_);
  Entries entries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tombola::http

#endif  // TOMBOLA_COMMON_HTTP_TOKENS_H_
