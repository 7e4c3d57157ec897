#include "shuffler/permute/permute.h"

#include <algorithm>
#include <array>

#include "common/base/check.h"
#include "shuffler/permute/swap_records.h"

namespace tombola::shuffler {
namespace {

// How many digits are drawn before the first is applied: by then its record is in the cache.
constexpr size_t kAhead = 32;

// Digits for i = 1, 2, ..., n - 1, exactly uniform: UniformBelow's method, on words that are
// fetched in blocks because a virtual call a word would cost as much as the rest.
class Digits {
 public:
  Digits(size_t n, RandomSource& random) : unfetched_(n == 0 ? 0 : n - 1), random_(random) {}

  // In {0..i}.
  size_t Next(size_t i) {
    const uint64_t bound = i + 1;
    const __uint128_t product = static_cast<__uint128_t>(Word()) * bound;
    const uint64_t low = static_cast<uint64_t>(product);
    // Below `bound` lie the low words that may have to be rejected. One in 2^64 / bound gets here.
    if (low < bound && low < -bound % bound) [[unlikely]]
      return UniformBelow(bound, random_);
    return static_cast<size_t>(product >> 64);
  }

 private:
  uint64_t Word() {
    if (next_ == fetched_) {
      // Never more than there are digits to come: the source is not drawn from in vain.
      next_ = 0;
      fetched_ = std::min(unfetched_, words_.size());
      unfetched_ -= fetched_;
      random_.Fill(
          absl::MakeSpan(reinterpret_cast<uint8_t*>(words_.data()), fetched_ * sizeof(uint64_t)));
    }
    return words_[next_++];
  }

  std::array<uint64_t, 512> words_;
  size_t next_ = 0;
  size_t fetched_ = 0;
  size_t unfetched_;
  RandomSource& random_;
};

}  // namespace

PermuteCost Permute(absl::Span<uint8_t> records, size_t record_bytes, RandomSource& random) {
  TOMBOLA_CHECK(record_bytes > 0 && records.size() % record_bytes == 0);
  const size_t n = records.size() / record_bytes;
  Digits digits(n, random);
  std::array<size_t, kAhead> targets;  // ring of the next digits, as byte offsets
  const auto draw = [&](size_t i) {
    const size_t target = digits.Next(i) * record_bytes;
    targets[i % kAhead] = target;
    __builtin_prefetch(&records[target], 1);
    __builtin_prefetch(&records[target + record_bytes - 1], 1);
  };
  for (size_t i = 1; i < std::min(n, kAhead + 1); ++i) draw(i);

  PermuteCost cost;
  for (size_t i = 1; i < n; ++i) {
    const size_t target = targets[i % kAhead];
    if (i + kAhead < n) draw(i + kAhead);
    ++cost.draws;
    if (target == i * record_bytes) continue;
    ++cost.moves;
    SwapRecords(&records[target], &records[i * record_bytes], record_bytes);
  }
  return cost;
}

}  // namespace tombola::shuffler
