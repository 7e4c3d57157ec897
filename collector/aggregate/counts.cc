#include "collector/aggregate/counts.h"

#include <utility>

#include "common/base/encoding.h"

namespace tombola::collector {
namespace {

constexpr uint8_t kVersion = 2;

TableCounts TakeTable(Decoder& decoder) {
  TableCounts table;
  const auto cells = decoder.Number<uint32_t>();
  const auto functions = decoder.Number<uint16_t>();
  const auto buckets = decoder.Number<uint16_t>();
  table.reports = decoder.Number<int64_t>();
  const auto sparse = decoder.Number<uint64_t>();
  table.counts = decoder.Numbers<int64_t>(cells);
  table.hashes.functions = decoder.Numbers<int64_t>(functions);
  table.hashes.buckets = decoder.Numbers<int64_t>(buckets);
  table.cells = TakeSparse(sparse, decoder);
  return table;
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
    if (!other.tables[i].cells.empty()) {
      tables[i].cells = Sum(tables[i].cells, other.tables[i].cells);
    }
    tables[i].hashes.Merge(other.tables[i].hashes);
  }
  return absl::OkStatus();
}

std::string ToBytes(const Counts& counts) {
  std::string bytes;
  PutNumber(kVersion, bytes);
  PutNumber(static_cast<uint16_t>(counts.tables.size()), bytes);
  for (const TableCounts& table : counts.tables) {
    PutNumber(static_cast<uint32_t>(table.counts.size()), bytes);
    PutNumber(static_cast<uint16_t>(table.hashes.functions.size()), bytes);
    PutNumber(static_cast<uint16_t>(table.hashes.buckets.size()), bytes);
    PutNumber(table.reports, bytes);
    PutNumber(static_cast<uint64_t>(table.cells.size()), bytes);
    PutNumbers(table.counts, bytes);
    PutNumbers(table.hashes.functions, bytes);
    PutNumbers(table.hashes.buckets, bytes);
    PutSparse(table.cells, bytes);
  }
  return bytes;
}

absl::StatusOr<Counts> CountsFromBytes(absl::string_view bytes) {
  const absl::Status damaged = absl::DataLossError("the counts of a batch are damaged");
  Decoder decoder(AsBytes(bytes));
  const auto version = decoder.Number<uint8_t>();
  const auto tables = decoder.Number<uint16_t>();
  if (version != kVersion) return damaged;
  Counts counts;
  for (uint16_t i = 0; decoder.ok() && i < tables; ++i) {
    counts.tables.push_back(TakeTable(decoder));
  }
  if (!decoder.ok() || decoder.left() != 0) return damaged;
  return counts;
}

}  // namespace tombola::collector
