// The file of bearer tokens: who may ask, by what they know.
#ifndef TOMBOLA_COMMON_HTTP_TOKEN_FILE_H_
#define TOMBOLA_COMMON_HTTP_TOKEN_FILE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/crypto/sha256.h"
#include "common/random/random_source.h"

namespace tombola::http {

// What a token stands for.
struct TokenGrant {
  std::string role = {};
  std::string name = {};  // for people: whose it is
  absl::Time expires = absl::InfiniteFuture();
  // The tasks that its holder may read, as 64 hexadecimal digits each; empty: all. Only analysts
  // can be limited so: the other roles see the counts of all tasks at once.
  std::vector<std::string> tasks = {};
};

struct TokenEntry : TokenGrant {
  crypto::Sha256Digest digest{};  // of the token
};

// OK for a role that a token may stand for: analyst, administrator, operator or monitor.
absl::Status CheckTokenRole(absl::string_view role);
// OK for 1 to 64 bytes of UTF-8 in one line, without '#', without spaces at its ends, and not with
// `expires=` or `tasks=` at its beginning.
absl::Status CheckTokenName(absl::string_view name);

// A line a token: role, 64 hexadecimal digits, then if wanted `expires=` with a time such as
// 2027-01-31T08:00:00Z and `tasks=` with ids and commas between them, then the name; '#' begins a
// comment. InvalidArgument names the number of a line that is not so, or whose name or digest
// another line has.
absl::StatusOr<std::vector<TokenEntry>> ParseTokens(absl::string_view text);

// The entries of a file; an empty one has none. NotFound; PermissionDenied, with the remedy, if
// group or others may read it or change what is in its directory; InvalidArgument as above, with
// the path.
absl::StatusOr<std::vector<TokenEntry>> ReadTokenFile(const std::string& path);

// Draws a token, adds its line to the file, which is made with mode 0600 if it is not there, and
// returns the token. InvalidArgument: the grant is not as above. The token is 43 characters of
// base64url and written nowhere else. AlreadyExists: the
// name is taken. Otherwise as ReadTokenFile and WriteSecretFile. Lines and comments that are there
// stay; so does the owner of the file, as far as this process may decide that. Of several processes
// that change files of a directory one waits for the other.
absl::StatusOr<std::string> CreateToken(const std::string& path, const TokenGrant& grant,
                                        RandomSource& random);

// Takes the line of this name out of the file. NotFound: there is no such file or name.
absl::Status RevokeToken(const std::string& path, absl::string_view name);

// Makes the file anew, without a token.
absl::Status ClearTokens(const std::string& path);

}  // namespace tombola::http

#endif  // TOMBOLA_COMMON_HTTP_TOKEN_FILE_H_
