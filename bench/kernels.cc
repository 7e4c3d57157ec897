// Runs each hot kernel once on a fixed input, for callgrind to count its instructions: bench/
// instructions reads them. Outside of valgrind the requests to it do nothing.
#include <valgrind/callgrind.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bench/fast_random.h"
#include "bench/reports.h"
#include "collector/aggregate/affine_kernel.h"
#include "collector/aggregate/aggregator.h"
#include "collector/postprocess/postprocess.h"
#include "common/base/check.h"
#include "hwy/targets.h"
#include "shuffler/disk/crc32c.h"
#include "shuffler/log/log_format.h"
#include "shuffler/permute/permute.h"

namespace tombola::bench {
namespace {

template <typename Run>
void Kernel(const std::string& name, Run run) {
  CALLGRIND_TOGGLE_COLLECT;
  run();
  CALLGRIND_TOGGLE_COLLECT;
  CALLGRIND_DUMP_STATS_AT(name.c_str());
  std::printf("ran %s\n", name.c_str());
}

// 100 reports against 4096 values.
template <typename Word>
void AffineCount(const std::string& name) {
  FastRandom random(1);
  std::vector<collector::AffineLine<Word>> lines(100);
  for (auto& line : lines) {
    line = {static_cast<Word>(random.Next64()), static_cast<Word>(random.Next64())};
  }
  std::vector<Word> counts(4096, 0);
  Kernel(name,
         [&] { collector::CountBelow<Word>(lines, Word{1} << 28, 0, absl::MakeSpan(counts)); });
}

void Aggregate(const std::string& name,
               const std::shared_ptr<const mechanism::Mechanism>& mechanism) {
  const std::vector<uint8_t> reports = DrawReports(*mechanism, 10000);
  const auto aggregator = collector::MakeAggregator(mechanism);
  Kernel(name, [&] { TOMBOLA_CHECK(aggregator->AddAll(reports).counted == 10000); });
}

// What is vectorised, as one set of instructions does it.
void Vectorised(int64_t target, const std::string& suffix) {
  if ((hwy::SupportedTargets() & target) == 0) {
    std::printf("skipped %s: this processor has none\n", suffix.c_str());
    return;
  }
  hwy::SetSupportedTargetsForTest(target);
  AffineCount<uint32_t>("affine_32" + suffix);
  AffineCount<uint64_t>("affine_64" + suffix);
  Aggregate("aggregate_plane" + suffix, MakePlane());
  hwy::SetSupportedTargetsForTest(0);
}

void Pop() {
  std::mt19937_64 engine(1);
  std::normal_distribution<double> noise(1e-5, 1e-4);
  std::vector<double> estimates(100000);
  for (double& estimate : estimates) estimate = noise(engine);
  Kernel("pop", [&] { TOMBOLA_CHECK(collector::Pop(estimates).ok()); });
}

void Permute() {
  FastRandom random(1);
  std::vector<uint8_t> records(16 * 100000);
  Kernel("permute", [&] { shuffler::Permute(absl::MakeSpan(records), 16, random); });
}

void Crc32c() {
  const std::vector<uint8_t> bytes(100000, 7);
  uint32_t crc = 0;
  Kernel("crc32c", [&] { crc = shuffler::Crc32c(bytes); });
  Kernel("crc32c_by_table", [&] { TOMBOLA_CHECK(shuffler::Crc32cByTable(bytes) == crc); });
}

void LogFrame() {
  const std::vector<uint8_t> report(84, 7);
  Kernel("log_frame", [&] {
    shuffler::FrameBuilder frame;
    for (int i = 0; i < 1000; ++i) frame.Add({}, 7, 1, report);
    TOMBOLA_CHECK(!frame.Finish(1, 0, 2).empty());
  });
}

}  // namespace
}  // namespace tombola::bench

int main() {
#if HWY_ARCH_X86
  tombola::bench::Vectorised(HWY_AVX2, "_avx2");
#endif
  // The target that every processor has.
  tombola::bench::Vectorised(HWY_STATIC_TARGET, "_baseline");
  tombola::bench::Aggregate("aggregate_grr", tombola::bench::MakeGrr());
  tombola::bench::Pop();
  tombola::bench::Permute();
  tombola::bench::Crc32c();
  tombola::bench::LogFrame();
  return 0;
}
