#include "common/ranges/range_variance.h"

#include <algorithm>

#include "common/base/check.h"

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

void RangeVariance::AddNodes(absl::Span<const WeightedRun> runs, int64_t level, int64_t begin,
                             int64_t end, Joined* joined) const {
  const int64_t width = tree_.WidthOf(level);
  int64_t node = begin;
  while (node < end) {
    const int64_t leaf = node * width;
    const auto run =
        std::upper_bound(runs.begin(), runs.end(), leaf,
                         [](int64_t at, const WeightedRun& of) { return at < of.end; });
    // The nodes from here on that are of this run as a whole; the last of a level may be narrower.
    const int64_t whole = run->end == tree_.leaves() ? tree_.NodesOf(level) : run->end / width;
    const int64_t last = std::min(whole, end);
    if (last > node) {
      joined->Add({.slope = run->weight}, BelowAll(level, node, last));
      node = last;
    } else {
      joined->Add(Part(runs, level, node), Below(level, node));
      ++node;
    }
  }
}

RangeVariance::Given RangeVariance::Part(absl::Span<const WeightedRun> runs, int64_t level,
                                         int64_t node) const {
  Joined joined;
  const int64_t begin = node * tree_.branching();
  AddNodes(runs, level - 1, begin, std::min(begin + tree_.branching(), tree_.NodesOf(level - 1)),
           &joined);
  return joined.Result();
}

double RangeVariance::Of(absl::Span<const WeightedRun> runs, double apart, RangeTotal total) const {
  TOMBOLA_CHECK(!runs.empty() && runs.back().end == tree_.leaves());
  const int64_t top = tree_.levels() - 1;
  Joined joined;
  AddNodes(runs, top, 0, tree_.NodesOf(top), &joined);
  if (tree_.apart()) joined.Add({.slope = apart}, apart_);
  return total == RangeTotal::kKnown ? joined.Result().variance : joined.Free();
}

double RangeVariance::OfEach(absl::Span<const double> weights, double apart, RangeTotal total) const {
  TOMBOLA_CHECK(static_cast<int64_t>(weights.size()) == tree_.leaves());
  std::vector<Given> below(weights.size());
  for (size_t i = 0; i < weights.size(); ++i) below[i].slope = weights[i];
  for (int64_t level = 1; level < tree_.levels(); ++level) {
    std::vector<Given> above(static_cast<size_t>(tree_.NodesOf(level)));
    for (int64_t node = 0; node < tree_.NodesOf(level); ++node) {
      Joined joined;
      const int64_t begin = node * tree_.branching();
      const int64_t end = std::min(begin + tree_.branching(), tree_.NodesOf(level - 1));
      for (int64_t child = begin; child < end; ++child) {
        joined.Add(below[static_cast<size_t>(child)], Below(level - 1, child));
      }
      above[static_cast<size_t>(node)] = joined.Result();
    }
    below = std::move(above);
  }
  Joined joined;
  for (size_t node = 0; node < below.size(); ++node) {
    joined.Add(below[node], Below(tree_.levels() - 1, static_cast<int64_t>(node)));
  }
  if (tree_.apart()) joined.Add({.slope = apart}, apart_);
  return total == RangeTotal::kKnown ? joined.Result().variance : joined.Free();
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
