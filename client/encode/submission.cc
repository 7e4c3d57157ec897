#include "client/encode/submission.h"

#include <algorithm>
#include <cstddef>

#include "absl/container/inlined_vector.h"
#include "common/base/check.h"

namespace tombola::client {
namespace {

// Fisher-Yates on records of one length, so that no place tells which cell a report is of.
void PutInRandomOrder(size_t start, size_t bytes, RandomSource& random, std::string* reports) {
  const auto at = [&](size_t index) {
    return reports->begin() + static_cast<std::ptrdiff_t>(start + index * bytes);
  };
  for (size_t left = (reports->size() - start) / bytes; left > 1; --left) {
    const size_t drawn = UniformBelow(left, random);
    if (drawn + 1 != left) std::swap_ranges(at(left - 1), at(left), at(drawn));
  }
}

}  // namespace

SubmissionEncoder::SubmissionEncoder(const mechanism::Tables& tables) : tables_(tables) {
  for (size_t i = 0; i < tables.size(); ++i) encoders_.push_back(MakeEncoder(tables[i]));
}

int64_t SubmissionEncoder::Encode(const mechanism::Cells& cells, RandomSource& random,
                                  std::string* out) const {
  TOMBOLA_CHECK(!cells.empty());
  const size_t start = out->size();
  int64_t reports = 0;
  size_t tables = 0;
  absl::InlinedVector<uint64_t, 4> indices;
  for (size_t from = 0; from < cells.size(); from += indices.size(), ++tables) {
    const size_t table = cells[from].table;
    TOMBOLA_CHECK(table < tables_.size());
    indices.clear();
    for (size_t i = from; i < cells.size() && cells[i].table == table; ++i) {
      indices.push_back(cells[i].index);
    }
    reports += tables_.size() == 1 ? encoders_[table]->Encode(indices, random, out)
                                   : EncodeNumbered(table, indices, random, out);
  }
  if (tables > 1) PutInRandomOrder(start, tables_.report_bytes(), random, out);
  return reports;
}

int64_t SubmissionEncoder::EncodeNumbered(size_t table, absl::Span<const uint64_t> cells,
                                          RandomSource& random, std::string* out) const {
  std::string own;
  const int64_t reports = encoders_[table]->Encode(cells, random, &own);
  const size_t own_bytes = tables_[table]->report_bytes();
  const size_t zeros = tables_.report_bytes() - tables_.prefix_bytes() - own_bytes;
  for (size_t at = 0; at < own.size(); at += own_bytes) {
    out->push_back(static_cast<char>(table));
    out->append(own, at, own_bytes);
    out->append(zeros, '\0');
  }
  return reports;
}

}  // namespace tombola::client
