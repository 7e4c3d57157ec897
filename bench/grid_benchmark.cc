// An answer about records: every cell of a grid of 125 x 125, with its error, and as JSON.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "bench/noisy_estimates.h"
#include "benchmark/benchmark.h"
#include "collector/answer/records.h"
#include "common/base/check.h"
#include "common/json/answer.h"
#include "tests/support/test_task.h"

namespace tombola::bench {
namespace {

constexpr int64_t kSide = 125, kDevices = 1'000'000;

std::shared_ptr<const Task> GridTask() {
  return MakeTestTask([](v1::Task* task) {
    task->set_kind(v1::KIND_RECORDS);
    task->mutable_domain()->Clear();
    task->mutable_domain()->set_size(kSide * kSide + 1);
    v1::Records* const records = task->mutable_records();
    v1::View* const view = records->add_views();
    for (const char* name : {"across", "down"}) {
      v1::Attribute* const attribute = records->add_attributes();
      attribute->set_name(name);
      attribute->add_edges(0);
      attribute->add_edges(kSide);
      attribute->set_bins(kSide);
      view->add_attributes(static_cast<uint32_t>(view->joined_size()));
      view->add_joined(1);
    }
    view->set_branching(0);
    records->set_max_records(1);
    records->set_max_alike(1);
    v1::Dummies* const dummies = task->mutable_mechanism()->mutable_pure_dump()->mutable_dummies();
    dummies->set_rate(uint64_t{1} << 40);
    dummies->set_honest(kDevices);
    dummies->set_max(200);
  });
}

void GridAnswer(benchmark::State& state) {
  const std::shared_ptr<const Task> task = GridTask();
  const mechanism::Tally tally{.submissions = kDevices};
  std::vector<int64_t> held;
  for (const double share : NoisyEstimates(kSide * kSide + 1)) {
    held.push_back(static_cast<int64_t>((share + 1) * 1000));
  }
  collector::Counts counts;
  counts.tables = {{.reports = 2 * kDevices, .counts = std::move(held)}};
  v1::GetAnswerRequest request;
  request.set_confidence(0.95);
  for (const char* name : {"across", "down"}) request.mutable_records()->add_by(name);
  for (auto _ : state) {
    v1::Answer answer;
    const absl::Status status =
        collector::RecordsAnswerer().Fill({.task = *task, .counts = counts, .tally = tally},
                                          request, collector::Postprocess::kNone, &answer);
    TOMBOLA_CHECK(status.ok() && answer.records().cells_size() == kSide * kSide);
    benchmark::DoNotOptimize(AnswerJson(answer).size());
  }
}
BENCHMARK(GridAnswer)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tombola::bench
