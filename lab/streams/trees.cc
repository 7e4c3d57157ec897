#include "lab/streams/trees.h"

#include <bit>
#include <cmath>
#include <cstdlib>

#include "common/stream/k_ary.h"

namespace tombola::lab {
namespace {

int LevelsFor(int64_t periods) { return std::bit_width(static_cast<uint64_t>(periods)); }

// Of sums of nodes of the binary tree: the blocks of a total are those of its bits.
template <typename Variance>
TotalSpread SumsOfBits(int64_t periods, const Variance& of_level) {
  std::vector<double> variances(LevelsFor(periods));
  for (size_t level = 0; level < variances.size(); ++level) variances[level] = of_level(level);
  SpreadSum sum;
  for (int64_t t = 1; t <= periods; ++t) {
    double variance = 0;
    for (uint64_t bits = static_cast<uint64_t>(t); bits != 0; bits &= bits - 1) {
      variance += variances[std::countr_zero(bits)];
    }
    sum.Add(variance);
  }
  return sum.spread();
}

}  // namespace

TotalSpread NaiveRelease(int64_t periods, const NoiseOf& noise) {
  const double variance = noise(1 / static_cast<double>(periods));
  SpreadSum sum;
  for (int64_t t = 1; t <= periods; ++t) sum.Add(variance);
  return sum.spread();
}

TotalSpread BinaryTree(int64_t periods, const NoiseOf& noise) {
  const double variance = noise(1.0 / LevelsFor(periods));
  return SumsOfBits(periods, [variance](size_t) { return variance; });
}

// v_k = 1 / (1 + 1 / (2 v_{k-1})) of a node's own variance, from v_0 = 1.
TotalSpread HonakerTree(int64_t periods, const NoiseOf& noise) {
  const double variance = noise(1.0 / LevelsFor(periods));
  return SumsOfBits(periods, [variance](size_t level) {
    return variance / (2 - std::ldexp(1, -static_cast<int>(level)));
  });
}

TotalSpread UnboundedTree(int64_t periods, const NoiseOf& noise) {
  const double of_power = noise(0.5);
  double before = 0, of_node = 0;
  SpreadSum sum;
  for (int64_t t = 1; t <= periods; ++t) {
    const auto bits = static_cast<uint64_t>(t);
    const uint64_t within = bits ^ std::bit_floor(bits);  // periods since the last power of two
    if (within == 0) {
      before += of_power;
      const int levels = std::bit_width(bits - 1);  // of the t - 1 periods up to the next one
      if (levels > 0) of_node = noise(0.5 / levels);
    }
    sum.Add(before + std::popcount(within) * of_node);
  }
  return sum.spread();
}

TotalSpread KarySpread(int64_t periods, const NoiseOf& noise) {
  const stream::KAry tree = stream::BestKAry(periods);
  std::vector<double> variances;
  for (const double share : stream::LevelShares(tree, periods)) variances.push_back(noise(share));
  SpreadSum sum;
  for (int64_t t = 1; t <= periods; ++t) {
    double variance = 0;
    for (int level = 0; level < tree.h; ++level) {
      const int64_t blocks = std::abs(stream::DigitOf(tree, t, level));
      if (blocks > 0) variance += static_cast<double>(blocks) * variances[level];
    }
    sum.Add(variance);
  }
  return sum.spread();
}

TotalSpread StructureSpread(const stream::Structure& structure, const stream::Shares& shares,
                            const NoiseOf& noise) {
  std::vector<double> variances(static_cast<size_t>(structure.periods()) + 1, 0);
  SpreadSum sum;
  for (int64_t t = 1; t <= structure.periods(); ++t) {
    variances[t] = variances[structure.start(t)] + noise(shares.of_node[t - 1]);
    sum.Add(variances[t]);
  }
  return sum.spread();
}

stream::Shares EqualShares(const stream::Structure& structure, stream::Norm norm) {
  const double share = 1 / static_cast<double>(structure.Depth());
  return {.norm = norm,
          .of_node = std::vector<double>(static_cast<size_t>(structure.periods()), share)};
}

}  // namespace tombola::lab
