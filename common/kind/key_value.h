// A device holds up to so many keys, each with a number; asked is how many devices hold each key,
// and the mean of its number among them.
#ifndef TOMBOLA_COMMON_KIND_KEY_VALUE_H_
#define TOMBOLA_COMMON_KIND_KEY_VALUE_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/kind/item_cells.h"
#include "common/kind/kind.h"
#include "common/kind/levels.h"
#include "common/mechanism/mechanism.h"
#include "common/table/count_model.h"
#include "tombola/v1/task.pb.h"

namespace tombola {

// One table, whose cells are the keys' levels and the pads, counted by the task's mechanism. A pair
// fills one cell, whatever the number of levels, so that means cost no privacy of their own.
class KeyValueKind final : public Kind {
 public:
  static constexpr absl::string_view kName = "key_value";

  // InvalidArgument naming the field and its bound.
  static absl::StatusOr<std::shared_ptr<const Kind>> Read(const v1::Task& task);

  // The table has the cells; a mechanism is table and scheme.
  KeyValueKind(const ItemCells& cells, const Levels& levels,
               std::shared_ptr<const mechanism::Table> table,
               std::shared_ptr<const mechanism::Scheme> scheme);

  absl::string_view name() const override { return kName; }
  const mechanism::Tables& tables() const override { return tables_; }
  const std::shared_ptr<const mechanism::Scheme>& scheme() const override { return scheme_; }
  // Of the frequency of a key that nobody holds.
  double PredictedMse(int64_t submissions) const override;

  const ItemCells& cells() const { return cells_; }
  const Levels& levels() const { return levels_; }
  // How the count of a key, all levels together, comes about.
  mechanism::CountModel key_model() const;

 private:
  ItemCells cells_;
  Levels levels_;
  mechanism::Tables tables_;
  std::shared_ptr<const mechanism::Scheme> scheme_;
};

// The variance, given the data, of a key's estimated mean where its levels' counts come about as
// `model` says of each: of (the sum of level times count) / count. `frequency` > 0 of the devices
// hold the key, with this mean; their numbers, once rounded to levels, have mean square distance
// `square` from it, of which `rounded` is the rounding's own.
struct HeldNumbers {
  double frequency = 0;
  double mean = 0;
  double square = 0;
  double rounded = 0;
};
double MeanVariance(const mechanism::CountModel& model, const Levels& levels,
                    const mechanism::Tally& tally, const HeldNumbers& held);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_KIND_KEY_VALUE_H_
