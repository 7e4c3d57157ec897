#include "client/place/number.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "client/place/level.h"
#include "common/base/status_macros.h"
#include "common/kind/number.h"

namespace tombola::client {
namespace {

// The leaf of the tree that a device fills.
absl::StatusOr<int64_t> LeafOf(const NumberCells& cells, const std::optional<double>& number,
                               RandomSource& random) {
  if (!number.has_value()) {
    if (cells.missing()) return cells.tree.leaves();
    return absl::InvalidArgumentError(
        "the task takes a number of every device: none may be missing");
  }
  const std::optional<int64_t> bin = cells.bins.BinOf(*number);
  if (!bin.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat("the number is ", *number, "; it must be in [",
                                                   cells.bins.low(), ", ", cells.bins.high(), "]"));
  }
  return cells.levels.has_value() ? LevelOf(*cells.levels, *number, random) : *bin;
}

}  // namespace

std::unique_ptr<Placer> NumberPlacer::Make(std::shared_ptr<const Task> task) {
  return std::unique_ptr<Placer>(new NumberPlacer(std::move(task)));
}

NumberPlacer::NumberPlacer(std::shared_ptr<const Task> task) : task_(std::move(task)) {}

absl::StatusOr<mechanism::Cells> NumberPlacer::Place(const RecordView& record,
                                                     RandomSource& random) const {
  const auto* const number = std::get_if<std::optional<double>>(&record);
  if (number == nullptr) return absl::InvalidArgumentError("the task takes a number");
  const NumberCells& cells = static_cast<const NumberKind&>(task_->kind().OfOneBatch()).cells();
  TOMBOLA_ASSIGN_OR_RETURN(const int64_t leaf, LeafOf(cells, *number, random));
  absl::StatusOr<mechanism::Cells> filled(absl::in_place);
  for (int64_t level = 0; level < cells.tree.levels(); ++level) {
    filled->push_back({.table = 0, .index = cells.tree.CellOf(leaf, level)});
  }
  return filled;
}

}  // namespace tombola::client
