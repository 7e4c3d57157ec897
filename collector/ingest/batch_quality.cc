#include "collector/ingest/batch_quality.h"

#include <cstring>
#include <vector>

#include "absl/status/status.h"

namespace tombola::collector {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are stored little-endian");

constexpr uint8_t kVersion = 1;

template <typename Number>
void Append(Number number, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(&number), sizeof(number));
}

// Takes a number off the front.
template <typename Number>
bool Take(absl::string_view* bytes, Number* number) {
  if (bytes->size() < sizeof(Number)) return false;
  std::memcpy(number, bytes->data(), sizeof(Number));
  bytes->remove_prefix(sizeof(Number));
  return true;
}

bool TakeCounts(absl::string_view* bytes, uint16_t number, std::vector<int64_t>* counts) {
  counts->resize(number);
  for (int64_t& count : *counts) {
    if (!Take(bytes, &count)) return false;
  }
  return true;
}

}  // namespace

BatchQuality& BatchQuality::operator+=(const BatchQuality& other) {
  duplicates += other.duplicates;
  hashes.Merge(other.hashes);
  return *this;
}

std::string ToBytes(const BatchQuality& quality) {
  std::string bytes;
  Append(kVersion, &bytes);
  Append(quality.duplicates, &bytes);
  Append(static_cast<uint16_t>(quality.hashes.functions.size()), &bytes);
  Append(static_cast<uint16_t>(quality.hashes.buckets.size()), &bytes);
  for (const int64_t count : quality.hashes.functions) Append(count, &bytes);
  for (const int64_t count : quality.hashes.buckets) Append(count, &bytes);
  return bytes;
}

absl::StatusOr<BatchQuality> BatchQualityFromBytes(absl::string_view bytes) {
  BatchQuality quality;
  uint8_t version = 0;
  uint16_t functions = 0, buckets = 0;
  if (!Take(&bytes, &version) || version != kVersion || !Take(&bytes, &quality.duplicates) ||
      !Take(&bytes, &functions) || !Take(&bytes, &buckets) ||
      !TakeCounts(&bytes, functions, &quality.hashes.functions) ||
      !TakeCounts(&bytes, buckets, &quality.hashes.buckets) || !bytes.empty()) {
    return absl::DataLossError("the quality of a batch is damaged");
  }
  return quality;
}

}  // namespace tombola::collector
