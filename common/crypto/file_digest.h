// SHA-256 of a file of any size.
#ifndef TOMBOLA_COMMON_CRYPTO_FILE_DIGEST_H_
#define TOMBOLA_COMMON_CRYPTO_FILE_DIGEST_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "common/crypto/sha256.h"

namespace tombola::crypto {

struct FileDigest {
  int64_t bytes = 0;
  Sha256Digest sha256{};

  friend bool operator==(const FileDigest&, const FileDigest&) = default;
};

// Reads the file once, from its beginning, in pieces; none of it stays in memory. Statuses as
// DiskError says.
absl::StatusOr<FileDigest> DigestFile(const std::string& path);

}  // namespace tombola::crypto

#endif  // TOMBOLA_COMMON_CRYPTO_FILE_DIGEST_H_
