// Least squares over a tree of a million cells, against reading and writing as much memory once.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/noisy_estimates.h"
#include "benchmark/benchmark.h"
#include "common/ranges/least_squares.h"
#include "common/ranges/range_tree.h"

namespace tombola::bench {
namespace {

constexpr int64_t kLeaves = 750000;  // with a million cells, a third more

RangeTree Tree() { return RangeTree(kLeaves, /*branching=*/4, /*apart=*/true); }

void LeastSquares1e6(benchmark::State& state) {
  const RangeTree tree = Tree();
  const std::vector<double> cells = NoisyEstimates(static_cast<size_t>(tree.cells()));
  const std::vector<double> variances(static_cast<size_t>(tree.levels()), 1e-8);
  for (auto _ : state) {
    benchmark::DoNotOptimize(LeastSquares(tree, cells, variances, /*total=*/1).data());
  }
}
BENCHMARK(LeastSquares1e6)->Unit(benchmark::kMillisecond);

void PlainPass1e6(benchmark::State& state) {
  const std::vector<double> cells = NoisyEstimates(static_cast<size_t>(Tree().cells()));
  for (auto _ : state) {
    std::vector<double> leaves(cells.size());
    for (size_t i = 0; i < cells.size(); ++i) leaves[i] = cells[i] + 1e-9;
    benchmark::DoNotOptimize(leaves.data());
  }
}
BENCHMARK(PlainPass1e6)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tombola::bench
