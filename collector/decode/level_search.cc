#include "collector/decode/level_search.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <iterator>
#include <utility>

#include "absl/status/status.h"
#include "collector/decode/gather_kernel.h"
#include "common/base/mutex.h"
#include "common/base/parallel.h"

namespace tombola::collector {
namespace {

// Candidates of a piece of work: their sums and a few rows stay in the nearest cache.
constexpr size_t kTile = 4096;
// Of a tile: where fewer are left after the first functions the rest is looked at one by one.
constexpr size_t kMostListed = kTile / 2;

size_t RoundedUp(size_t count) { return (count + kGatherLanes - 1) / kGatherLanes * kGatherLanes; }

class Search {
 public:
  explicit Search(const LevelQuestion& question)
      : question_(question),
        shape_(question.functions->shape()),
        drop_below_(DropBelow(question.threshold, question.cells->cap())) {
    for (const FoundPrefix& parent : question.parents) {
      first_keys_.push_back(question.functions->FirstKey(question.level, parent.symbols));
    }
  }

  size_t pieces() const { return question_.parents.size() * TilesOfOne(); }

  void Run(size_t piece) {
    if (stopped_) return;
    const size_t parent = piece / TilesOfOne();
    const uint64_t first = piece % TilesOfOne() * kTile;
    const auto count = static_cast<size_t>(
        std::min<uint64_t>(kTile, static_cast<uint64_t>(shape_.children()) - first));
    Tile tile;
    SumUp(first_keys_[parent] + first, count, &tile);
    std::vector<FoundPrefix> found;
    for (size_t i = 0; i < tile.left; ++i) {
      if (tile.sums[i] < question_.threshold) continue;
      const uint64_t own = first + (tile.listed ? tile.offsets[i] : i);
      FoundPrefix prefix{.symbols = question_.parents[parent].symbols, .statistic = tile.sums[i]};
      if (Extend(own, &prefix.symbols)) found.push_back(std::move(prefix));
    }
    if (!found.empty()) {
      MutexLock lock(mutex_);
      std::move(found.begin(), found.end(), std::back_inserter(found_));
    }
    if (!question_.advance(static_cast<int64_t>(count) * strings::kFunctions)) stopped_ = true;
  }

  absl::StatusOr<std::vector<FoundPrefix>> Take() {
    if (stopped_) return absl::CancelledError("decoding was cancelled");
    MutexLock lock(mutex_);
    std::sort(found_.begin(), found_.end(), ComesBefore);
    return std::move(found_);
  }

 private:
  struct Tile {
    std::array<uint32_t, kTile> sums;
    // Where only some candidates are left: those.
    std::array<uint32_t, kMostListed + kGatherLanes> offsets;
    bool listed = false;
    size_t left = 0;
  };

  size_t TilesOfOne() const { return (static_cast<size_t>(shape_.children()) + kTile - 1) / kTile; }

  void SumUp(uint64_t first_key, size_t count, Tile* tile) const {
    const CellRows rows = question_.cells->rows();
    const auto functions = question_.functions->functions();
    const absl::Span<uint32_t> sums = absl::MakeSpan(tile->sums).first(RoundedUp(count));
    std::fill(sums.begin(), sums.end(), 0);
    const auto first = static_cast<size_t>(kFirstFunctions);
    SumConsecutive(rows, functions, 0, first, first_key, sums);
    tile->left = count;
    if (!List(count, tile)) {
      SumConsecutive(rows, functions, first, functions.size(), first_key, sums);
      return;
    }
    tile->listed = true;
    const size_t padded = RoundedUp(tile->left);
    std::fill(tile->offsets.begin() + tile->left, tile->offsets.begin() + padded, 0);
    SumListed(rows, functions, first, functions.size(), first_key,
              absl::MakeSpan(tile->offsets).first(padded),
              absl::MakeSpan(tile->sums).first(padded));
  }

  // Drops the candidates below the bound and moves the others' sums to the front; false, with
  // nothing changed, if too many are left.
  bool List(size_t count, Tile* tile) const {
    const auto stays = [this](uint32_t sum) { return sum >= drop_below_; };
    const auto left =
        static_cast<size_t>(std::count_if(tile->sums.begin(), tile->sums.begin() + count, stays));
    if (left > kMostListed) return false;
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
      if (!stays(tile->sums[i])) continue;
      tile->offsets[kept] = static_cast<uint32_t>(i);
      tile->sums[kept++] = tile->sums[i];
    }
    tile->left = kept;
    return true;
  }

  // Appends a level's own symbols; false if something follows the end.
  bool Extend(uint64_t own, strings::Symbols* symbols) const {
    const size_t before = symbols->size();
    symbols->resize(before + static_cast<size_t>(shape_.step()));
    const absl::Span<uint8_t> added = absl::MakeSpan(*symbols).subspan(before);
    strings::OwnSymbols(own, shape_.symbols(), added);
    const auto end = std::find(added.begin(), added.end(), strings::Alphabet::kEnd);
    return std::all_of(end, added.end(),
                       [](uint8_t symbol) { return symbol == strings::Alphabet::kEnd; });
  }

  const LevelQuestion& question_;
  strings::Shape shape_;
  uint32_t drop_below_;
  std::vector<uint64_t> first_keys_;
  std::atomic<bool> stopped_ = false;
  Mutex mutex_;
  std::vector<FoundPrefix> found_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

bool ComesBefore(const FoundPrefix& a, const FoundPrefix& b) {
  return a.statistic != b.statistic ? a.statistic > b.statistic : a.symbols < b.symbols;
}

absl::StatusOr<std::vector<FoundPrefix>> SearchLevel(const LevelQuestion& question) {
  Search search(question);
  ForEachIndex(search.pieces(), question.threads, [&](size_t piece) { search.Run(piece); });
  return search.Take();
}

}  // namespace tombola::collector
