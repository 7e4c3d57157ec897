// From plaintext reports to the estimates of every value, local hashing with the plane, against
// trying every value with a library's hash function. Items are pairs of a report and a value; the
// hash calls grow linearly in both, so a hundredth of the reports stands for all of them.
#include <xxhash.h>

#include <cstdint>
#include <vector>

#include "bench/reports.h"
#include "benchmark/benchmark.h"
#include "collector/aggregate/aggregator.h"
#include "collector/estimate/estimator.h"
#include "common/base/check.h"

namespace tombola::bench {
namespace {

constexpr int64_t kReports = 600000;
constexpr int64_t kHashed = kReports / 100;

void DecodePlane(benchmark::State& state) {
  const auto plane = MakePlane();
  const std::vector<uint8_t> reports = DrawReports(*plane, kReports);
  for (auto _ : state) {
    const auto aggregator = collector::MakeAggregator(plane);
    const collector::AddedReports added = aggregator->AddAll(reports);
    const auto estimates =
        collector::Estimator(*plane).Estimate(aggregator->counts(), {.submissions = added.counted});
    TOMBOLA_CHECK(estimates.ok());
    benchmark::DoNotOptimize(estimates->raw.data());
  }
  state.SetItemsProcessed(state.iterations() * kReports * kDomain);
}
BENCHMARK(DecodePlane)->Unit(benchmark::kMillisecond);

struct SeededReport {
  uint64_t seed = 0;
  uint64_t bucket = 0;
};

std::vector<SeededReport> DrawSeededReports() {
  FastRandom random(2);
  std::vector<SeededReport> reports(kHashed);
  for (SeededReport& report : reports) {
    report = {random.Next64(), UniformBelow(kPlaneOrder, random)};
  }
  return reports;
}

template <XXH64_hash_t (*kHash)(const void*, size_t, XXH64_hash_t)>
void DecodeByHash(benchmark::State& state) {
  const std::vector<SeededReport> reports = DrawSeededReports();
  std::vector<int64_t> counts(kDomain, 0);
  for (auto _ : state) {
    for (const SeededReport& report : reports) {
      for (uint32_t value = 0; value < kDomain; ++value) {
        const uint64_t hash = kHash(&value, sizeof(value), report.seed);
        // The leading 32 bits scaled to the range: no division.
        counts[value] += ((hash >> 32) * kPlaneOrder >> 32) == report.bucket;
      }
    }
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kHashed * kDomain);
}
void DecodeByXxh64(benchmark::State& state) { DecodeByHash<XXH64>(state); }
void DecodeByXxh3(benchmark::State& state) { DecodeByHash<XXH3_64bits_withSeed>(state); }
BENCHMARK(DecodeByXxh64)->Unit(benchmark::kMillisecond);
BENCHMARK(DecodeByXxh3)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tombola::bench
