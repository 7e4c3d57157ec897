#include "collector/decode/capped_cells.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "common/accounting/binomial.h"

namespace tombola::collector {
namespace {

constexpr double kSparse = 0.03;  // reports for each cell
constexpr int64_t kCaps[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, kMostCap};
constexpr double kDropped = 0.005;

int CellBitsLog(int64_t cap) {
  int log = 0;
  while ((int64_t{1} << (1 << log)) - 1 < cap) ++log;
  return log;
}

}  // namespace

CellHistogram::CellHistogram(const StringCounts& counts, int64_t level)
    : range_(counts.shape().range()),
      at_least_(static_cast<size_t>(strings::kFunctions * kWidth), 0) {
  const uint64_t base = counts.Base(level);
  int64_t reports = 0;
  for (const CellCount& cell : counts.Level(level)) {
    reports += cell.count;
    const uint64_t function = (cell.cell - base) / static_cast<uint64_t>(range_);
    ++at_least_[function * kWidth + static_cast<size_t>(std::min(cell.count, kMostCap))];
  }
  for (int64_t j = 0; j < strings::kFunctions; ++j) {
    int64_t* const row = &at_least_[static_cast<size_t>(j * kWidth)];
    for (int64_t value = kMostCap; value-- > 1;) row[value] += row[value + 1];
    row[0] = range_;
  }
  load_ = static_cast<double>(reports) /
          (static_cast<double>(strings::kFunctions) * static_cast<double>(range_));
}

int64_t CellHistogram::Holding(int64_t function, int64_t value, int64_t cap) const {
  const int64_t* const row = &at_least_[static_cast<size_t>(function * kWidth)];
  return row[value] - (value < cap ? row[value + 1] : 0);
}

int64_t CapFor(const CellHistogram& cells, double candidates, double level) {
  if (cells.load() < kSparse) return 1;
  int64_t best = 1;
  double fewest = std::numeric_limits<double>::infinity();
  for (const int64_t cap : kCaps) {
    NullLaw law;
    law.Add(cells, cap);
    double full = 0;
    for (int64_t j = 0; j < strings::kFunctions; ++j) {
      full += static_cast<double>(cells.Holding(j, cap, cap));
    }
    // A holder adds nothing to a cell that is full.
    const double room =
        1 - full / (static_cast<double>(strings::kFunctions) * static_cast<double>(cells.range()));
    if (room <= 0) continue;
    const double missing = static_cast<double>(law.Threshold(candidates, level)) - law.mean();
    if (missing / room < fewest) {
      fewest = missing / room;
      best = cap;
    }
  }
  return best;
}

CappedCells::CappedCells(const StringCounts& counts, int64_t level, int64_t cap)
    : cap_(cap),
      range_bits_(counts.shape().range_bits()),
      cell_bits_log_(CellBitsLog(cap)),
      words_per_row_(static_cast<size_t>(counts.shape().range()) >> (5 - cell_bits_log_)),
      words_(static_cast<size_t>(strings::kFunctions) * words_per_row_) {
  const uint64_t base = counts.Base(level);
  for (const CellCount& cell : counts.Level(level)) {
    // Rows are whole words, and follow each other as cells do.
    const uint64_t bit = (cell.cell - base) << cell_bits_log_;
    words_[bit >> 5] |= static_cast<uint32_t>(std::min(cell.count, cap)) << (bit & 31);
  }
}

CellRows CappedCells::rows() const {
  return {.words = words_.data(),
          .words_per_row = words_per_row_,
          .range_bits = range_bits_,
          .cell_bits_log = cell_bits_log_};
}

void NullLaw::Add(const CellHistogram& cells, int64_t cap) {
  const double range = static_cast<double>(cells.range());
  for (int64_t j = 0; j < strings::kFunctions; ++j) {
    std::vector<double> sum(pmf_.size() + static_cast<size_t>(cap), 0.0);
    for (int64_t value = 0; value <= cap; ++value) {
      const int64_t holding = cells.Holding(j, value, cap);
      if (holding == 0) continue;
      const double share = static_cast<double>(holding) / range;
      double* const shifted = &sum[static_cast<size_t>(value)];
      for (size_t i = 0; i < pmf_.size(); ++i) shifted[i] += share * pmf_[i];
    }
    while (sum.size() > 1 && sum.back() == 0) sum.pop_back();
    pmf_ = std::move(sum);
  }
}

double NullLaw::mean() const {
  double mean = 0;
  for (size_t i = 0; i < pmf_.size(); ++i) mean += static_cast<double>(i) * pmf_[i];
  return mean;
}

double NullLaw::Tail(int64_t least) const {
  double tail = 0;
  for (size_t i = pmf_.size(); i-- > 0 && static_cast<int64_t>(i) >= least;) tail += pmf_[i];
  return tail;
}

int64_t NullLaw::Threshold(double candidates, double level) const {
  double tail = 0;
  for (size_t i = pmf_.size(); i-- > 0;) {
    tail += pmf_[i];
    if (candidates * tail > level) return static_cast<int64_t>(i) + 1;
  }
  return 0;
}

int64_t DropBelow(int64_t threshold, int64_t cap) {
  const double first = static_cast<double>(kFirstFunctions) / strings::kFunctions;
  const accounting::Binomial hits{threshold / cap, first, 1 - first};
  int64_t bound = 0;
  while (bound < hits.trials && accounting::BinomialLowerTail(hits, bound) <= kDropped) ++bound;
  return bound;
}

}  // namespace tombola::collector
