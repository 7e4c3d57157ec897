#include "collector/aggregate/hash_tally.h"

#include <cstddef>

#include "common/base/check.h"
#include "common/table/hash_family.h"

namespace tombola::collector {
namespace {

// The number of functions that Classes is to spread: those of the affine family come as a byte.
uint64_t FunctionsOf(const mechanism::Hashing& hashing) {
  return hashing.options().family == mechanism::HashFamily::kPlane ? hashing.options().range + 1
                                                                   : Classes::kMost;
}

// The finalizer of splitmix64, a bijection of 64-bit words.
uint64_t Mix(uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
  word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
  return word ^ (word >> 31);
}

void MergeCounts(const std::vector<int64_t>& other, std::vector<int64_t>& counts) {
  if (other.empty()) return;
  if (counts.empty()) counts.resize(other.size());
  TOMBOLA_CHECK(counts.size() == other.size());
  for (size_t i = 0; i < counts.size(); ++i) counts[i] += other[i];
}

}  // namespace

// The factor is too large by less than 1, so item * factor / 2^63 is by less than
// items / 2^63 < 1 / items: less than is missing to the next whole number.
Classes::Classes(uint64_t items) : items_(items), number_(items < kMost ? items : kMost) {
  TOMBOLA_CHECK(items >= 2 && items <= uint64_t{1} << 31);
  const auto dividend = static_cast<unsigned __int128>(number_) << 63;
  factor_ = static_cast<uint64_t>((dividend + items - 1) / items);
}

double Classes::Share(uint64_t index) const {
  const auto first = [&](uint64_t at) { return (at * items_ + number_ - 1) / number_; };
  return static_cast<double>(first(index + 1) - first(index)) / static_cast<double>(items_);
}

void HashTally::Merge(const HashTally& other) {
  MergeCounts(other.functions, functions);
  MergeCounts(other.buckets, buckets);
}

HashClasses::HashClasses(const mechanism::Hashing& hashing)
    : functions_(FunctionsOf(hashing)),
      buckets_(hashing.options().range),
      narrow_(hashing.options().lane_bits == 32) {}

HashTally HashClasses::Empty() const {
  return {.functions = std::vector<int64_t>(functions_.number()),
          .buckets = std::vector<int64_t>(buckets_.number())};
}

// Words of 32 bits lie side by side in one of 64. Those of 64 bits are a bijection of the offset
// for each multiplier.
void HashClasses::Add(const mechanism::AffineReport& report, HashTally& tally) const {
  const uint64_t multiplier = narrow_ ? report.multiplier << 32 : Mix(report.multiplier);
  ++tally.functions[Mix(multiplier ^ report.offset) >> 56];
  ++tally.buckets[buckets_.Of(report.bucket)];
}

}  // namespace tombola::collector
