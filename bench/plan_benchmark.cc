// Planning every mechanism for a hundred million users, over the questions that people ask.
#include <array>
#include <cstdint>
#include <string>

#include "benchmark/benchmark.h"
#include "common/base/check.h"
#include "common/mechanism/every.h"
#include "common/plan/plan.h"

namespace tombola::mechanism {
namespace {

constexpr std::array<int64_t, 4> kDomains = {100, 600, 42'178, 1'000'000};
constexpr std::array<double, 2> kEpsilons = {0.1, 1};
constexpr std::array<double, 2> kDeltas = {1e-9, 1e-10};

void PlanOrDie(const PlanRequest& request) {
  const auto candidates = PlanAll(request);
  TOMBOLA_CHECK(candidates.ok());
  benchmark::DoNotOptimize(candidates->data());
}

// state.range: indices into the three lists.
void PlanAt1e8(benchmark::State& state) {
  PlanRequest request;
  request.submissions = request.honest = 100'000'000;
  request.domain_size = kDomains[static_cast<size_t>(state.range(0))];
  request.epsilon = kEpsilons[static_cast<size_t>(state.range(1))];
  request.delta = kDeltas[static_cast<size_t>(state.range(2))];
  for (auto _ : state) PlanOrDie(request);
}
BENCHMARK(PlanAt1e8)
    ->ArgNames({"domain", "epsilon", "delta"})
    ->ArgsProduct({benchmark::CreateDenseRange(0, 3, 1), benchmark::CreateDenseRange(0, 1, 1),
                   benchmark::CreateDenseRange(0, 1, 1)})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

// As far from any use as a request may be. state.range: which mechanism.
void PlanAbsurd(benchmark::State& state) {
  PlanRequest request;
  request.submissions = request.honest = int64_t{1} << 40;
  request.domain_size = 42'178;
  request.epsilon = 1e-5;
  request.delta = 1e-300;
  const std::string& name = MechanismNames()[static_cast<size_t>(state.range(0))];
  state.SetLabel(name);
  for (auto _ : state) benchmark::DoNotOptimize(PlanOne(name, request).ok());
}
BENCHMARK(PlanAbsurd)->DenseRange(0, 6)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tombola::mechanism
