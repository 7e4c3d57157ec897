#include "common/kind/item_cells.h"

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/table/domain_size.h"

namespace tombola {

absl::StatusOr<ItemCells> ItemCells::Read(const v1::Task& task, int64_t levels) {
  ItemCells read{.values = static_cast<int64_t>(task.domain().size()),
                 .levels = levels,
                 .filling = {.held = task.items().max_items(), .sent = task.items().sent()}};
  if (!task.has_items()) {
    return absl::InvalidArgumentError("task.items must be set for a kind of several things");
  }
  if (read.held() > read.values) {
    return absl::InvalidArgumentError(absl::StrCat("task.items.max_items is ", read.held(),
                                                   "; a device holds at most all ", read.values,
                                                   " values of the domain"));
  }
  TOMBOLA_RETURN_IF_ERROR(mechanism::ValidateFilling(read.filling, read.cells()));
  if (read.cells() > mechanism::kLargestDomain) {
    return absl::InvalidArgumentError(
        absl::StrCat("the task has ", read.cells(), " cells, ", read.levels,
                     " for each value and one for each of items.max_items; at most ",
                     mechanism::kLargestDomainText, " can be counted"));
  }
  return read;
}

}  // namespace tombola
