// Permuting n records of 16 bytes in memory, as a release does it.
#include <memory>
#include <thread>
#include <vector>

#include "bench/growth_stage.h"
#include "common/random/keyed_random.h"
#include "common/random/secure_random.h"
#include "shuffler/permute/block_permute.h"
#include "shuffler/permute/page_buffer.h"

namespace tombola::bench {
namespace {

constexpr size_t kRecordBytes = 16;

class Permute final : public GrowthStage {
 public:
  void SetUp(int64_t n, const std::string&) override {
    from_ = shuffler::PageBuffer(static_cast<size_t>(n) * kRecordBytes);
    to_ = shuffler::PageBuffer(static_cast<size_t>(n) * kRecordBytes);
    for (const absl::Span<uint8_t> bytes : {from_.bytes(), to_.bytes()}) {
      std::fill(bytes.begin(), bytes.end(), uint8_t{1});
    }
  }
  void Run() override {
    SecureRandom random;
    std::vector<std::unique_ptr<KeyedRandom>> owned;
    std::vector<RandomSource*> sources;
    for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) {
      owned.push_back(std::make_unique<KeyedRandom>(random));
      sources.push_back(owned.back().get());
    }
    shuffler::PermuteInto(from_.bytes(), to_.bytes(), kRecordBytes, sources);
  }

 private:
  shuffler::PageBuffer from_, to_;
};

}  // namespace

std::unique_ptr<GrowthStage> GrowPermute() { return std::make_unique<Permute>(); }

}  // namespace tombola::bench
