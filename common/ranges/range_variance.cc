#include "common/ranges/range_variance.h"

#include <algorithm>

#include "common/base/check.h"
#include "common/ranges/tree_walk.h"

namespace tombola {

// Sums over nodes whose counts are independent but for their known sum: with slopes b and variances
// V, the slope is sum(bV)/sum(V), and the variance sum(b^2 V) - sum(bV)^2/sum(V) beside the parts'.
class RangeVariance::Joined {
 public:
  void Add(const Given& part, double below) {
    variance_ += part.variance;
    sum_ += below;
    first_ += part.slope * below;
    second_ += part.slope * part.slope * below;
  }

  // Where their sum is not known.
  double Free() const { return variance_ + second_; }

  Given Result() const {
    if (!(sum_ > 0)) return {};
    return {.slope = first_ / sum_,
            .variance = variance_ + std::max(0.0, second_ - first_ * first_ / sum_)};
  }

 private:
  double sum_ = 0, first_ = 0, second_ = 0, variance_ = 0;
};

class RangeVariance::Walk {
 public:
  using Siblings = Joined;

  explicit Walk(const RangeVariance& of) : of_(of) {}

  void AddWhole(int64_t level, int64_t begin, int64_t end, double weight, Joined* joined) const {
    joined->Add({.slope = weight}, of_.BelowAll(level, begin, end));
  }
  void AddPart(int64_t level, int64_t node, const Joined& children, Joined* joined) const {
    joined->Add(children.Result(), of_.Below(level, node));
  }

 private:
  const RangeVariance& of_;
};

RangeVariance::RangeVariance(const RangeTree& tree, absl::Span<const double> variances)
    : tree_(tree), prefix_(static_cast<size_t>(tree.levels())) {
  TOMBOLA_CHECK(static_cast<int64_t>(variances.size()) == tree.levels());
  double inverse = 0;
  for (int64_t level = 0; level < tree.levels(); ++level) {
    const double own = variances[static_cast<size_t>(level)];
    inverse += 1 / own;
    std::vector<double>& prefix = prefix_[static_cast<size_t>(level)];
    prefix.assign(static_cast<size_t>(tree.NodesOf(level)) + 1, 0);
    for (int64_t node = 0; node < tree.NodesOf(level); ++node) {
      double below = own;
      if (level > 0) {
        const int64_t begin = node * tree.branching();
        const int64_t end = std::min(begin + tree.branching(), tree.NodesOf(level - 1));
        below = 1 / (1 / own + 1 / BelowAll(level - 1, begin, end));
      }
      prefix[static_cast<size_t>(node) + 1] = prefix[static_cast<size_t>(node)] + below;
    }
  }
  if (tree.apart()) apart_ = 1 / inverse;
}

double RangeVariance::Total(Joined top, double apart, RangeTotal total) const {
  if (tree_.apart()) top.Add({.slope = apart}, apart_);
  return total == RangeTotal::kKnown ? top.Result().variance : top.Free();
}

double RangeVariance::Of(absl::Span<const WeightedRun> runs, double apart, RangeTotal total) const {
  TOMBOLA_CHECK(!runs.empty() && runs.back().end == tree_.leaves());
  const Walk walk(*this);
  return Total(TreeWalk(tree_, walk).Of(runs), apart, total);
}

double RangeVariance::OfEach(absl::Span<const double> weights, double apart,
                             RangeTotal total) const {
  TOMBOLA_CHECK(static_cast<int64_t>(weights.size()) == tree_.leaves());
  const Walk walk(*this);
  return Total(TreeWalk(tree_, walk).OfEach(weights), apart, total);
}

double RangeVariance::OfRange(int64_t begin, int64_t end) const {
  TOMBOLA_CHECK(0 <= begin && begin <= end && end <= tree_.leaves());
  std::vector<WeightedRun> runs;
  if (begin > 0) runs.push_back({.end = begin, .weight = 0});
  if (end > begin) runs.push_back({.end = end, .weight = 1});
  if (end < tree_.leaves()) runs.push_back({.end = tree_.leaves(), .weight = 0});
  return Of(runs);
}

}  // namespace tombola
