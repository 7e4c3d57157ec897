#include "common/ranges/sum_variance.h"

#include <algorithm>

#include "common/base/check.h"
#include "common/ranges/tree_walk.h"

namespace tombola {

// Nodes below one: their slopes by what is known of their counts, and their variances.
class SumVariance::Siblings {
 public:
  void Add(const Within& node, double below) {
    below_ += below;
    slopes_ += node.slope * below;
    variance_.constant += node.variance.constant;
    variance_.linear += node.variance.linear;
    variance_.square += node.variance.square;
  }

  double slope() const { return below_ > 0 ? slopes_ / below_ : 0; }
  double below() const { return below_; }
  const Quadratic& variance() const { return variance_; }

 private:
  double below_ = 0, slopes_ = 0;
  Quadratic variance_;
};

class SumVariance::Walk {
 public:
  using Siblings = SumVariance::Siblings;

  explicit Walk(const SumVariance& of) : of_(of) {}

  void AddWhole(int64_t level, int64_t begin, int64_t end, double weight, Siblings* sum) const {
    const std::vector<double>& prefix = of_.prefix_[static_cast<size_t>(level)];
    const double varies = prefix[static_cast<size_t>(end)] - prefix[static_cast<size_t>(begin)];
    sum->Add(of_.Whole(weight, varies), of_.known_.BelowAll(level, begin, end));
  }
  void AddPart(int64_t level, int64_t node, const Siblings& children, Siblings* sum) const {
    sum->Add(of_.Node(level, node, children), of_.known_.Below(level, node));
  }

 private:
  const SumVariance& of_;
};

SumVariance::SumVariance(const RangeTree& tree, absl::Span<const double> levels,
                         absl::Span<const double> cells)
    : known_(tree, levels),
      levels_(levels.begin(), levels.end()),
      cells_(cells.begin(), cells.end()),
      prefix_(levels.size()) {
  TOMBOLA_CHECK(static_cast<int64_t>(cells.size()) == tree.cells());
  for (int64_t level = 0; level < tree.levels(); ++level) {
    std::vector<double>& prefix = prefix_[static_cast<size_t>(level)];
    const double own = levels[static_cast<size_t>(level)];
    const int64_t first = tree.FirstOf(level);
    prefix.assign(static_cast<size_t>(tree.NodesOf(level)) + 1, 0);
    for (int64_t node = 0; node < tree.NodesOf(level); ++node) {
      // A node's estimate takes of its own count the share Below / own, of its children the rest.
      const double share = known_.Below(level, node) / own;
      double varies = share * share * cells[static_cast<size_t>(first + node)];
      if (level > 0) {
        const std::vector<double>& lower = prefix_[static_cast<size_t>(level) - 1];
        const int64_t begin = node * tree.branching();
        const int64_t end = std::min(begin + tree.branching(), tree.NodesOf(level - 1));
        varies += (1 - share) * (1 - share) *
                  (lower[static_cast<size_t>(end)] - lower[static_cast<size_t>(begin)]);
      }
      prefix[static_cast<size_t>(node) + 1] = prefix[static_cast<size_t>(node)] + varies;
    }
    if (!tree.apart()) continue;
    const double share = known_.BelowApart() / own;
    apart_ += share * share * cells[static_cast<size_t>(first + tree.NodesOf(level))];
  }
}

SumVariance::Within SumVariance::Whole(double weight, double varies) const {
  return {
      .slope = weight,
      .variance = {
          .constant = weight * weight * varies, .linear = 2 * weight * varies, .square = varies}};
}

// With k = slope + x, the node's estimate has the weight k: its count the share Below / own of
// that, and the children, beside their own slopes, the rest of it less the slope.
SumVariance::Within SumVariance::Node(int64_t level, int64_t node, const Siblings& children) const {
  const double slope = children.slope();
  const double share = known_.Below(level, node) / levels_[static_cast<size_t>(level)];
  const double own =
      share * share * cells_[static_cast<size_t>(known_.tree().FirstOf(level) + node)];
  Within within = Whole(slope, own);
  const double times = 1 - share;
  const double offset = -share * slope;
  const Quadratic& below = children.variance();
  within.variance.constant += below.constant + offset * (below.linear + offset * below.square);
  within.variance.linear += times * (below.linear + 2 * offset * below.square);
  within.variance.square += times * times * below.square;
  return within;
}

// All together are known.
double SumVariance::Total(Siblings top, double apart) const {
  if (known_.tree().apart()) top.Add(Whole(apart, apart_), known_.BelowApart());
  const double x = -top.slope();
  const Quadratic& variance = top.variance();
  return std::max(0.0, variance.constant + x * (variance.linear + x * variance.square));
}

double SumVariance::Of(absl::Span<const WeightedRun> runs, double apart) const {
  TOMBOLA_CHECK(!runs.empty() && runs.back().end == known_.tree().leaves());
  const Walk walk(*this);
  return Total(TreeWalk(known_.tree(), walk).Of(runs), apart);
}

double SumVariance::OfEach(absl::Span<const double> weights, double apart) const {
  TOMBOLA_CHECK(static_cast<int64_t>(weights.size()) == known_.tree().leaves());
  const Walk walk(*this);
  return Total(TreeWalk(known_.tree(), walk).OfEach(weights), apart);
}

}  // namespace tombola
