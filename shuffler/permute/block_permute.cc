#include "shuffler/permute/block_permute.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <vector>

#include "common/base/check.h"
#include "common/base/parallel.h"
#include "shuffler/permute/block_scatter.h"
#include "shuffler/permute/small_digits.h"
#include "shuffler/permute/swap_records.h"

namespace tombola::shuffler {
namespace {

// A block is in the cache, and record i's partner comes before it: nothing need be fetched ahead.
template <size_t kBytes>
int64_t PermuteBlock(uint8_t* records, uint32_t n, size_t record_bytes, SmallDigits& digits) {
  const size_t bytes = kBytes == 0 ? record_bytes : kBytes;
  int64_t moves = 0;
  for (uint32_t i = 1; i < n; ++i) {
    const uint32_t digit = digits.Below(i + 1);
    moves += digit != i;
    SwapRecords(records + digit * bytes, records + i * bytes, bytes);
  }
  return moves;
}

size_t BlocksFor(size_t bytes, const BlockOptions& options) {
  const size_t wanted = std::bit_ceil(bytes / options.block_bytes + 1);
  return std::min(wanted, std::bit_floor(options.most_blocks));
}

}  // namespace

size_t BlockPermuteScratch(size_t n, size_t threads) {
  const size_t blocks = BlockOptions().most_blocks;
  return n * sizeof(uint16_t) + threads * blocks * (2 * sizeof(size_t) + 64);
}

PermuteCost PermuteInto(absl::Span<const uint8_t> from, absl::Span<uint8_t> to, size_t record_bytes,
                        absl::Span<RandomSource* const> sources, const BlockOptions& options) {
  TOMBOLA_CHECK(record_bytes > 0 && from.size() % record_bytes == 0 && to.size() == from.size());
  TOMBOLA_CHECK(!sources.empty());
  if (from.size() < options.least_bytes) {
    if (!from.empty()) std::memcpy(to.data(), from.data(), from.size());
    return Permute(to, record_bytes, *sources.front());
  }
  const size_t n = from.size() / record_bytes;
  const size_t parts = sources.size();
  const size_t blocks = BlocksFor(from.size(), options);
  BlockScatter scatter(n, parts, blocks);
  const auto on_each = [&](const auto& work) {
    ForEachIndex(parts, static_cast<int>(std::min(parts, options.most_threads)), work);
  };
  on_each([&](size_t part) { scatter.Draw(part, *sources[part]); });
  scatter.Place();
  on_each([&](size_t part) { scatter.Lay(part, from, to, record_bytes); });

  std::vector<int64_t> moves(parts);
  on_each([&](size_t part) {
    const size_t first = blocks * part / parts, end = blocks * (part + 1) / parts;
    SmallDigits digits(scatter.start(end) - scatter.start(first), *sources[part]);
    for (size_t b = first; b < end; ++b) {
      const size_t count = scatter.start(b + 1) - scatter.start(b);
      uint8_t* const records = to.data() + scatter.start(b) * record_bytes;
      if (count > std::numeric_limits<uint32_t>::max()) {
        const absl::Span<uint8_t> block = absl::MakeSpan(records, count * record_bytes);
        moves[part] += Permute(block, record_bytes, *sources[part]).moves;
      } else if (record_bytes == 16) {
        moves[part] += PermuteBlock<16>(records, static_cast<uint32_t>(count), 16, digits);
      } else {
        moves[part] += PermuteBlock<0>(records, static_cast<uint32_t>(count), record_bytes, digits);
      }
    }
  });
  PermuteCost cost;
  for (size_t b = 0; b < blocks; ++b) {
    const size_t count = scatter.start(b + 1) - scatter.start(b);
    cost.draws += static_cast<int64_t>(count + (count > 0 ? count - 1 : 0));
  }
  cost.moves = static_cast<int64_t>(n);
  for (const int64_t moved : moves) cost.moves += moved;
  return cost;
}

}  // namespace tombola::shuffler
