// The direct SHA256_ functions, as in sha256.cc.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "common/crypto/file_digest.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/disk/file.h"

namespace tombola::crypto {
namespace {

constexpr size_t kPieceBytes = 1 << 16;

}  // namespace

absl::StatusOr<FileDigest> DigestFile(const std::string& path) {
  TOMBOLA_ASSIGN_OR_RETURN(const File file, File::OpenToRead(path));
  std::vector<uint8_t> piece(kPieceBytes);
  const absl::Cleanup forget = [&piece] { OPENSSL_cleanse(piece.data(), piece.size()); };
  SHA256_CTX state;
  TOMBOLA_CHECK(SHA256_Init(&state) == 1);
  FileDigest digest;
  while (true) {
    const ssize_t got = ::read(file.descriptor(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return DiskError("read", path);
    if (got == 0) break;
    TOMBOLA_CHECK(SHA256_Update(&state, piece.data(), static_cast<size_t>(got)) == 1);
    digest.bytes += got;
  }
  TOMBOLA_CHECK(SHA256_Final(digest.sha256.data(), &state) == 1);
  return digest;
}

}  // namespace tombola::crypto
