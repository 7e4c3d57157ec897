#include "collector/aggregate/affine.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "collector/aggregate/each_report.h"
#include "common/base/check.h"
#include "common/table/hash_family.h"
#include "common/table/local_hash_report.h"

namespace tombola::collector {
namespace {

// 16 KiB of counters beside 16 KiB of reports.
constexpr size_t kTileBytes = 16384;
constexpr size_t kSetAsideBytes = 16384;

}  // namespace

template <typename Word>
AffineAggregator<Word>::AffineAggregator(std::shared_ptr<const mechanism::Hashing> hashing)
    : Aggregator(hashing->options().domain_size, mechanism::AffineReport::kBytes),
      hashing_(std::move(hashing)),
      classes_(*hashing_),
      shift_(static_cast<int>(8 * sizeof(Word)) - hashing_->range_bits()),
      tile_(std::min(counts_.size(), kTileBytes / sizeof(Word))) {
  TOMBOLA_CHECK(hashing_->options().family == mechanism::HashFamily::kAffine);
  TOMBOLA_CHECK(hashing_->options().lane_bits == 8 * sizeof(Word));
  hashes_ = classes_.Empty();
  set_aside_.reserve(kSetAsideBytes / sizeof(AffineLine<Word>));
}

template <typename Word>
AddedReports AffineAggregator<Word>::Count(absl::Span<const uint8_t> reports) {
  return CountEach<mechanism::AffineReport>(
      reports,
      [this](absl::Span<const uint8_t> bytes, mechanism::AffineReport* report) {
        return hashing_->Decode(bytes, report);
      },
      [this](const mechanism::AffineReport& report) {
        classes_.Add(report, hashes_);
        // v is supported if the leading bits of m v + o are y: if m v + (o - y 2^shift) is below
        // 2^shift.
        const Word bucket_start = static_cast<Word>(static_cast<Word>(report.bucket) << shift_);
        set_aside_.push_back({.start = static_cast<Word>(report.offset) - bucket_start,
                              .step = static_cast<Word>(report.multiplier)});
        if (set_aside_.size() == set_aside_.capacity()) Settle();
      });
}

template <typename Word>
void AffineAggregator<Word>::Settle() {
  if (set_aside_.empty()) return;
  const Word limit = Word{1} << shift_;
  for (size_t first = 0; first < counts_.size(); first += tile_.size()) {
    const size_t size = std::min(tile_.size(), counts_.size() - first);
    std::fill_n(tile_.begin(), size, Word{0});
    CountBelow<Word>(set_aside_, limit, first, absl::MakeSpan(tile_.data(), size));
    for (size_t i = 0; i < size; ++i) counts_[first + i] += static_cast<int64_t>(tile_[i]);
  }
  set_aside_.clear();
}

template class AffineAggregator<uint32_t>;
template class AffineAggregator<uint64_t>;

}  // namespace tombola::collector
