// The collector's long-term public key, as the shuffler is given it.
#ifndef TOMBOLA_SHUFFLER_CATALOG_PUBLIC_KEY_FILE_H_
#define TOMBOLA_SHUFFLER_CATALOG_PUBLIC_KEY_FILE_H_

#include <array>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace tombola::shuffler {

// NotFound or PermissionDenied name the file; InvalidArgument: it does not hold 64 hexadecimal
// digits.
absl::StatusOr<std::array<uint8_t, 32>> ReadPublicKey(const std::string& path);

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_CATALOG_PUBLIC_KEY_FILE_H_
