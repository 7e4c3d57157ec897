// The shuffle in memory, as a release does it, against the standard library's with a generator that
// is not cryptographic. Records of 16 bytes, and of 84, a sealed report's.
#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "bench/core_sources.h"
#include "benchmark/benchmark.h"
#include "common/random/secure_random.h"
#include "shuffler/permute/block_permute.h"
#include "shuffler/permute/page_buffer.h"
#include "shuffler/permute/permute.h"

namespace tombola::shuffler {
namespace {

// Two words, so that the standard library swaps it in registers.
struct Record {
  uint64_t low = 0;
  uint64_t high = 0;
};

constexpr int64_t kSmall = 1000000, kMedium = 10000000, kLarge = 100000000;

// From one buffer to the other and back, on all cores.
void PermuteOnAllCores(benchmark::State& state, size_t record_bytes) {
  const size_t bytes = static_cast<size_t>(state.range(0)) * record_bytes;
  PageBuffer from(bytes), to(bytes);
  std::fill(from.bytes().begin(), from.bytes().end(), uint8_t{1});
  std::fill(to.bytes().begin(), to.bytes().end(), uint8_t{1});
  const bench::CoreSources sources;
  for (auto _ : state) {
    PermuteInto(from.bytes(), to.bytes(), record_bytes, sources.get());
    std::swap(from, to);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void PermuteAll16(benchmark::State& state) { PermuteOnAllCores(state, sizeof(Record)); }
BENCHMARK(PermuteAll16)
    ->Arg(kSmall)
    ->Arg(kMedium)
    ->Arg(kLarge)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
void PermuteAll84(benchmark::State& state) { PermuteOnAllCores(state, 84); }
BENCHMARK(PermuteAll84)->Arg(kSmall)->Arg(kMedium)->UseRealTime()->Unit(benchmark::kMillisecond);

// In place, on one core: what is left where the memory limit has no room for a second buffer.
void PermuteInPlace(benchmark::State& state, size_t record_bytes) {
  PageBuffer records(static_cast<size_t>(state.range(0)) * record_bytes);
  std::fill(records.bytes().begin(), records.bytes().end(), uint8_t{1});
  SecureRandom random;
  for (auto _ : state) Permute(records.bytes(), record_bytes, random);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
void Permute16(benchmark::State& state) { PermuteInPlace(state, sizeof(Record)); }
BENCHMARK(Permute16)->Arg(kSmall)->Arg(kMedium)->UseRealTime()->Unit(benchmark::kMillisecond);
void Permute84(benchmark::State& state) { PermuteInPlace(state, 84); }
BENCHMARK(Permute84)->Arg(kSmall)->Arg(kMedium)->UseRealTime()->Unit(benchmark::kMillisecond);

void StdShuffle16(benchmark::State& state) {
  std::vector<Record> records(static_cast<size_t>(state.range(0)));
  std::mt19937_64 engine(1);
  for (auto _ : state) {
    std::shuffle(records.begin(), records.end(), engine);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(StdShuffle16)
    ->Arg(kSmall)
    ->Arg(kMedium)
    ->Arg(kLarge)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// The baseline's baseline: the same in memory of huge pages, which a caller has to ask for.
void StdShuffle16HugePages(benchmark::State& state) {
  PageBuffer memory(static_cast<size_t>(state.range(0)) * sizeof(Record));
  auto* const records = reinterpret_cast<Record*>(memory.bytes().data());
  std::mt19937_64 engine(1);
  for (auto _ : state) {
    std::shuffle(records, records + state.range(0), engine);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(StdShuffle16HugePages)
    ->Arg(kMedium)
    ->Arg(kLarge)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tombola::shuffler
