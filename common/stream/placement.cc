#include "common/stream/placement.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "common/base/check.h"

namespace tombola::stream {
namespace {

// best[c]: the largest sum of the nodes within some periods when c of these are chosen.
using Best = std::vector<double>;

// Of two blocks of periods that no node lies across.
Best Together(const Best& a, const Best& b, size_t chosen) {
  Best sum(std::min(a.size() + b.size() - 1, chosen + 1), -std::numeric_limits<double>::infinity());
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = 0; j < b.size() && i + j < sum.size(); ++j) {
      sum[i + j] = std::max(sum[i + j], a[i] + b[j]);
    }
  }
  return sum;
}

}  // namespace

double LargestPlacement(const Structure& structure, int64_t chosen,
                        absl::FunctionRef<double(int64_t node, int64_t c)> value) {
  TOMBOLA_CHECK(chosen >= 1 && structure.IsNested());
  const auto most = static_cast<size_t>(chosen);
  std::vector<Best> blocks(static_cast<size_t>(structure.periods()) + 1);
  // What of (begin, end] no node has been seen to cover as a whole, node by node.
  const auto within = [&](int64_t begin, int64_t end, Best all) {
    for (int64_t node = end; node > begin; node = structure.start(node)) {
      Best& block = blocks[static_cast<size_t>(node)];
      all = Together(all, block, most);
      block = Best();
    }
    return all;
  };
  for (int64_t node = structure.first_total(); node <= structure.periods(); ++node) {
    // The last period is in no node within.
    Best best = within(structure.start(node), node - 1, Best(2, 0));
    for (size_t c = 1; c < best.size(); ++c) best[c] += value(node, static_cast<int64_t>(c));
    blocks[static_cast<size_t>(node)] = std::move(best);
  }
  const Best all = within(0, structure.periods(), Best(1, 0));
  return *std::max_element(all.begin(), all.end());
}

}  // namespace tombola::stream
