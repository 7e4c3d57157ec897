#include <algorithm>
#include <utility>

#include "common/ranges/range_variance.h"

namespace tombola {
namespace {

// Of a node, whose count falls to its leaves in the shares pi: of range [begin, end), drawn
// uniformly, it has the share b = sum of pi over its leaves in it. Times the number of ranges,
//   E b^2 = sum over i, j of pi_i pi_j (min(i, j) + 1) (leaves - max(i, j)),
// which follows from the same of the children and from the first moments, as ranges that have a
// leaf of each of two children have all that is between them.
struct Shares {
  double left = 0;    // sum of pi_i (i + 1)
  double right = 0;   // sum of pi_i (leaves - i)
  double square = 0;  // E b^2, times the number of ranges
};

Shares LeafShares(int64_t leaf, int64_t leaves) {
  const double left = static_cast<double>(leaf + 1);
  const double right = static_cast<double>(leaves - leaf);
  return {.left = left, .right = right, .square = left * right};
}

// The children of a node, from left to right, each with the variance of its count from below.
class Family {
 public:
  explicit Family(double all) : all_(all) {}

  void Add(const Shares& child, double below) {
    const double part = below / all_;
    whole_.square += part * part * child.square + 2 * whole_.left * part * child.right;
    whole_.left += part * child.left;
    whole_.right += part * child.right;
    lost_ += below * child.square;
  }

  const Shares& whole() const { return whole_; }
  // What not knowing how the node's count falls to its children adds, times the number of ranges.
  double variance() const { return std::max(0.0, lost_ - all_ * whole_.square); }

 private:
  double all_;
  Shares whole_;
  double lost_ = 0;
};

}  // namespace

double RangeVariance::OverAllRanges() const {
  const int64_t leaves = tree_.leaves();
  double sum = 0;
  std::vector<Shares> below;  // of the nodes of level - 1; of the leaves they are known
  const auto shares = [&](int64_t level, int64_t node) {
    return level == 0 ? LeafShares(node, leaves) : below[static_cast<size_t>(node)];
  };
  for (int64_t level = 1; level < tree_.levels(); ++level) {
    std::vector<Shares> above;
    above.reserve(static_cast<size_t>(tree_.NodesOf(level)));
    for (int64_t node = 0; node < tree_.NodesOf(level); ++node) {
      const int64_t begin = node * tree_.branching();
      const int64_t end = std::min(begin + tree_.branching(), tree_.NodesOf(level - 1));
      Family family(BelowAll(level - 1, begin, end));
      for (int64_t child = begin; child < end; ++child) {
        family.Add(shares(level - 1, child), Below(level - 1, child));
      }
      sum += family.variance();
      above.push_back(family.whole());
    }
    below = std::move(above);
  }
  const int64_t top = tree_.levels() - 1;
  // The leaf apart is in no range: its share only lessens those of the others.
  Family root(BelowAll(top, 0, tree_.NodesOf(top)) + apart_);
  for (int64_t node = 0; node < tree_.NodesOf(top); ++node) {
    root.Add(shares(top, node), Below(top, node));
  }
  sum += root.variance();
  const double count = static_cast<double>(leaves);
  return sum / (count * (count + 1) / 2);
}

}  // namespace tombola
