// Permuting n records of 16 bytes in memory, as a release does it.
#include <memory>

#include "bench/core_sources.h"
#include "bench/growth_stage.h"
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
    const CoreSources sources;
    shuffler::PermuteInto(from_.bytes(), to_.bytes(), kRecordBytes, sources.get());
  }

 private:
  shuffler::PageBuffer from_, to_;
};

}  // namespace

std::unique_ptr<GrowthStage> GrowPermute() { return std::make_unique<Permute>(); }

}  // namespace tombola::bench
