// Decoding strings that nobody listed, on one core: six bytes, three levels, 2^16 buckets, 300,000
// reports, against looking into a bitmap as often and nothing else. Items are tests, 256 for each
// candidate of each level.
#include <cstdint>
#include <vector>

#include "bench/bare_gather.h"
#include "bench/fast_random.h"
#include "benchmark/benchmark.h"
#include "collector/aggregate/string_counts.h"
#include "collector/decode/capped_cells.h"
#include "collector/decode/decoder.h"
#include "collector/decode/gather_kernel.h"
#include "common/base/check.h"
#include "common/strings/alphabet.h"
#include "common/strings/public_functions.h"
#include "common/strings/randomizer.h"

namespace tombola::bench {
namespace {

constexpr int64_t kReports = 300000;
constexpr int64_t kHeavy = 24;  // strings of as many holders each
constexpr int64_t kOfOne = 2000;

const strings::PublicFunctions& Functions() {
  static const auto* const functions = new strings::PublicFunctions(
      TaskId{1},
      *strings::Shape::Create({.symbols = 256, .length = 6, .step = 2, .range = 1 << 16}));
  return *functions;
}

const collector::StringCounts& Counts() {
  static const auto* const counts = [] {
    FastRandom random(1);
    const strings::StringRandomizer randomizer(&Functions(), uint64_t{1} << 63);
    collector::StringTally tally(Functions().shape());
    for (int64_t i = 0; i < kHeavy; ++i) {
      strings::Symbols symbols(6);
      for (uint8_t& symbol : symbols) symbol = static_cast<uint8_t>(1 + UniformBelow(255, random));
      for (int64_t j = 0; j < kOfOne; ++j) tally.Add(randomizer.OneMessage(symbols, random));
    }
    for (int64_t i = kHeavy * kOfOne; i < kReports; ++i) tally.Add(randomizer.UniformCell(random));
    return new collector::StringCounts(tally.Take());
  }();
  return *counts;
}

void DecodeSixBytes(benchmark::State& state) {
  int64_t tests = 0;
  for (auto _ : state) {
    const auto decoded = collector::DecodeStrings(
        {.functions = &Functions(), .counts = &Counts(), .devices = kReports, .gamma = 0.5}, {});
    TOMBOLA_CHECK(decoded.ok() && decoded->strings.size() == kHeavy);
    tests += decoded->tests;
  }
  state.SetItemsProcessed(tests);
}
BENCHMARK(DecodeSixBytes)->Unit(benchmark::kMillisecond);

// No candidate is dropped early.
void SumAllFunctions(benchmark::State& state) {
  const collector::CappedCells cells(Counts(), 0, 1);
  std::vector<uint32_t> sums(4096);
  uint64_t key = Functions().FirstKey(0, {});
  for (auto _ : state) {
    collector::SumConsecutive(cells.rows(), Functions().functions(), 0, strings::kFunctions, key,
                              absl::MakeSpan(sums));
    benchmark::ClobberMemory();
    key += sums.size();
  }
  state.SetItemsProcessed(state.iterations() * strings::kFunctions *
                          static_cast<int64_t>(sums.size()));
}
BENCHMARK(SumAllFunctions);

void BareGather(benchmark::State& state) {
  const collector::CappedCells cells(Counts(), 0, 1);
  const collector::CellRows rows = cells.rows();
  constexpr size_t kKeys = 4096;
  for (auto _ : state) {
    for (size_t j = 0; j < strings::kFunctions; ++j) {
      benchmark::DoNotOptimize(CountGathered(absl::MakeConstSpan(rows.Row(j), rows.words_per_row),
                                             rows.range_bits, Functions().functions()[j].multiplier,
                                             kKeys));
    }
  }
  state.SetItemsProcessed(state.iterations() * strings::kFunctions * static_cast<int64_t>(kKeys));
}
BENCHMARK(BareGather);

}  // namespace
}  // namespace tombola::bench
