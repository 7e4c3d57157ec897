#include "common/kind/set.h"

#include <utility>

#include "absl/status/status.h"
#include "common/base/status_macros.h"
#include "common/mechanism/registry.h"
#include "common/table/count_model.h"

namespace tombola {

absl::StatusOr<std::shared_ptr<const Kind>> Set::Read(const v1::Task& task) {
  if (task.has_levels() || task.has_numbers() || task.has_records()) {
    return absl::InvalidArgumentError("task.levels, numbers and records must be absent for a set");
  }
  TOMBOLA_ASSIGN_OR_RETURN(const ItemCells cells, ItemCells::Read(task, /*levels=*/1));
  TOMBOLA_ASSIGN_OR_RETURN(auto mechanism,
                           mechanism::FromProto(task.mechanism(), cells.cells(), cells.filling));
  return std::make_shared<const Set>(cells, mechanism, mechanism);
}

Set::Set(const ItemCells& cells, std::shared_ptr<const mechanism::Table> table,
         std::shared_ptr<const mechanism::Scheme> scheme)
    : cells_(cells), tables_({std::move(table)}), scheme_(std::move(scheme)) {}

double Set::PredictedMse(int64_t submissions) const {
  return mechanism::EstimateVariance(tables_[0]->count_model(),
                                     {.submissions = submissions, .fakes = scheme_->fakes()},
                                     /*frequency=*/0);
}

}  // namespace tombola
