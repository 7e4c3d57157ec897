// The projection onto the simplex at a million values, against the textbook's, by sorting.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "bench/noisy_estimates.h"
#include "benchmark/benchmark.h"
#include "collector/postprocess/postprocess.h"
#include "common/base/check.h"

namespace tombola::bench {
namespace {

constexpr size_t kValues = 1000000;

void Pop1e6(benchmark::State& state) {
  const std::vector<double> estimates = NoisyEstimates(kValues);
  for (auto _ : state) {
    const auto histogram = collector::Pop(estimates);
    TOMBOLA_CHECK(histogram.ok());
    benchmark::DoNotOptimize(histogram->data());
  }
}
BENCHMARK(Pop1e6)->Unit(benchmark::kMillisecond);

std::vector<double> ProjectBySorting(const std::vector<double>& estimates) {
  std::vector<double> sorted = estimates;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0;
  double tau = 0;
  for (size_t j = 0; j < sorted.size(); ++j) {
    sum += sorted[j];
    const double candidate = (sum - 1) / static_cast<double>(j + 1);
    if (!(sorted[j] > candidate)) break;
    tau = candidate;
  }
  std::vector<double> histogram(estimates.size());
  for (size_t i = 0; i < estimates.size(); ++i) histogram[i] = std::max(estimates[i] - tau, 0.0);
  return histogram;
}

void Sort1e6(benchmark::State& state) {
  const std::vector<double> estimates = NoisyEstimates(kValues);
  for (auto _ : state) benchmark::DoNotOptimize(ProjectBySorting(estimates).data());
}
BENCHMARK(Sort1e6)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tombola::bench
