// The ids that every party uses, and their spelling in file names, logs and JSON: lower-case hex.
#ifndef TOMBOLA_COMMON_BASE_IDS_H_
#define TOMBOLA_COMMON_BASE_IDS_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tombola {

using TaskId = std::array<uint8_t, 32>;        // SHA-256 of the task's bytes
using KeyId = std::array<uint8_t, 8>;          // the first bytes of SHA-256 of an HPKE public key
using BatchId = std::array<uint8_t, 16>;       // random
using SubmissionId = std::array<uint8_t, 16>;  // random

template <size_t N>
absl::string_view AsView(const std::array<uint8_t, N>& id) {
  return absl::string_view(reinterpret_cast<const char*>(id.data()), N);
}

template <size_t N>
std::string ToHex(const std::array<uint8_t, N>& id) {
  return absl::BytesToHexString(AsView(id));
}

// The id in exactly its number of bytes, or nothing if there are more or fewer.
template <typename Id>
std::optional<Id> IdFromBytes(absl::string_view bytes) {
  Id id;
  if (bytes.size() != id.size()) return std::nullopt;
  std::copy(bytes.begin(), bytes.end(), id.begin());
  return id;
}

// The id of a field that somebody else filled in. InvalidArgument names the field and how many
// bytes it must have.
template <typename Id>
absl::StatusOr<Id> RequireId(absl::string_view field, absl::string_view bytes) {
  if (const std::optional<Id> id = IdFromBytes<Id>(bytes); id.has_value()) return *id;
  return absl::InvalidArgumentError(
      absl::StrCat(field, " must be ", std::tuple_size_v<Id>, " bytes"));
}

// Nothing unless `hex` is exactly two lower-case digits a byte, so that an id has one spelling.
template <typename Id>
std::optional<Id> IdFromHex(absl::string_view hex) {
  if (hex.size() != 2 * std::tuple_size_v<Id>) return std::nullopt;
  for (const char c : hex) {
    if (!absl::ascii_isdigit(c) && !(c >= 'a' && c <= 'f')) return std::nullopt;
  }
  return IdFromBytes<Id>(absl::HexStringToBytes(hex));
}

}  // namespace tombola

#endif  // TOMBOLA_COMMON_BASE_IDS_H_
