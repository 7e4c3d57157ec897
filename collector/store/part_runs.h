// Which parts of a task there are counted batches of.
#ifndef TOMBOLA_COLLECTOR_STORE_PART_RUNS_H_
#define TOMBOLA_COLLECTOR_STORE_PART_RUNS_H_

#include <cstdint>
#include <limits>
#include <vector>

namespace tombola::collector {

// Parts of a task, both ends included.
struct PartRange {
  uint64_t first = 0;
  uint64_t last = std::numeric_limits<uint64_t>::max();

  bool operator==(const PartRange&) const = default;
};

// A set of parts, kept as runs without a gap: periods mostly follow one another, so that a few runs
// stand for many of them. A value; thread-compatible.
class PartRuns {
 public:
  // O(runs) at worst, O(1) for the one that follows the last. One that is there changes nothing.
  void Add(uint64_t part);

  bool empty() const { return runs_.empty(); }
  // How many parts there are.
  uint64_t Count() const;
  // The largest; not empty.
  uint64_t last() const { return runs_.back().last; }
  // Whether all of them are in a range.
  bool Within(const PartRange& range) const {
    return empty() || (range.first <= runs_.front().first && runs_.back().last <= range.last);
  }
  // The parts of a range that are not there, as runs in their order.
  std::vector<PartRange> MissingFrom(const PartRange& range) const;

 private:
  std::vector<PartRange> runs_;  // in their order, with a gap between any two
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_STORE_PART_RUNS_H_
