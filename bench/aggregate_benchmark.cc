// Plaintext reports into counts on one core, against the same reports, decoded beforehand, counted
// into a hash map. Copying the bytes is the limit.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "bench/reports.h"
#include "benchmark/benchmark.h"
#include "collector/aggregate/aggregator.h"
#include "common/base/check.h"
#include "common/table/value_report.h"

namespace tombola::bench {
namespace {

using mechanism::PlaneReport;
using mechanism::ValueReport;

constexpr int64_t kReports = 100000;

void Count(benchmark::State& state, const std::shared_ptr<const mechanism::Mechanism>& mechanism) {
  const std::vector<uint8_t> reports = DrawReports(*mechanism, kReports);
  const auto aggregator = collector::MakeAggregator(mechanism);
  for (auto _ : state) {
    TOMBOLA_CHECK(aggregator->AddAll(reports).counted == kReports);
    benchmark::DoNotOptimize(aggregator->counts().data());
  }
  state.SetItemsProcessed(state.iterations() * kReports);
}
void CountGrr(benchmark::State& state) { Count(state, MakeGrr()); }
void CountPlane(benchmark::State& state) { Count(state, MakePlane()); }
BENCHMARK(CountGrr);
BENCHMARK(CountPlane);

template <typename Report>
std::vector<Report> Decoded(const std::vector<uint8_t>& bytes) {
  std::vector<Report> reports(bytes.size() / Report::kBytes);
  for (size_t i = 0; i < reports.size(); ++i) {
    const auto report = absl::MakeConstSpan(bytes).subspan(i * Report::kBytes, Report::kBytes);
    TOMBOLA_CHECK(mechanism::Read(report, &reports[i]));
  }
  return reports;
}

void MapGrr(benchmark::State& state) {
  const auto reports = Decoded<ValueReport>(DrawReports(*MakeGrr(), kReports));
  absl::flat_hash_map<uint32_t, int64_t> counts;
  for (auto _ : state) {
    for (const ValueReport& report : reports) ++counts[report.value];
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kReports);
}
BENCHMARK(MapGrr);

// Calls visit(value) for each value that a report supports, found row by row in steps of one
// subtraction: what a program does that has the mathematics, but no vectors.
template <typename Visit>
void ForEachPoint(const PlaneReport& report, int32_t side, Visit visit) {
  if (report.function == kPlaneOrder) {
    const int64_t start = int64_t{report.bucket} * side;
    for (int64_t value = start; value < std::min(start + side, kDomain); ++value) {
      visit(static_cast<uint32_t>(value));
    }
    return;
  }
  int32_t column = static_cast<int32_t>(report.bucket);
  for (int32_t start = 0; start < kDomain; start += side) {
    if (column < side && start + column < kDomain) visit(static_cast<uint32_t>(start + column));
    column -= static_cast<int32_t>(report.function);
    column += (column >> 31) & static_cast<int32_t>(kPlaneOrder);
  }
}

void MapPlane(benchmark::State& state) {
  const auto plane = MakePlane();
  const auto reports = Decoded<PlaneReport>(DrawReports(*plane, kReports));
  const auto side = static_cast<int32_t>(plane->side());
  absl::flat_hash_map<uint32_t, int64_t> counts;
  for (auto _ : state) {
    for (const PlaneReport& report : reports) {
      ForEachPoint(report, side, [&](uint32_t value) { ++counts[value]; });
    }
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kReports);
}
BENCHMARK(MapPlane);

// The reports themselves, not the values that they support: less work in a larger map.
void MapPlaneReports(benchmark::State& state) {
  const auto reports = Decoded<PlaneReport>(DrawReports(*MakePlane(), kReports));
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, int64_t> counts;
  for (auto _ : state) {
    for (const PlaneReport& report : reports) ++counts[{report.function, report.bucket}];
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kReports);
}
BENCHMARK(MapPlaneReports);

void Copy(benchmark::State& state, const mechanism::Mechanism& mechanism) {
  const std::vector<uint8_t> reports = DrawReports(mechanism, kReports);
  std::vector<uint8_t> copy(reports.size());
  for (auto _ : state) {
    std::memcpy(copy.data(), reports.data(), reports.size());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kReports);
}
void CopyGrr(benchmark::State& state) { Copy(state, *MakeGrr()); }
void CopyPlane(benchmark::State& state) { Copy(state, *MakePlane()); }
BENCHMARK(CopyGrr);
BENCHMARK(CopyPlane);

}  // namespace
}  // namespace tombola::bench
