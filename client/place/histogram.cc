#include "client/place/histogram.h"

#include <utility>

#include "common/base/status_macros.h"

namespace tombola::client {

std::unique_ptr<Placer> HistogramPlacer::Make(std::shared_ptr<const Task> task) {
  return std::unique_ptr<Placer>(new HistogramPlacer(std::move(task)));
}

HistogramPlacer::HistogramPlacer(std::shared_ptr<const Task> task) : task_(std::move(task)) {}

absl::StatusOr<mechanism::Cells> HistogramPlacer::Place(const RecordView& record,
                                                        RandomSource&) const {
  const auto* const text = std::get_if<absl::string_view>(&record);
  if (text == nullptr) return absl::InvalidArgumentError("the task takes one value");
  TOMBOLA_ASSIGN_OR_RETURN(const uint64_t value, task_->domain().IndexOf(*text));
  return mechanism::Cells{{.table = 0, .index = value}};
}

}  // namespace tombola::client
