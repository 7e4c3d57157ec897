// CRC-32C (Castagnoli), as in RFC 3720, appendix B.4: what guards the store's files against torn
// and rotten bytes. No protection against somebody who writes them on purpose.
#ifndef TOMBOLA_SHUFFLER_DISK_CRC32C_H_
#define TOMBOLA_SHUFFLER_DISK_CRC32C_H_

#include <cstdint>

#include "absl/types/span.h"

namespace tombola::shuffler {

// The checksum of `data` appended to what `crc` is the checksum of; 0 is that of nothing. Uses the
// processor's instruction where there is one. Thread-safe.
uint32_t Crc32c(absl::Span<const uint8_t> data, uint32_t crc = 0);

// The same from a table, on any processor.
uint32_t Crc32cByTable(absl::Span<const uint8_t> data, uint32_t crc = 0);

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_DISK_CRC32C_H_
