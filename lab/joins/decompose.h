// A range as a few nodes of a tree over the places of an attribute.
#ifndef TOMBOLA_LAB_JOINS_DECOMPOSE_H_
#define TOMBOLA_LAB_JOINS_DECOMPOSE_H_

#include <cstdint>
#include <vector>

#include "lab/joins/star.h"

namespace tombola::lab {

// Nodes of level 0 are all places, those of each further level `branching` times narrower, down to
// single places: as the published trees count. The last node of a level may be narrower.
class PlaceTree {
 public:
  // places >= 2, branching >= 2.
  PlaceTree(int32_t places, int32_t branching);

  int32_t places() const { return places_; }
  int32_t branching() const { return branching_; }
  // Of the leaves; there is one level more than this.
  int height() const { return static_cast<int>(widths_.size()) - 1; }
  int32_t WidthOf(int level) const { return widths_[level]; }
  int32_t NodesOf(int level) const { return (places_ + widths_[level] - 1) / widths_[level]; }
  int32_t NodeOf(int32_t place, int level) const { return place / widths_[level]; }
  // The places of a node.
  Interval Below(int level, int32_t node) const;

 private:
  int32_t places_;
  int32_t branching_;
  std::vector<int32_t> widths_;
};

// A node that counts with a weight.
struct WeightedNode {
  int level = 0;
  int32_t node = 0;
  double weight = 1;
};

// The fewest nodes whose places are the range, the root among them.
std::vector<WeightedNode> Decompose(const PlaceTree& tree, const Interval& range);

// With subtraction too ("range decomposition by consistency", HIO-JOIN-RDC): a node costs 1, the
// root `root_cost`, and a part of a node is the sum of parts of its children, or the node less the
// parts of its children that are too much; whichever costs less.
std::vector<WeightedNode> DecomposeSigned(const PlaceTree& tree, const Interval& range,
                                          double root_cost);

// Without the leaves (LPRR): what would be a part of the lowest level that is left counts by the
// share of its places.
std::vector<WeightedNode> DecomposeWithoutLeaves(const PlaceTree& tree, const Interval& range);

// A uniform grid of `cells` <= places cells: those that the range overlaps, by the share.
std::vector<WeightedNode> OverlappedCells(int32_t places, int32_t cells, const Interval& range);
// Of such a grid: cell i begins at place floor(i places / cells).
Interval GridCell(int32_t places, int32_t cells, int32_t cell);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_JOINS_DECOMPOSE_H_
