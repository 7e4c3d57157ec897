// The projection onto the simplex at a million values, against the textbook's, by sorting. The
// input is what estimates look like: frequencies that fall as 1 / rank, with noise that exceeds
// nearly all of them, so that most entries are to be cut.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <random>
#include <vector>

#include "benchmark/benchmark.h"
#include "collector/postprocess/pop.h"
#include "common/base/check.h"

namespace tombola::bench {
namespace {

constexpr size_t kValues = 1000000;

std::vector<double> NoisyEstimates() {
  std::mt19937_64 engine(1);
  std::normal_distribution<double> noise(0, 1e-4);
  std::vector<double> estimates(kValues);
  double sum = 0;
  for (size_t i = 0; i < kValues; ++i) sum += 1 / static_cast<double>(i + 1);
  for (size_t i = 0; i < kValues; ++i) {
    estimates[i] = 1 / (static_cast<double>(i + 1) * sum) + noise(engine);
  }
  return estimates;
}

void Pop1e6(benchmark::State& state) {
  const std::vector<double> estimates = NoisyEstimates();
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
  const std::vector<double> estimates = NoisyEstimates();
  for (auto _ : state) benchmark::DoNotOptimize(ProjectBySorting(estimates).data());
}
BENCHMARK(Sort1e6)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tombola::bench
