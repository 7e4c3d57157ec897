// What bench/growth measures: how a stage grows with n.
#ifndef TOMBOLA_BENCH_GROWTH_STAGE_H_
#define TOMBOLA_BENCH_GROWTH_STAGE_H_

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

namespace tombola::bench {

// One stage at one size, in a process of its own. `directory` is an empty one on a disk.
class GrowthStage {
 public:
  virtual ~GrowthStage() = default;
  // Makes what has to be on disk before; runs in another process, so that its memory is not
  // counted.
  virtual void Prepare(int64_t /*n*/, const std::string& /*directory*/) {}
  // Makes what has to be in memory before. Its memory is counted, its time is not.
  virtual void SetUp(int64_t /*n*/, const std::string& /*directory*/) {}
  // What is measured.
  virtual void Run() = 0;
};

// One function a stage, each in the file of its room: growth_<room>.cc.
std::unique_ptr<GrowthStage> GrowAggregate();
std::unique_ptr<GrowthStage> GrowDecodePlane();
std::unique_ptr<GrowthStage> GrowDecodeAffine();
std::unique_ptr<GrowthStage> GrowPop();
std::unique_ptr<GrowthStage> GrowLeastSquares();
std::unique_ptr<GrowthStage> GrowPermute();
std::unique_ptr<GrowthStage> GrowStore();
std::unique_ptr<GrowthStage> GrowFullStore();
std::unique_ptr<GrowthStage> GrowRecover();
std::unique_ptr<GrowthStage> GrowRelease();

// Ends the program, for a figure of something that failed is none.
inline void Require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "%s failed\n", what);
  std::exit(1);
}

}  // namespace tombola::bench

#endif  // TOMBOLA_BENCH_GROWTH_STAGE_H_
