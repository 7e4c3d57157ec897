// The cells of kinds of which a device holds several things.
#ifndef TOMBOLA_COMMON_KIND_ITEM_CELLS_H_
#define TOMBOLA_COMMON_KIND_ITEM_CELLS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "common/table/filling.h"
#include "tombola/v1/task.pb.h"

namespace tombola {

// One table: `levels` cells for each value of the task's domain, then as many pads as a device
// holds things at most. A device with fewer things fills the first pads, so that pads of two
// devices overlap as much as can be, and pad j is filled by the devices that hold fewer than held -
// j.
struct ItemCells {
  int64_t values = 0;
  int64_t levels = 1;
  mechanism::Filling filling;

  // InvalidArgument naming the field and its bound, also where there are more cells than a table
  // has.
  static absl::StatusOr<ItemCells> Read(const v1::Task& task, int64_t levels);

  int64_t held() const { return filling.held; }
  int64_t cells() const { return values * levels + held(); }
  uint64_t CellOf(uint64_t value, int64_t level) const {
    return value * static_cast<uint64_t>(levels) + static_cast<uint64_t>(level);
  }
  uint64_t Pad(int64_t j) const { return static_cast<uint64_t>(values * levels + j); }
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_KIND_ITEM_CELLS_H_
