#include "collector/aggregate/counts.h"

#include <cstring>
#include <utility>

namespace tombola::collector {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are stored little-endian");

constexpr uint8_t kVersion = 1;

template <typename Number>
void Append(Number number, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(&number), sizeof(number));
}

void AppendAll(const std::vector<int64_t>& counts, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(counts.data()), counts.size() * sizeof(int64_t));
}

// Takes a number off the front.
template <typename Number>
bool Take(absl::string_view* bytes, Number* number) {
  if (bytes->size() < sizeof(Number)) return false;
  std::memcpy(number, bytes->data(), sizeof(Number));
  bytes->remove_prefix(sizeof(Number));
  return true;
}

bool TakeAll(absl::string_view* bytes, size_t number, std::vector<int64_t>* counts) {
  const size_t size = number * sizeof(int64_t);
  if (bytes->size() < size) return false;
  counts->resize(number);
  if (number > 0) std::memcpy(counts->data(), bytes->data(), size);
  bytes->remove_prefix(size);
  return true;
}

bool TakeTable(absl::string_view* bytes, TableCounts* table) {
  uint32_t cells = 0;
  uint16_t functions = 0, buckets = 0;
  return Take(bytes, &cells) && Take(bytes, &functions) && Take(bytes, &buckets) &&
         Take(bytes, &table->reports) && TakeAll(bytes, cells, &table->counts) &&
         TakeAll(bytes, functions, &table->hashes.functions) &&
         TakeAll(bytes, buckets, &table->hashes.buckets);
}

bool OfOneTable(const TableCounts& a, const TableCounts& b) {
  return a.counts.size() == b.counts.size() &&
         a.hashes.functions.size() == b.hashes.functions.size() &&
         a.hashes.buckets.size() == b.hashes.buckets.size();
}

}  // namespace

absl::Status Counts::Merge(Counts other) {
  if (other.tables.empty()) return absl::OkStatus();
  if (tables.empty()) {
    *this = std::move(other);
    return absl::OkStatus();
  }
  bool same = tables.size() == other.tables.size();
  for (size_t i = 0; same && i < tables.size(); ++i) {
    same = OfOneTable(tables[i], other.tables[i]);
  }
  if (!same) return absl::InvalidArgumentError("counts must be of the same tables");
  for (size_t i = 0; i < tables.size(); ++i) {
    tables[i].reports += other.tables[i].reports;
    for (size_t cell = 0; cell < tables[i].counts.size(); ++cell) {
      tables[i].counts[cell] += other.tables[i].counts[cell];
    }
    tables[i].hashes.Merge(other.tables[i].hashes);
  }
  return absl::OkStatus();
}

std::string ToBytes(const Counts& counts) {
  std::string bytes;
  Append(kVersion, &bytes);
  Append(static_cast<uint16_t>(counts.tables.size()), &bytes);
  for (const TableCounts& table : counts.tables) {
    Append(static_cast<uint32_t>(table.counts.size()), &bytes);
    Append(static_cast<uint16_t>(table.hashes.functions.size()), &bytes);
    Append(static_cast<uint16_t>(table.hashes.buckets.size()), &bytes);
    Append(table.reports, &bytes);
    AppendAll(table.counts, &bytes);
    AppendAll(table.hashes.functions, &bytes);
    AppendAll(table.hashes.buckets, &bytes);
  }
  return bytes;
}

absl::StatusOr<Counts> CountsFromBytes(absl::string_view bytes) {
  const absl::Status damaged = absl::DataLossError("the counts of a batch are damaged");
  uint8_t version = 0;
  uint16_t tables = 0;
  if (!Take(&bytes, &version) || version != kVersion || !Take(&bytes, &tables)) return damaged;
  Counts counts;
  for (uint16_t i = 0; i < tables; ++i) {
    if (!TakeTable(&bytes, &counts.tables.emplace_back())) return damaged;
  }
  if (!bytes.empty()) return damaged;
  return counts;
}

}  // namespace tombola::collector
