// Local hashing with the affine family: every value tried against every report, on one core,
// against the same with a murmur mixer, vectorised alike. Items are evaluations, reports x values.
#include <cstdint>
#include <vector>

#include "bench/mixer_kernel.h"
#include "bench/reports.h"
#include "benchmark/benchmark.h"
#include "collector/aggregate/affine_kernel.h"
#include "collector/aggregate/aggregator.h"

namespace tombola::bench {
namespace {

constexpr uint64_t kRange = 16;
constexpr size_t kReports = 2048;
constexpr size_t kValues = 4096;

template <typename Word>
void AffineKernel(benchmark::State& state) {
  FastRandom random(1);
  std::vector<collector::AffineLine<Word>> lines(kReports);
  for (auto& line : lines) {
    line = {static_cast<Word>(random.Next64()), static_cast<Word>(random.Next64())};
  }
  std::vector<Word> counts(kValues, 0);
  for (auto _ : state) {
    collector::CountBelow<Word>(lines, Word{1} << (8 * sizeof(Word) - 4), 0,
                                absl::MakeSpan(counts));
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kReports * kValues));
}
void AffineKernel32(benchmark::State& state) { AffineKernel<uint32_t>(state); }
void AffineKernel64(benchmark::State& state) { AffineKernel<uint64_t>(state); }
BENCHMARK(AffineKernel32);
BENCHMARK(AffineKernel64);

void MixerKernel32(benchmark::State& state) {
  FastRandom random(1);
  std::vector<MixedReport> reports(kReports);
  for (MixedReport& report : reports) {
    report = {static_cast<uint32_t>(random.Next64()),
              static_cast<uint32_t>(UniformBelow(kRange, random)) << 28};
  }
  std::vector<uint32_t> counts(kValues, 0);
  for (auto _ : state) {
    CountMixed(reports, uint32_t{1} << 28, absl::MakeSpan(counts));
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kReports * kValues));
}
BENCHMARK(MixerKernel32);

// From plaintext reports to counts, whatever the domain's tiles.
void DecodeAffine(benchmark::State& state) {
  const auto affine = MakeLocalHash({.family = mechanism::HashFamily::kAffine,
                                     .range = kRange,
                                     .blanket_threshold = uint64_t{1} << 63,
                                     .lane_bits = static_cast<uint32_t>(state.range(0)),
                                     .domain_size = state.range(1)});
  const std::vector<uint8_t> reports = DrawReports(*affine, kReports);
  const auto aggregator = collector::MakeAggregator(affine);
  for (auto _ : state) {
    aggregator->AddAll(reports);
    benchmark::DoNotOptimize(aggregator->counts().data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kReports) * state.range(1));
}
BENCHMARK(DecodeAffine)
    ->ArgNames({"lane_bits", "values"})
    ->Args({32, 600})
    ->Args({32, 42178})
    ->Args({64, 42178});

}  // namespace
}  // namespace tombola::bench
