#include "client/place/histogram.h"

#include <utility>

#include "common/base/status_macros.h"

namespace tombola::client {

std::unique_ptr<Placer> HistogramPlacer::Make(std::shared_ptr<const Task> task) {
  return std::unique_ptr<Placer>(new HistogramPlacer(std::move(task)));
}

HistogramPlacer::HistogramPlacer(std::shared_ptr<const Task> task) : task_(std::move(task)) {}

absl::StatusOr<mechanism::Cells> HistogramPlacer::Place(absl::string_view record,
                                                        RandomSource&) const {
  TOMBOLA_ASSIGN_OR_RETURN(const uint64_t value, task_->domain().IndexOf(record));
  return mechanism::Cells{{.table = 0, .index = value}};
}

}  // namespace tombola::client
