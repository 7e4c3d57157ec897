// What is kept of a batch to judge its devices by, as bytes.
#ifndef TOMBOLA_COLLECTOR_INGEST_BATCH_QUALITY_H_
#define TOMBOLA_COLLECTOR_INGEST_BATCH_QUALITY_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "collector/aggregate/hash_tally.h"

namespace tombola::collector {

struct BatchQuality {
  int64_t duplicates = 0;  // submissions that the shuffler recognised, by the manifest
  HashTally hashes;        // of the good reports of a counted batch

  BatchQuality& operator+=(const BatchQuality& other);
};

// One byte for the version, 1; duplicates, 8 bytes; the numbers of classes of functions and of
// buckets, 2 bytes each; a count of 8 bytes for each class. Little-endian.
std::string ToBytes(const BatchQuality& quality);
// DataLoss: not what ToBytes wrote.
absl::StatusOr<BatchQuality> BatchQualityFromBytes(absl::string_view bytes);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_INGEST_BATCH_QUALITY_H_
