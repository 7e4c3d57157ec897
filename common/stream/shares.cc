#include "common/stream/shares.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>

#include "common/base/check.h"

namespace tombola::stream {
namespace {

// A block of periods (begin, end] is opened by its last node that begins where it does, (begin, P]:
// that one serves the totals from P on. The structure within (begin, P - 1] serves those before,
// and what lies behind P is a block by itself. The best split of the budget between node and inner
// structure is by these roots (the minimum of E/a^2 + w/(1-a)^2, or of E/a + w/(1-a)).
struct Split {
  double error;        // of the block up to P and the totals that P serves
  double inner_share;  // of the structure within; the rest is P's
};

Split BestSplit(Norm norm, double inner_error, double weight) {
  if (inner_error + weight == 0) return {0, 1};
  if (norm == Norm::kL1) {
    const double inner = std::cbrt(inner_error), own = std::cbrt(weight);
    return {(inner + own) * (inner + own) * (inner + own), inner / (inner + own)};
  }
  const double inner = std::sqrt(inner_error), own = std::sqrt(weight);
  return {(inner + own) * (inner + own), inner / (inner + own)};
}

// Nodes by where they start: 0 is none.
class Family {
 public:
  explicit Family(const Structure& structure)
      : periods_(structure.periods()),
        last_of_(static_cast<size_t>(periods_) + 1),
        earlier_(static_cast<size_t>(periods_) + 1) {
    for (int64_t t = structure.first_total(); t <= periods_; ++t) {
      int32_t& last = last_of_[static_cast<size_t>(structure.start(t))];
      earlier_[static_cast<size_t>(t)] = last;
      last = static_cast<int32_t>(t);
    }
  }

  // The last node that starts at `begin`, and the one before `node` with the same start.
  size_t last_of(size_t begin) const { return static_cast<size_t>(last_of_[begin]); }
  size_t earlier(size_t node) const { return static_cast<size_t>(earlier_[node]); }

