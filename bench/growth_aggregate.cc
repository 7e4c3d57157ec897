// Counting reports: n of grr and n of local hashing with the plane, on one core. They are drawn a
// block at a time from a cheap generator, so that memory does not depend on n.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "bench/fast_random.h"
#include "bench/growth_stage.h"
#include "bench/reports.h"
#include "collector/aggregate/aggregator.h"
#include "common/base/check.h"
#include "common/mechanism/mechanism.h"

namespace tombola::bench {
namespace {

constexpr int64_t kBlock = 4096;

void CountDrawn(const std::shared_ptr<const mechanism::Mechanism>& mechanism, int64_t n) {
  FastRandom random(1);
  const auto aggregator = collector::MakeAggregator(mechanism);
  const size_t bytes = mechanism->report_bytes();
  std::vector<uint8_t> block(static_cast<size_t>(kBlock) * bytes);
  int64_t counted = 0;
  while (counted < n) {
    const int64_t reports = std::min(kBlock, n - counted);
    const auto drawn = absl::MakeSpan(block).first(static_cast<size_t>(reports) * bytes);
    for (size_t at = 0; at < drawn.size(); at += bytes) {
      mechanism->DrawFake(random, drawn.subspan(at, bytes));
    }
    counted += aggregator->AddAll(drawn).counted;
  }
  TOMBOLA_CHECK(aggregator->counts().size() == kDomain);
}

class Aggregate final : public GrowthStage {
 public:
  void SetUp(int64_t n, const std::string&) override { n_ = n; }
  void Run() override {
    CountDrawn(MakeGrr(), n_);
    CountDrawn(MakePlane(), n_);
  }

 private:
  int64_t n_ = 0;
};

}  // namespace

std::unique_ptr<GrowthStage> GrowAggregate() { return std::make_unique<Aggregate>(); }

}  // namespace tombola::bench
