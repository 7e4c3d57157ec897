#include "collector/aggregate/string_counts.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/base/check.h"

namespace tombola::collector {
namespace {

constexpr size_t kFewestSettled = size_t{1} << 18;

uint64_t CellsOf(const strings::Shape& shape) {
  return static_cast<uint64_t>(shape.levels() * strings::kFunctions * shape.range());
}

}  // namespace

absl::StatusOr<StringCounts> StringCounts::FromCells(const strings::Shape& shape,
                                                     std::vector<CellCount> cells) {
  for (size_t i = 0; i < cells.size(); ++i) {
    if (i > 0 && cells[i].cell <= cells[i - 1].cell) {
      return absl::InvalidArgumentError(absl::StrCat("cells must ascend, cell ", i, " does not"));
    }
    if (cells[i].cell >= CellsOf(shape)) {
      return absl::InvalidArgumentError(
          absl::StrCat("a cell must be below ", CellsOf(shape), ", is ", cells[i].cell));
    }
    if (cells[i].count < 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("a cell's count must be at least 1, is ", cells[i].count));
    }
  }
  return StringCounts(shape, std::move(cells));
}

StringCounts::StringCounts(const strings::Shape& shape, std::vector<CellCount> cells)
    : shape_(shape), cells_(std::move(cells)) {
  for (const CellCount& cell : cells_) reports_ += cell.count;
}

uint64_t StringCounts::Base(int64_t level) const {
  return static_cast<uint64_t>(level * strings::kFunctions * shape_.range());
}

absl::Span<const CellCount> StringCounts::Level(int64_t level) const {
  const auto at = [this](uint64_t cell) {
    return std::lower_bound(cells_.begin(), cells_.end(), cell,
                            [](const CellCount& a, uint64_t b) { return a.cell < b; });
  };
  const auto first = at(Base(level));
  const auto last = at(Base(level + 1));
  return absl::MakeConstSpan(cells_).subspan(static_cast<size_t>(first - cells_.begin()),
                                             static_cast<size_t>(last - first));
}

StringCounts StringCounts::Plus(const StringCounts& other) const {
  TOMBOLA_CHECK(CellsOf(shape_) == CellsOf(other.shape_));
  return StringCounts(shape_, Sum(cells_, other.cells_));
}

void StringTally::Add(const strings::StringReport& report) {
  const auto range = static_cast<uint64_t>(counted_.shape().range());
  const uint64_t row = uint64_t{report.level} * strings::kFunctions + report.function;
  fresh_.push_back(row * range + report.bucket);
  if (fresh_.size() >= std::max(kFewestSettled, counted_.cells().size())) Settle();
}

void StringTally::Settle() {
  std::sort(fresh_.begin(), fresh_.end());
  std::vector<CellCount> cells;
  for (const uint64_t cell : fresh_) {
    if (cells.empty() || cells.back().cell != cell) cells.push_back({.cell = cell, .count = 0});
    ++cells.back().count;
  }
  fresh_.clear();
  counted_ = counted_.Plus(StringCounts(counted_.shape(), std::move(cells)));
}

StringCounts StringTally::Take() {
  Settle();
  return std::exchange(counted_, StringCounts(counted_.shape()));
}

}  // namespace tombola::collector
