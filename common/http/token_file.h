// The file of bearer tokens: who may ask, by what they know.
#ifndef TOMBOLA_COMMON_HTTP_TOKEN_FILE_H_
#define TOMBOLA_COMMON_HTTP_TOKEN_FILE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/crypto/sha256.h"
#include "common/random/random_source.h"

namespace tombola::http {

struct TokenEntry {
  std::string role;
  crypto::Sha256Digest digest{};  // of the token
  std::string name;               // for people: whose it is
};

// OK for a role that a token may stand for: analyst, administrator, operator or monitor.
absl::Status CheckTokenRole(absl::string_view role);
// OK for 1 to 64 bytes of UTF-8 in one line, without '#' and without spaces at its ends.
absl::Status CheckTokenName(absl::string_view name);

// A line a token: role, 64 hexadecimal digits, name; '#' begins a comment. InvalidArgument names
// the number of a line that is not so, or whose name or digest another line has.
absl::StatusOr<std::vector<TokenEntry>> ParseTokens(absl::string_view text);

// The entries of a file; an empty one has none. NotFound; PermissionDenied, with the remedy, if
// group or others may read it or change what is in its directory; InvalidArgument as above, with
// the path.
absl::StatusOr<std::vector<TokenEntry>> ReadTokenFile(const std::string& path);

// Draws a token, adds its line to the file, which is made with mode 0600 if it is not there, and
// returns the token: 43 characters of base64url. It is written nowhere else. AlreadyExists: the
// name is taken. Otherwise as ReadTokenFile and WriteSecretFile. Lines and comments that are there
// stay; so does the owner of the file, as far as this process may decide that. Of several processes
// that change files of a directory one waits for the other.
absl::StatusOr<std::string> CreateToken(const std::string& path, absl::string_view role,
                                        absl::string_view name, RandomSource& random);

// Takes the line of this name out of the file. NotFound: there is no such file or name.
absl::Status RevokeToken(const std::string& path, absl::string_view name);

// Makes the file anew, without a token.
absl::Status ClearTokens(const std::string& path);

}  // namespace tombola::http

#endif  // TOMBOLA_COMMON_HTTP_TOKEN_FILE_H_