 private:
  int64_t periods_;
  std::vector<int32_t> last_of_;
  std::vector<int32_t> earlier_;
};

Shares NestedShares(const Structure& structure, Norm norm, absl::Span<const double> weights) {
  const auto periods = static_cast<size_t>(structure.periods());
  const auto first_total = static_cast<size_t>(structure.first_total());
  const Family family(structure);
  std::vector<double> weight(periods + 1);  // of all totals up to t
  for (size_t t = 1; t <= periods; ++t) {
    const double own = weights.empty() ? 1 : weights[t - 1];
    weight[t] = weight[t - 1] + (t < first_total ? 0 : own);
  }
  // The end of the block that a node opens, then the block's error, from the last begin to the
  // first: what lies behind a node begins later than it, what lies within has an earlier node.
  std::vector<size_t> end(periods + 1, periods);
  for (size_t begin = 0; begin <= periods; ++begin) {
    size_t block_end = begin == 0 ? periods : end[begin];
    for (size_t node = family.last_of(begin); node != 0; node = family.earlier(node)) {
      end[node] = block_end;
      block_end = node - 1;
    }
  }
  std::vector<double> error(periods + 1), inner_share(periods + 1);
  std::vector<size_t> siblings;
  for (size_t begin = periods + 1; begin-- > 0;) {
    siblings.clear();
    for (size_t node = family.last_of(begin); node != 0; node = family.earlier(node)) {
      siblings.push_back(node);
    }
    for (auto node = siblings.rbegin(); node != siblings.rend(); ++node) {
      const double served = weight[end[*node]] - weight[*node - 1];
      const Split split = BestSplit(norm, error[family.earlier(*node)], served);
      inner_share[*node] = split.inner_share;
      error[*node] = split.error + error[family.last_of(*node)];
    }
  }
  std::vector<double> scale(periods + 1);
  Shares shares{.norm = norm, .of_node = std::vector<double>(periods)};
  scale[family.last_of(0)] = 1;
  for (size_t begin = 0; begin <= periods; ++begin) {
    for (size_t node = family.last_of(begin); node != 0; node = family.earlier(node)) {
      shares.of_node[node - 1] = scale[node] * (1 - inner_share[node]);
      scale[family.earlier(node)] = scale[node] * inner_share[node];
      scale[family.last_of(node)] = scale[node];
    }
  }
  return shares;
}

// The number of nodes over each period.
std::vector<int32_t> NodesOver(const Structure& structure) {
  std::vector<int32_t> nodes(static_cast<size_t>(structure.periods()) + 1);
  for (int64_t t = structure.first_total(); t <= structure.periods(); ++t) {
    ++nodes[static_cast<size_t>(structure.start(t))];
    --nodes[static_cast<size_t>(t)];
  }
  for (size_t i = 1; i < nodes.size(); ++i) nodes[i] += nodes[i - 1];
  return nodes;
}

// 1 / (the most nodes over a period of it) for every node.
Shares EvenShares(const Structure& structure, Norm norm) {
  const std::vector<int32_t> nodes = NodesOver(structure);
  Shares shares{.norm = norm,
                .of_node = std::vector<double>(static_cast<size_t>(structure.periods()))};
  // Periods with more nodes than any from there to t, ascending: the first of them within a node
  // has the most in it.
  std::vector<int64_t> records;
  for (int64_t t = 1; t <= structure.periods(); ++t) {
    const auto over = [&](int64_t period) { return nodes[static_cast<size_t>(period - 1)]; };
    while (!records.empty() && over(records.back()) <= over(t)) records.pop_back();
    records.push_back(t);
    if (t < structure.first_total()) continue;
    const int64_t within = *std::upper_bound(records.begin(), records.end(), structure.start(t));
    shares.of_node[static_cast<size_t>(t - 1)] = 1.0 / over(within);
  }
  return shares;
}

}  // namespace

Shares SharesOf(const Structure& structure, Norm norm, absl::Span<const double> weights) {
  TOMBOLA_CHECK(weights.empty() || static_cast<int64_t>(weights.size()) == structure.periods());
  if (structure.IsNested()) return NestedShares(structure, norm, weights);
  return EvenShares(structure, norm);
}

FenwickShares::FenwickShares(int64_t periods, Norm norm, double last_weight) : periods_(periods) {
  TOMBOLA_CHECK(periods >= 1 && periods <= kMostPeriods);
  double full = 0;  // the error of 2^i - 1 periods
  for (int64_t p = 1; p <= periods; p *= 2) {
    const auto served = [&](int64_t n) { return static_cast<double>(n - p + 1); };
    // A block of the rest ends where the stream does.
    const double of_rest = served(periods & (2 * p - 1)) + (last_weight - 1);
    inner_of_rest_.push_back(BestSplit(norm, full, of_rest).inner_share);
    const Split split = BestSplit(norm, full, served(2 * p - 1));
    inner_of_full_.push_back(split.inner_share);
    full += split.error;
  }
}

double FenwickShares::Of(int64_t node) const {
  TOMBOLA_CHECK(node >= 1 && node <= periods_);
  double share = 1;
  bool rest = true;  // whether the block is one of the lowest bits of periods_
  auto bit = std::bit_width(static_cast<uint64_t>(periods_)) - 1;
  while (true) {
    const int64_t p = int64_t{1} << bit;
    // A block of the rest without this bit has its first node further down.
    if (rest && (periods_ & p) == 0) {
      --bit;
      continue;
    }
    const auto& inner_of = rest ? inner_of_rest_ : inner_of_full_;
    const double inner = inner_of[static_cast<size_t>(bit)];
    if (node == p) return share * (1 - inner);
    --bit;
    if (node > p) {
      node -= p;
    } else {
      share *= inner;
      rest = false;
    }
  }
}

double NodeVariance(Norm norm, double share) {
  if (share == 0) return std::numeric_limits<double>::infinity();
  return norm == Norm::kL1 ? 1 / (share * share) : 1 / share;
}

TotalVariances VariancesOf(const Structure& structure, const Shares& shares) {
  TOMBOLA_CHECK(static_cast<int64_t>(shares.of_node.size()) == structure.periods());
  TotalVariances variances;
  variances.of_total.resize(shares.of_node.size());
  double sum = 0;
  for (int64_t t = structure.first_total(); t <= structure.periods(); ++t) {
    const int64_t before = structure.start(t);
    double& own = variances.of_total[static_cast<size_t>(t - 1)];
    own = NodeVariance(shares.norm, shares.of_node[static_cast<size_t>(t - 1)]);
    if (before > 0) own += variances.of_total[static_cast<size_t>(before - 1)];
    sum += own;
    variances.max = std::max(variances.max, own);
  }
  variances.last = variances.of_total.back();
  variances.mean = sum / static_cast<double>(structure.periods() - structure.first_total() + 1);
  return variances;
}

double LargestColumn(const Structure& structure, const Shares& shares) {
  std::vector<double> change(static_cast<size_t>(structure.periods()) + 1);
  for (int64_t t = structure.first_total(); t <= structure.periods(); ++t) {
    const double share = shares.of_node[static_cast<size_t>(t - 1)];
    change[static_cast<size_t>(structure.start(t))] += share;
    change[static_cast<size_t>(t)] -= share;
  }
  double sum = 0, most = 0;
  for (const double step : change) most = std::max(most, sum += step);
  return most;
}

}  // namespace tombola::stream
