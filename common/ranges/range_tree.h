// The nodes above a row of bins, of which a device fills one on every level.
#ifndef TOMBOLA_COMMON_RANGES_RANGE_TREE_H_
#define TOMBOLA_COMMON_RANGES_RANGE_TREE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tombola {

// Level 0 are the leaves, which are the bins; a node of level j stands for branching^j of them, and
// the last node of a level for what is left. Levels go on while a node is narrower than the row:
// the node above all would count every device, which is known. A range is then a sum of few nodes.
//
// A leaf may stand apart, for devices without a number. It is no part of any range, and has a node
// of its own on every level. Immutable.
class RangeTree {
 public:
  // `leaves` >= 2, or 1 beside one apart. `branching` 0: the leaves alone; else at least 2.
  RangeTree(int64_t leaves, int64_t branching, bool apart);

  int64_t leaves() const { return leaves_; }  // without the one apart
  int64_t branching() const { return branching_; }
  bool apart() const { return apart_; }
  int64_t levels() const { return static_cast<int64_t>(rows_.size()); }
  int64_t cells() const { return cells_; }

  // How many nodes a level has, without the one apart, and where they begin among the cells; the
  // one apart is behind them.
  int64_t NodesOf(int64_t level) const { return Of(level).nodes; }
  int64_t FirstOf(int64_t level) const { return Of(level).first; }
  // How many leaves a node of the level has, but for the last.
  int64_t WidthOf(int64_t level) const { return Of(level).width; }

  // The cell of the node above a leaf; leaves() is the one apart.
  uint64_t CellOf(int64_t leaf, int64_t level) const {
    const Row& row = Of(level);
    return static_cast<uint64_t>(row.first + (leaf == leaves_ ? row.nodes : leaf / row.width));
  }

 private:
  struct Row {
    int64_t width = 1;
    int64_t nodes = 0;
    int64_t first = 0;
  };

  const Row& Of(int64_t level) const { return rows_[static_cast<size_t>(level)]; }

  int64_t leaves_;
  int64_t branching_;
  bool apart_;
  int64_t cells_ = 0;
  std::vector<Row> rows_;
};

// A run of leaves with the same weight, up to `end`; it begins where the one before ends.
struct WeightedRun {
  int64_t end = 0;
  double weight = 0;
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_RANGES_RANGE_TREE_H_
