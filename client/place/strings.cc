#include "client/place/strings.h"

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "common/base/status_macros.h"
#include "common/kind/strings.h"
#include "common/strings/randomizer.h"

namespace tombola::client {
namespace {

const StringsKind& KindOf(const Task& task) { return static_cast<const StringsKind&>(task.kind()); }

}  // namespace

std::unique_ptr<Placer> StringsPlacer::Make(std::shared_ptr<const Task> task) {
  return std::unique_ptr<Placer>(new StringsPlacer(std::move(task)));
}

StringsPlacer::StringsPlacer(std::shared_ptr<const Task> task)
    : task_(std::move(task)), functions_(task_->id(), KindOf(*task_).shape()) {}

absl::StatusOr<mechanism::Cells> StringsPlacer::Place(const RecordView& record,
                                                      RandomSource& random) const {
  const auto* const text = std::get_if<absl::string_view>(&record);
  if (text == nullptr) return absl::InvalidArgumentError("the task takes one text");
  const StringsKind& kind = KindOf(*task_);
  TOMBOLA_ASSIGN_OR_RETURN(const std::string spelled, strings::Spell(*text, kind.spelling()));
  const strings::Symbols symbols = kind.alphabet().Encode(spelled, kind.shape().length());
  // What hides the cell is drawn when it is said (common/mechanism/strings.h).
  const strings::StringRandomizer cells(&functions_, /*blanket_threshold=*/0);
  const auto levels = static_cast<uint64_t>(kind.shape().levels());
  const bool every = kind.cells().options().messages == strings::StringMessages::kEveryLevel;
  const uint64_t first = every ? 0 : UniformBelow(levels, random);
  const uint64_t last = every ? levels : first + 1;
  absl::StatusOr<mechanism::Cells> filled(absl::in_place);
  for (uint64_t level = first; level < last; ++level) {
    const strings::StringReport cell = cells.TrueCell(static_cast<int64_t>(level), symbols, random);
    filled->push_back({.table = 0, .index = kind.cells().CellOf(cell)});
  }
  return filled;
}

}  // namespace tombola::client
