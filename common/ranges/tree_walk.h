// How sums over leaves are found from a tree: what is known of a node's leaves is joined from its
// children's, down to where all of them weigh the same.
#ifndef TOMBOLA_COMMON_RANGES_TREE_WALK_H_
#define TOMBOLA_COMMON_RANGES_TREE_WALK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "common/ranges/range_tree.h"

namespace tombola {

// Of a `Sums`, which has
//   Siblings, made without arguments: some nodes of a level, added up;
//   AddWhole(level, begin, end, weight, &siblings): nodes [begin, end), all leaves below which have
//     this weight;
//   AddPart(level, node, children, &siblings): a node whose leaves have several, of which
//   `children`
//     says all.
template <typename Sums>
class TreeWalk {
 public:
  using Siblings = typename Sums::Siblings;

  // Both outlive it.
  TreeWalk(const RangeTree& tree, const Sums& sums) : tree_(tree), sums_(sums) {}

  // The nodes of the highest level, where leaves weigh what the runs say, the last of which ends at
  // leaves(). O(runs * levels * log).
  Siblings Of(absl::Span<const WeightedRun> runs) const {
    const int64_t top = tree_.levels() - 1;
    return Nodes(runs, top, 0, tree_.NodesOf(top));
  }

  // The same of a weight for each leaf. O(cells).
  Siblings OfEach(absl::Span<const double> weights) const {
    std::vector<Siblings> below;  // of each node of the level: its children
    const auto add = [&](int64_t level, int64_t begin, int64_t end) {
      Siblings siblings;
      for (int64_t node = begin; node < end; ++node) {
        const auto at = static_cast<size_t>(node);
        if (level == 0) {
          sums_.AddWhole(level, node, node + 1, weights[at], &siblings);
        } else {
          sums_.AddPart(level, node, below[at], &siblings);
        }
      }
      return siblings;
    };
    for (int64_t level = 1; level < tree_.levels(); ++level) {
      std::vector<Siblings> children;
      children.reserve(static_cast<size_t>(tree_.NodesOf(level)));
      for (int64_t node = 0; node < tree_.NodesOf(level); ++node) {
        const int64_t begin = node * tree_.branching();
        children.push_back(add(level - 1, begin, EndOfChildren(level, begin)));
      }
      below = std::move(children);
    }
    const int64_t top = tree_.levels() - 1;
    return add(top, 0, tree_.NodesOf(top));
  }

 private:
  int64_t EndOfChildren(int64_t level, int64_t begin) const {
    return std::min(begin + tree_.branching(), tree_.NodesOf(level - 1));
  }

  Siblings Nodes(absl::Span<const WeightedRun> runs, int64_t level, int64_t begin,
                 int64_t end) const {
    const int64_t width = tree_.WidthOf(level);
    Siblings siblings;
    int64_t node = begin;
    while (node < end) {
      const int64_t leaf = node * width;
      const auto run =
          std::upper_bound(runs.begin(), runs.end(), leaf,
                           [](int64_t at, const WeightedRun& of) { return at < of.end; });
      // The nodes from here on that are of this run as a whole; the last of a level may be
      // narrower.
      const int64_t whole = run->end == tree_.leaves() ? tree_.NodesOf(level) : run->end / width;
      const int64_t last = std::min(whole, end);
      if (last > node) {
        sums_.AddWhole(level, node, last, run->weight, &siblings);
        node = last;
      } else {
        const int64_t first = node * tree_.branching();
        sums_.AddPart(level, node, Nodes(runs, level - 1, first, EndOfChildren(level, first)),
                      &siblings);
        ++node;
      }
    }
    return siblings;
  }

  const RangeTree& tree_;
  const Sums& sums_;
};

}  // namespace tombola

#endif  // TOMBOLA_COMMON_RANGES_TREE_WALK_H_
