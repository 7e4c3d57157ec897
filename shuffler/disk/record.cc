#include "shuffler/disk/record.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/encoding.h"
#include "shuffler/disk/crc32c.h"

namespace tombola::shuffler {
namespace {

constexpr size_t kKindBytes = 8;
constexpr uint32_t kVersion = 2;

}  // namespace

std::string WrapRecord(absl::string_view kind, absl::string_view body) {
  TOMBOLA_CHECK(kind.size() == kKindBytes);
  std::string record(kind);
  PutNumber<uint32_t>(kVersion, record);
  PutNumber<uint32_t>(static_cast<uint32_t>(body.size()), record);
  absl::StrAppend(&record, body);
  PutNumber<uint32_t>(Crc32c(AsBytes(record)), record);
  return record;
}

absl::StatusOr<absl::Span<const uint8_t>> UnwrapRecord(absl::string_view kind,
                                                       absl::Span<const uint8_t> bytes,
                                                       absl::string_view path) {
  Decoder decoder(bytes);
  const absl::Span<const uint8_t> found_kind = decoder.Take(kKindBytes);
  const uint32_t version = decoder.Number<uint32_t>();
  const uint32_t length = decoder.Number<uint32_t>();
  const absl::Span<const uint8_t> body = decoder.Take(length);
  const uint32_t checksum = decoder.Number<uint32_t>();
  if (!decoder.ok() || decoder.left() != 0) {
    return absl::DataLossError(
        absl::StrCat(path, ": ", bytes.size(), " bytes are no whole record"));
  }
  if (AsView(found_kind) != kind) {
    return absl::DataLossError(absl::StrCat(path, ": not of the kind ", kind));
  }
  if (checksum != Crc32c(bytes.first(bytes.size() - sizeof(checksum)))) {
    return absl::DataLossError(absl::StrCat(path, ": the record's checksum is wrong"));
  }
  if (version != kVersion) {
    return absl::DataLossError(
        absl::StrCat(path, ": format version ", version, ", this program reads ", kVersion));
  }
  return body;
}

}  // namespace tombola::shuffler
