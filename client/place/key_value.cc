#include "client/place/key_value.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "client/place/items.h"
#include "client/place/level.h"
#include "common/base/status_macros.h"
#include "common/kind/key_value.h"

namespace tombola::client {
namespace {

struct Pair {
  uint64_t key;
  double number;
  bool known;  // named by its own name, and not standing for others

  bool operator<(const Pair& other) const { return key < other.key; }
};

absl::StatusOr<std::vector<Pair>> Read(const Domain& domain, const Levels& levels,
                                       absl::Span<const KeyValue> record) {
  std::vector<Pair> pairs;
  pairs.reserve(record.size());
  for (const KeyValue& given : record) {
    // Written so that NaN is refused too.
    if (!(given.value >= levels.low && given.value <= levels.high)) {
      return absl::InvalidArgumentError(absl::StrCat("\"", given.key, "\": its number is ",
                                                     given.value, "; it must be in [", levels.low,
                                                     ", ", levels.high, "]"));
    }
    TOMBOLA_ASSIGN_OR_RETURN(const uint64_t key, ItemNamed(domain, given.key));
    pairs.push_back({key, given.value, domain.Find(given.key).has_value()});
  }
  std::stable_sort(pairs.begin(), pairs.end());
  return pairs;
}

// One pair for each key, decided before anything is rounded: two numbers of one key could become
// the same cell. Of those that stand for others one is drawn.
absl::StatusOr<std::vector<Pair>> OneForEachKey(const Domain& domain,
                                                const std::vector<Pair>& pairs,
                                                RandomSource& random) {
  std::vector<Pair> kept;
  uint64_t alike = 1;
  for (const Pair& pair : pairs) {
    if (kept.empty() || kept.back().key != pair.key) {
      kept.push_back(pair);
      alike = 1;
      continue;
    }
    if (pair.known && kept.back().known) {
      if (pair.number == kept.back().number) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("\"", domain.NameOf(pair.key), "\" is there twice, with different numbers"));
    }
    if (UniformBelow(++alike, random) == 0) kept.back() = pair;
  }
  return kept;
}

}  // namespace

std::unique_ptr<Placer> KeyValuePlacer::Make(std::shared_ptr<const Task> task) {
  return std::unique_ptr<Placer>(new KeyValuePlacer(std::move(task)));
}

KeyValuePlacer::KeyValuePlacer(std::shared_ptr<const Task> task) : task_(std::move(task)) {}

absl::StatusOr<mechanism::Cells> KeyValuePlacer::Place(const RecordView& record,
                                                       RandomSource& random) const {
  const auto* const given = std::get_if<absl::Span<const KeyValue>>(&record);
  if (given == nullptr) return absl::InvalidArgumentError("the task takes key-value pairs");
  const auto& kind = static_cast<const KeyValueKind&>(task_->kind().OfOneBatch());
  TOMBOLA_ASSIGN_OR_RETURN(std::vector<Pair> read, Read(task_->domain(), kind.levels(), *given));
  TOMBOLA_ASSIGN_OR_RETURN(std::vector<Pair> pairs,
                           OneForEachKey(task_->domain(), std::move(read), random));
  KeepSome(kind.cells().held(), random, &pairs);
  mechanism::Cells filled;
  for (const Pair& pair : pairs) {
    const int64_t level = LevelOf(kind.levels(), pair.number, random);
    filled.push_back({.table = 0, .index = kind.cells().CellOf(pair.key, level)});
  }
  Pad(kind.cells(), &filled);
  return filled;
}

}  // namespace tombola::client
