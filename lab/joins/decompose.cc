#include "lab/joins/decompose.h"

#include <algorithm>

namespace tombola::lab {
namespace {

int32_t Overlap(const Interval& a, const Interval& b) {
  return std::max(0, std::min(a.end, b.end) - std::max(a.begin, b.begin));
}

void AddDecomposed(const PlaceTree& tree, const Interval& range, int level, int32_t node,
                   int lowest, std::vector<WeightedNode>& out) {
  const Interval below = tree.Below(level, node);
  const int32_t overlap = Overlap(below, range);
  if (overlap == 0) return;
  if (overlap == below.width() || level == lowest) {
    out.push_back({level, node, static_cast<double>(overlap) / below.width()});
    return;
  }
  for (int32_t child = node * tree.branching();
       child < std::min((node + 1) * tree.branching(), tree.NodesOf(level + 1)); ++child) {
    AddDecomposed(tree, range, level + 1, child, lowest, out);
  }
}

// The range within the tree, or all places but the range.
class Signed {
 public:
  Signed(const PlaceTree& tree, const Interval& range, double root_cost)
      : tree_(tree), range_(range), root_cost_(root_cost) {}

  struct Found {
    double cost = 0;
    std::vector<WeightedNode> nodes;
  };

  Found Find(int level, int32_t node, bool complement) const {
    const Interval below = tree_.Below(level, node);
    const int32_t overlap = Overlap(below, range_);
    const int32_t wanted = complement ? below.width() - overlap : overlap;
    if (wanted == 0) return {};
    Found whole = {level == 0 ? root_cost_ : 1, {{level, node, 1}}};
    if (wanted == below.width()) return whole;
    Found parts;
    const int32_t end = std::min((node + 1) * tree_.branching(), tree_.NodesOf(level + 1));
    for (int32_t child = node * tree_.branching(); child < end; ++child) {
      Add(Find(level + 1, child, complement), 1, parts);
      Add(Find(level + 1, child, !complement), -1, whole);
    }
    return whole.cost < parts.cost ? whole : parts;
  }

 private:
  static void Add(const Found& found, double sign, Found& sum) {
    sum.cost += found.cost;
    for (WeightedNode node : found.nodes) {
      node.weight *= sign;
      sum.nodes.push_back(node);
    }
  }

  const PlaceTree& tree_;
  Interval range_;
  double root_cost_;
};

}  // namespace

PlaceTree::PlaceTree(int32_t places, int32_t branching) : places_(places), branching_(branching) {
  std::vector<int32_t> widths = {1};
  while (widths.back() < places) widths.push_back(widths.back() * branching);
  widths_.assign(widths.rbegin(), widths.rend());
}

Interval PlaceTree::Below(int level, int32_t node) const {
  const int32_t width = widths_[level];
  return {node * width, std::min((node + 1) * width, places_)};
}

std::vector<WeightedNode> Decompose(const PlaceTree& tree, const Interval& range) {
  std::vector<WeightedNode> nodes;
  AddDecomposed(tree, range, 0, 0, tree.height(), nodes);
  return nodes;
}

std::vector<WeightedNode> DecomposeSigned(const PlaceTree& tree, const Interval& range,
                                          double root_cost) {
  return Signed(tree, range, root_cost).Find(0, 0, /*complement=*/false).nodes;
}

std::vector<WeightedNode> DecomposeWithoutLeaves(const PlaceTree& tree, const Interval& range) {
  std::vector<WeightedNode> nodes;
  AddDecomposed(tree, range, 0, 0, tree.height() - 1, nodes);
  return nodes;
}

Interval GridCell(int32_t places, int32_t cells, int32_t cell) {
  return {static_cast<int32_t>(int64_t{cell} * places / cells),
          static_cast<int32_t>(int64_t{cell + 1} * places / cells)};
}

std::vector<WeightedNode> OverlappedCells(int32_t places, int32_t cells, const Interval& range) {
  std::vector<WeightedNode> found;
  for (int32_t cell = 0; cell < cells; ++cell) {
    const Interval below = GridCell(places, cells, cell);
    const int32_t overlap = Overlap(below, range);
    if (overlap > 0) found.push_back({0, cell, static_cast<double>(overlap) / below.width()});
  }
  return found;
}

}  // namespace tombola::lab
