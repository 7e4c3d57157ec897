// The shuffle in memory, against the standard library's with a generator that is not cryptographic.
#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "benchmark/benchmark.h"
#include "common/random/secure_random.h"
#include "shuffler/permute/permute.h"

namespace tombola::shuffler {
namespace {

// Two words, so that the standard library swaps it in registers.
struct Record {
  uint64_t low = 0;
  uint64_t high = 0;
};

void Permute16(benchmark::State& state) {
  std::vector<Record> records(static_cast<size_t>(state.range(0)));
  SecureRandom random;
  for (auto _ : state) {
    Permute(
        absl::MakeSpan(reinterpret_cast<uint8_t*>(records.data()), records.size() * sizeof(Record)),
        sizeof(Record), random);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(Permute16)->Arg(1000000)->Arg(10000000)->Unit(benchmark::kMillisecond);

void StdShuffle16(benchmark::State& state) {
  std::vector<Record> records(static_cast<size_t>(state.range(0)));
  std::mt19937_64 engine(1);
  for (auto _ : state) {
    std::shuffle(records.begin(), records.end(), engine);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(StdShuffle16)->Arg(1000000)->Arg(10000000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tombola::shuffler
