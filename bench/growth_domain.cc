// How the collector's cost grows with the size d of the domain; n is d here.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/growth_stage.h"
#include "bench/noisy_estimates.h"
#include "bench/reports.h"
#include "collector/aggregate/aggregator.h"
#include "collector/postprocess/postprocess.h"
#include "common/ranges/least_squares.h"
#include "common/ranges/range_tree.h"
#include "common/table/hash_family.h"

namespace tombola::bench {
namespace {

// Counts reports of one mechanism whose domain has d values.
class DecodeReports : public GrowthStage {
 public:
  void SetUp(int64_t d, const std::string&) override {
    const auto mechanism = Make(d);
    reports_ = DrawReports(*mechanism, kReports);
    aggregator_ = collector::MakeAggregator(mechanism);
  }
  void Run() override {
    Require(aggregator_->AddAll(reports_).counted == kReports, "counting");
    Require(!aggregator_->counts().empty(), "counting");
  }

 protected:
  virtual std::shared_ptr<const mechanism::LocalHash> Make(int64_t d) = 0;

 private:
  static constexpr int64_t kReports = 10000;

  std::vector<uint8_t> reports_;
  std::unique_ptr<collector::Aggregator> aggregator_;
};

class DecodePlane final : public DecodeReports {
  std::shared_ptr<const mechanism::LocalHash> Make(int64_t d) override {
    const uint64_t side = mechanism::CeilSqrt(static_cast<uint64_t>(d));
    return MakeLocalHash({.family = mechanism::HashFamily::kPlane,
                          .range = mechanism::NextPrime(std::max(kPlaneOrder, side)),
                          .blanket_threshold = uint64_t{1} << 63,
                          .domain_size = d});
  }
};

class DecodeAffine final : public DecodeReports {
  std::shared_ptr<const mechanism::LocalHash> Make(int64_t d) override {
    return MakeLocalHash({.family = mechanism::HashFamily::kAffine,
                          .range = 256,
                          .blanket_threshold = uint64_t{1} << 63,
                          .lane_bits = 32,
                          .domain_size = d});
  }
};

class Pop final : public GrowthStage {
 public:
  void SetUp(int64_t d, const std::string&) override {
    estimates_ = NoisyEstimates(static_cast<size_t>(d));
  }
  void Run() override { Require(collector::Pop(estimates_).ok(), "projecting"); }

 private:
  std::vector<double> estimates_;
};

// Of a tree with d leaves.
class SolveTree final : public GrowthStage {
 public:
  void SetUp(int64_t d, const std::string&) override {
    tree_.emplace(d, /*branching=*/4, /*apart=*/false);
    estimates_ = NoisyEstimates(static_cast<size_t>(tree_->cells()));
    variances_.assign(static_cast<size_t>(tree_->levels()), 1e-8);
  }
  void Run() override {
    Require(!LeastSquares(*tree_, estimates_, variances_, /*total=*/1).empty(), "solving");
  }

 private:
  std::optional<RangeTree> tree_;
  std::vector<double> estimates_, variances_;
};

}  // namespace

std::unique_ptr<GrowthStage> GrowDecodePlane() { return std::make_unique<DecodePlane>(); }
std::unique_ptr<GrowthStage> GrowDecodeAffine() { return std::make_unique<DecodeAffine>(); }
std::unique_ptr<GrowthStage> GrowPop() { return std::make_unique<Pop>(); }
std::unique_ptr<GrowthStage> GrowLeastSquares() { return std::make_unique<SolveTree>(); }

}  // namespace tombola::bench
