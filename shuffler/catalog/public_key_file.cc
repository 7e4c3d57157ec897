#include "shuffler/catalog/public_key_file.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/base/ids.h"
#include "common/base/status_macros.h"
#include "common/disk/whole_file.h"

namespace tombola::shuffler {

absl::StatusOr<std::array<uint8_t, 32>> ReadPublicKey(const std::string& path) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(path));
  const auto key = IdFromHex<std::array<uint8_t, 32>>(absl::StripAsciiWhitespace(text));
  if (!key.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(path, " must hold 64 hexadecimal digits"));
  }
  return *key;
}

}  // namespace tombola::shuffler
