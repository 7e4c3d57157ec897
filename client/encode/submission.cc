#include "client/encode/submission.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/string_view.h"
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
  TOMBOLA_CHECK(!cells.empty() && cells.size() <= tables_.size());
  if (tables_.size() == 1) return encoders_.front()->Encode(cells.front().index, random, out);
  const size_t start = out->size();
  int64_t reports = 0;
  for (const mechanism::Cell& cell : cells) reports += EncodeNumbered(cell, random, out);
  if (cells.size() > 1) PutInRandomOrder(start, tables_.report_bytes(), random, out);
  return reports;
}

int64_t SubmissionEncoder::EncodeNumbered(const mechanism::Cell& cell, RandomSource& random,
                                          std::string* out) const {
  TOMBOLA_CHECK(cell.table < tables_.size());
  std::string own;
  const int64_t reports = encoders_[cell.table]->Encode(cell.index, random, &own);
  const size_t own_bytes = tables_[cell.table]->report_bytes();
  const size_t zeros = tables_.report_bytes() - tables_.prefix_bytes() - own_bytes;
  for (size_t at = 0; at < own.size(); at += own_bytes) {
    out->push_back(static_cast<char>(cell.table));
    out->append(own, at, own_bytes);
    out->append(zeros, '\0');
  }
  return reports;
}

}  // namespace tombola::client
