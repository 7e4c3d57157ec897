// Secrets in files that only their owner reads.
#ifndef TOMBOLA_COMMON_CRYPTO_KEY_FILE_H_
#define TOMBOLA_COMMON_CRYPTO_KEY_FILE_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/crypto/secret_bytes.h"
#include "common/disk/whole_file.h"

namespace tombola::crypto {

// Room for a device's ledger with the largest submission that a call can carry.
inline constexpr size_t kMaxSecretFileBytes = size_t{8} << 20;

using tombola::ExistingFile;

// Writes the secret, as it is, as WritePrivateFile does. InvalidArgument for an empty secret or one
// above kMaxSecretFileBytes; otherwise as DiskError says (common/disk/file.h), here and
// below.
absl::Status WriteSecretFile(const std::string& path, const SecretBytes& secret,
                             ExistingFile existing);

enum class AllowedOwner {
  kSelfOrRoot,
  kAnybodyForRoot,  // root may read what belongs to another user, to change it for them
};

// The content of `path`. NotFound if it is not there; PermissionDenied, with the remedy, if group
// or others have any right on it or it belongs to another user than this process's or root;
// InvalidArgument if it is no regular file, is empty or is larger
// than kMaxSecretFileBytes.
absl::StatusOr<SecretBytes> ReadSecretFile(const std::string& path,
                                           AllowedOwner owner = AllowedOwner::kSelfOrRoot);

// Overwrites the secret, syncs that, and removes the file. OK if there is none, so that what a
// crash interrupted can be done again. The medium may keep older copies of the blocks: journals,
// snapshots and flash do.
absl::Status DestroySecretFile(const std::string& path);

// PermissionDenied, with the remedy, if somebody else could exchange files of this directory: it
// belongs to another user than this process's or root, or group or others may write it (but for
// one that only lets them remove what is theirs, like /tmp). NotFound if it is not there.
absl::Status CheckSecretDirectory(const std::string& directory);

// The same of the directory that this file lies in.
absl::Status CheckDirectoryOfSecret(const std::string& path);

}  // namespace tombola::crypto

#endif  // TOMBOLA_COMMON_CRYPTO_KEY_FILE_H_
