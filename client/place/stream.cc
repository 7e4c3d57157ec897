#include "client/place/stream.h"

#include <utility>

#include "client/place/key_value.h"
#include "client/place/number.h"
#include "client/place/set.h"
#include "common/base/status_macros.h"
#include "common/kind/key_value.h"
#include "common/kind/number.h"
#include "common/kind/set.h"

namespace tombola::client {

std::unique_ptr<Placer> StreamPlacer::Make(std::shared_ptr<const Task> task) {
  const absl::string_view of = task->kind().OfOneBatch().name();
  if (of == Set::kName) return SetPlacer::Make(std::move(task));
  if (of == KeyValueKind::kName) return KeyValuePlacer::Make(std::move(task));
  if (of == NumberKind::kName) return NumberPlacer::Make(std::move(task));
  return std::unique_ptr<Placer>(new StreamPlacer(std::move(task)));
}

StreamPlacer::StreamPlacer(std::shared_ptr<const Task> task) : task_(std::move(task)) {}

absl::StatusOr<mechanism::Cells> StreamPlacer::Place(const RecordView& record,
                                                     RandomSource&) const {
  const auto* const text = std::get_if<absl::string_view>(&record);
  if (text == nullptr) return absl::InvalidArgumentError("the task takes one value in each period");
  TOMBOLA_ASSIGN_OR_RETURN(const uint64_t value, task_->domain().IndexOf(*text));
  return mechanism::Cells{{.table = 0, .index = value}};
}

}  // namespace tombola::client
