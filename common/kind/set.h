// A device holds up to so many values of a domain; asked is how many devices hold each.
#ifndef TOMBOLA_COMMON_KIND_SET_H_
#define TOMBOLA_COMMON_KIND_SET_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/kind/item_cells.h"
#include "common/kind/kind.h"
#include "common/mechanism/mechanism.h"
#include "tombola/v1/task.pb.h"

namespace tombola {

// One table, whose cells are the values and the pads, counted by the task's mechanism.
class Set final : public Kind {
 public:
  static constexpr absl::string_view kName = "set";

  // InvalidArgument naming the field and its bound.
  static absl::StatusOr<std::shared_ptr<const Kind>> Read(const v1::Task& task);

  // The table has the cells; a mechanism is table and scheme.
  Set(const ItemCells& cells, std::shared_ptr<const mechanism::Table> table,
      std::shared_ptr<const mechanism::Scheme> scheme);

  absl::string_view name() const override { return kName; }
  const mechanism::Tables& tables() const override { return tables_; }
  const std::shared_ptr<const mechanism::Scheme>& scheme() const override { return scheme_; }
  // Of a value that nobody holds.
  double PredictedMse(int64_t submissions) const override;

  const ItemCells& cells() const { return cells_; }

 private:
  ItemCells cells_;
  mechanism::Tables tables_;
  std::shared_ptr<const mechanism::Scheme> scheme_;
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_KIND_SET_H_
