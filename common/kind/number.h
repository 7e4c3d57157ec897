// A device holds one number, or none; asked is how the numbers are distributed: mean, quantiles,
// ranges.
#ifndef TOMBOLA_COMMON_KIND_NUMBER_H_
#define TOMBOLA_COMMON_KIND_NUMBER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/kind/bins.h"
#include "common/kind/kind.h"
#include "common/kind/levels.h"
#include "common/mechanism/mechanism.h"
#include "common/ranges/range_tree.h"
#include "common/table/count_model.h"
#include "common/table/filling.h"
#include "common/table/table.h"
#include "tombola/v1/task.pb.h"

namespace tombola {

inline constexpr uint32_t kMostBranching = 4096;

// What is counted of numbers: the cells of one table are the nodes of a tree over bins, a level
// after the other, the bins first.
struct NumberCells {
  Bins bins;
  RangeTree tree;
  // Where numbers become one of the levels beside them: tree().leaves() of them, no other level of
  // the tree, and bins that say nothing but the edges.
  std::optional<Levels> levels;
  mechanism::Filling filling;  // one cell of every level

  // InvalidArgument naming the field and its bound, also where there are more cells than a table
  // has.
  static absl::StatusOr<NumberCells> Read(const v1::Task& task);

  bool missing() const { return tree.apart(); }
};

// One table, counted by the task's mechanism. Every device fills a node on every level, so nobody
// needs pads.
class NumberKind final : public Kind {
 public:
  static constexpr absl::string_view kName = "number";

  // InvalidArgument naming the field and its bound.
  static absl::StatusOr<std::shared_ptr<const Kind>> Read(const v1::Task& task);

  // The table has the cells; a mechanism is table and scheme.
  NumberKind(NumberCells cells, std::shared_ptr<const mechanism::Table> table,
             std::shared_ptr<const mechanism::Scheme> scheme);

  absl::string_view name() const override { return kName; }
  const mechanism::Tables& tables() const override { return tables_; }
  const std::shared_ptr<const mechanism::Scheme>& scheme() const override { return scheme_; }
  // Of the share of devices in a range, averaged over all ranges; where dithered, of the mean as a
  // share of the distance between the edges, at its middle.
  double PredictedMse(int64_t submissions) const override;

  const NumberCells& cells() const { return cells_; }

 private:
  NumberCells cells_;
  mechanism::Tables tables_;
  std::shared_ptr<const mechanism::Scheme> scheme_;
};

// Of every level of a tree: how many cells it has, the one apart included, and how their counts
// come about in the tree's table.
std::vector<int64_t> LevelCells(const RangeTree& tree);
std::vector<mechanism::CountModel> LevelModels(const RangeTree& tree,
                                               const mechanism::Table& table);

// The expected variance of the share of devices in a range, averaged over all ranges, as least
// squares finds it where the counts of a tree's cells come about as the models say, one a level;
// their support is alike. Devices are taken to be spread evenly over the leaves, the one apart
// included. O(cells).
double RangeMse(const RangeTree& tree, absl::Span<const mechanism::CountModel> models,
                const mechanism::Filling& filling, const mechanism::Tally& tally);

// What choosing `sent` of `held` levels adds to the variance of a sum over cells: so much for every
// cell, times the cell's share and the square of its weight, less as much for the sum as a whole,
// times the variance of the sum's weights over devices. 0 where all levels are said.
double ChoiceVariance(const mechanism::Filling& filling, const mechanism::Tally& tally);

// The expected variance of the mean of numbers that are spread evenly, as a share of the distance
// between the edges, where each becomes one of so many levels.
double DitheredMse(int64_t levels, const mechanism::CountModel& model,
                   const mechanism::Tally& tally);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_KIND_NUMBER_H_
