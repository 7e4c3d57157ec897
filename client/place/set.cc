#include "client/place/set.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "client/place/items.h"
#include "common/base/status_macros.h"
#include "common/kind/set.h"

namespace tombola::client {

std::unique_ptr<Placer> SetPlacer::Make(std::shared_ptr<const Task> task) {
  return std::unique_ptr<Placer>(new SetPlacer(std::move(task)));
}

SetPlacer::SetPlacer(std::shared_ptr<const Task> task) : task_(std::move(task)) {}

absl::StatusOr<mechanism::Cells> SetPlacer::Place(const RecordView& record,
                                                  RandomSource& random) const {
  const auto* const items = std::get_if<absl::Span<const std::string>>(&record);
  if (items == nullptr) return absl::InvalidArgumentError("the task takes a set of values");
  const ItemCells& cells = static_cast<const Set&>(task_->kind().OfOneBatch()).cells();
  std::vector<uint64_t> values;
  values.reserve(items->size());
  for (const std::string& item : *items) {
    TOMBOLA_ASSIGN_OR_RETURN(const uint64_t value, ItemNamed(task_->domain(), item));
    values.push_back(value);
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  KeepSome(cells.held(), random, &values);
  mechanism::Cells filled;
  for (const uint64_t value : values) {
    filled.push_back({.table = 0, .index = cells.CellOf(value, /*level=*/0)});
  }
  Pad(cells, &filled);
  return filled;
}

}  // namespace tombola::client
