// A checksum over the columns of a row.
#ifndef TOMBOLA_COLLECTOR_DATABASE_ROW_DIGEST_H_
#define TOMBOLA_COLLECTOR_DATABASE_ROW_DIGEST_H_

#include <cstdint>
#include <initializer_list>

#include "absl/strings/string_view.h"
#include "absl/types/variant.h"
#include "common/crypto/sha256.h"

namespace tombola::collector {

using Column = absl::variant<int64_t, absl::string_view>;

// SHA-256 over the columns in their order: an integer as 8 bytes, a blob as its length in 8 bytes
// and its bytes, both little-endian. SQLite checks the form of its pages and not what they hold;
// this tells a row that the medium has changed. It is no secret and stops no forger.
crypto::Sha256Digest RowDigest(std::initializer_list<Column> columns);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_DATABASE_ROW_DIGEST_H_
