#include "common/ranges/least_squares.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "common/base/check.h"
#include "common/ranges/range_variance.h"

namespace tombola {
namespace {

// Estimates of one level's nodes, the one apart last; from what is below them, then from all.
using Nodes = std::vector<double>;

struct Children {
  int64_t begin = 0, end = 0;
};

class Solver {
 public:
  Solver(const RangeTree& tree, absl::Span<const double> variances)
      : tree_(tree), variances_(variances), known_(tree, variances) {}

  std::vector<double> Solve(absl::Span<const double> estimates, std::optional<double> total) {
    std::vector<Nodes> levels;
    double apart_inverse = 0;
    for (int64_t level = 0; level < tree_.levels(); ++level) {
      levels.push_back(Up(level, estimates, level == 0 ? nullptr : &levels.back(), apart_inverse));
      apart_inverse += 1 / Own(level);
    }
    if (total.has_value()) Spread(*total, &levels.back());
    for (int64_t level = tree_.levels() - 1; level > 0; --level) {
      Down(level, levels[static_cast<size_t>(level)], &levels[static_cast<size_t>(level) - 1]);
    }
    return std::move(levels.front());
  }

 private:
  double Own(int64_t level) const { return variances_[static_cast<size_t>(level)]; }

  Children ChildrenOf(int64_t level, int64_t node) const {
    const int64_t begin = node * tree_.branching();
    return {begin, std::min(begin + tree_.branching(), tree_.NodesOf(level - 1))};
  }

  static double Sum(const Nodes& nodes, const Children& of) {
    return std::accumulate(nodes.begin() + of.begin, nodes.begin() + of.end, 0.0);
  }

  // A node's own estimate and that of its children, each by the inverse of its variance.
  // `apart_inverse` is that of the lower levels' estimates of the one apart.
  Nodes Up(int64_t level, absl::Span<const double> estimates, const Nodes* lower,
           double apart_inverse) const {
    const absl::Span<const double> own =
        estimates.subspan(static_cast<size_t>(tree_.FirstOf(level)),
                          static_cast<size_t>(tree_.NodesOf(level) + (tree_.apart() ? 1 : 0)));
    Nodes nodes(own.begin(), own.end());
    if (lower == nullptr) return nodes;
    for (int64_t node = 0; node < tree_.NodesOf(level); ++node) {
      const Children children = ChildrenOf(level, node);
      const double below = known_.BelowAll(level - 1, children.begin, children.end);
      double& estimate = nodes[static_cast<size_t>(node)];
      estimate =
          known_.Below(level, node) * (estimate / Own(level) + Sum(*lower, children) / below);
    }
    if (tree_.apart()) {
      nodes.back() = (nodes.back() / Own(level) + lower->back() * apart_inverse) /
                     (1 / Own(level) + apart_inverse);
    }
    return nodes;
  }

  // What the highest level lacks of the total goes to its nodes by their variance.
  void Spread(double total, Nodes* nodes) const {
    const int64_t top = tree_.levels() - 1;
    const double lack = total - std::accumulate(nodes->begin(), nodes->end(), 0.0);
    const double all = known_.BelowAll(top, 0, tree_.NodesOf(top)) + known_.BelowApart();
    for (int64_t node = 0; node < tree_.NodesOf(top); ++node) {
      (*nodes)[static_cast<size_t>(node)] += lack * known_.Below(top, node) / all;
    }
    if (tree_.apart()) nodes->back() += lack * known_.BelowApart() / all;
  }

  // What children lack of their node's count likewise.
  void Down(int64_t level, const Nodes& nodes, Nodes* lower) const {
    for (int64_t node = 0; node < tree_.NodesOf(level); ++node) {
      const Children children = ChildrenOf(level, node);
      const double lack = nodes[static_cast<size_t>(node)] - Sum(*lower, children);
      const double all = known_.BelowAll(level - 1, children.begin, children.end);
      for (int64_t child = children.begin; child < children.end; ++child) {
        (*lower)[static_cast<size_t>(child)] += lack * known_.Below(level - 1, child) / all;
      }
    }
    if (tree_.apart()) lower->back() = nodes.back();
  }

  const RangeTree& tree_;
  absl::Span<const double> variances_;
  RangeVariance known_;
};

}  // namespace

std::vector<double> LeastSquares(const RangeTree& tree, absl::Span<const double> estimates,
                                 absl::Span<const double> variances, std::optional<double> total) {
  TOMBOLA_CHECK(static_cast<int64_t>(estimates.size()) == tree.cells());
  return Solver(tree, variances).Solve(estimates, total);
}

}  // namespace tombola
