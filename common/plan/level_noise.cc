#include "common/plan/level_noise.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "common/kind/number.h"
#include "common/ranges/range_variance.h"

namespace tombola::mechanism {
namespace {

// Of a tree that is looked at again and again: some ten milliseconds in all.
constexpr int64_t kMostBins = int64_t{1} << 14;
constexpr int kMostRounds = 12;
constexpr double kSettled = 1e-5;  // by which a round has to lessen the variance
constexpr double kStep = 1e-3;
constexpr double kLeast = 1e-3;  // of the noise of the bins

// The variance of ranges where these divide one sum of inverse variances.
double ErrorOf(const RangeTree& tree, const std::vector<double>& noise) {
  double cost = 0;
  for (const double level : noise) cost += 1 / level;
  return RangeVariance(tree, noise).OverAllRanges() * cost;
}

// A range is a sum over cells, the squares of whose weights least squares chooses for these
// variances: their sum on a level is by how much the range's variance grows with the level's. With
// these weights the least sum is where noise is inverse to the roots of those, and least squares
// only lessens it. So no round makes it worse, but for the bound: what a level hardly tells, as
// one of few bins whose nodes are nearly all of them, could do with any amount of noise, and no
// level is to have more dummies than the bins.
std::vector<double> Round(const RangeTree& tree, const std::vector<double>& noise) {
  const double here = RangeVariance(tree, noise).OverAllRanges();
  std::vector<double> next;
  for (size_t level = 0; level < noise.size(); ++level) {
    std::vector<double> moved = noise;
    moved[level] *= 1 + kStep;
    const double more = RangeVariance(tree, moved).OverAllRanges() - here;
    next.push_back(1 / std::sqrt(std::max(more / (kStep * noise[level]), 1e-300)));
  }
  const double bins = next.front();
  for (size_t level = 0; level < next.size(); ++level) {
    const double most = static_cast<double>(tree.NodesOf(0)) /
                        static_cast<double>(tree.NodesOf(static_cast<int64_t>(level)));
    next[level] = std::clamp(next[level] / bins, kLeast, most);
  }
  return next;
}

// Of each level, the bins' being 1.
std::vector<double> BestOf(const RangeTree& tree) {
  std::vector<double> noise(static_cast<size_t>(tree.levels()), 1);
  double least = ErrorOf(tree, noise);
  for (int i = 0; i < kMostRounds; ++i) {
    std::vector<double> next = Round(tree, noise);
    const double error = ErrorOf(tree, next);
    if (!(error < least)) break;
    noise = std::move(next);
    if (error > least * (1 - kSettled)) break;
    least = error;
  }
  return noise;
}

// How many of the lowest levels a tree has to go without.
int64_t LevelsLeftOut(const RangeTree& tree) {
  int64_t left_out = 0;
  while (left_out < tree.levels() && tree.NodesOf(left_out) > kMostBins) ++left_out;
  return left_out;
}

}  // namespace

// What is above a node is alike wherever its tree begins: of a larger tree the levels from some on
// are looked at as if the lowest of them were the bins. Noise is least on the lowest level, next to
// the same on all between, and most on the highest.
std::vector<LevelNoise> DivideNoise(const RangeTree& tree) {
  const int64_t left_out = LevelsLeftOut(tree);
  if (tree.levels() < 2 || left_out > tree.levels() - (left_out == 0 ? 2 : 3)) return {};
  const std::vector<double> noise =
      BestOf(RangeTree(tree.NodesOf(left_out), tree.branching(), tree.apart()));
  std::vector<LevelNoise> levels;
  for (const int64_t cells : LevelCells(tree)) {
    const auto level = static_cast<int64_t>(levels.size());
    const int64_t like = level < 2 ? level : std::max(int64_t{2}, level - left_out);
    levels.push_back({.cells = cells, .noise = noise[static_cast<size_t>(like)]});
  }
  return levels;
}

}  // namespace tombola::mechanism
