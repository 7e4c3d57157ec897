#include "collector/decode/capped_cells.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "common/accounting/binomial.h"

namespace tombola::collector {
namespace {

constexpr double kSparse = 0.03;  // reports for each cell
constexpr double kMostAbove = 0.001;
constexpr double kDropped = 0.005;

int CellBitsLog(int64_t cap) {
  int log = 0;
  while ((int64_t{1} << (1 << log)) - 1 < cap) ++log;
  return log;
}

}  // namespace

int64_t CapFor(const StringCounts& counts, int64_t level) {
  const double cells =
      static_cast<double>(strings::kFunctions) * static_cast<double>(counts.shape().range());
  std::array<int64_t, kMostCap + 1> above{};  // [c]: cells with more than c
  int64_t reports = 0;
  for (const CellCount& cell : counts.Level(level)) {
    reports += cell.count;
    ++above[static_cast<size_t>(std::min(cell.count - 1, kMostCap))];
  }
  if (static_cast<double>(reports) < kSparse * cells) return 1;
  for (size_t c = kMostCap; c-- > 0;) above[c] += above[c + 1];
  int64_t cap = 1;
  while (cap<kMostCap&& static_cast<double>(above[static_cast<size_t>(cap)])> kMostAbove * cells) {
    ++cap;
  }
  return cap;
}

CappedCells::CappedCells(const StringCounts& counts, int64_t level, int64_t cap)
    : cap_(cap),
      range_bits_(counts.shape().range_bits()),
      cell_bits_log_(CellBitsLog(cap)),
      words_per_row_(static_cast<size_t>(counts.shape().range()) >> (5 - cell_bits_log_)),
      words_(static_cast<size_t>(strings::kFunctions) * words_per_row_),
      holding_(static_cast<size_t>(strings::kFunctions * (cap + 1))) {
  const uint64_t base = counts.Base(level);
  for (const CellCount& cell : counts.Level(level)) {
    const uint64_t at = cell.cell - base;
    const auto value = static_cast<uint32_t>(std::min(cell.count, cap));
    // Rows are whole words, and follow each other as cells do.
    const uint64_t bit = at << cell_bits_log_;
    words_[bit >> 5] |= value << (bit & 31);
    ++holding_[(at >> range_bits_) * static_cast<size_t>(cap + 1) + value];
  }
  for (int64_t j = 0; j < strings::kFunctions; ++j) {
    int64_t* const row = &holding_[static_cast<size_t>(j * (cap + 1))];
    row[0] = range();
    for (int64_t value = 1; value <= cap; ++value) row[0] -= row[value];
  }
}

CellRows CappedCells::rows() const {
  return {.words = words_.data(),
          .words_per_row = words_per_row_,
          .range_bits = range_bits_,
          .cell_bits_log = cell_bits_log_};
}

void NullLaw::Add(const CappedCells& cells) {
  const double range = static_cast<double>(cells.range());
  const auto cap = static_cast<size_t>(cells.cap());
  for (int64_t j = 0; j < strings::kFunctions; ++j) {
    std::vector<double> sum(pmf_.size() + cap, 0.0);
    for (size_t value = 0; value <= cap; ++value) {
      const int64_t holding = cells.Holding(j, static_cast<int64_t>(value));
      if (holding == 0) continue;
      const double share = static_cast<double>(holding) / range;
      for (size_t i = 0; i < pmf_.size(); ++i) sum[i + value] += share * pmf_[i];
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
