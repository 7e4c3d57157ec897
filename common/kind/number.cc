#include "common/kind/number.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/mechanism/registry.h"
#include "common/table/count_model.h"
#include "common/table/domain_size.h"

namespace tombola {
namespace {

constexpr uint32_t kMostBranching = 4096;

absl::Status Check(const v1::Task& task) {
  const v1::Numbers& numbers = task.numbers();
  if (!task.has_numbers() || task.has_items() || task.has_levels()) {
    return absl::InvalidArgumentError(
        "task.numbers must be set for numbers, task.items and task.levels absent");
  }
  if (!task.domain().labels().empty() || task.domain().has_other()) {
    return absl::InvalidArgumentError(
        "task.domain.labels and other must be absent for numbers: edges name the bins");
  }
  if (numbers.branching() == 1 || numbers.branching() > kMostBranching) {
    return absl::InvalidArgumentError(absl::StrCat("task.numbers.branching is ",
                                                   numbers.branching(),
                                                   "; it must be 0 or in [2, ", kMostBranching,
                                                   "]"));
  }
  if (numbers.dithered() && (numbers.branching() != 0 || numbers.edges_size() != 2)) {
    return absl::InvalidArgumentError(
        "task.numbers.branching must be 0 and edges must be two where numbers are dithered");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<NumberCells> NumberCells::Read(const v1::Task& task) {
  TOMBOLA_RETURN_IF_ERROR(Check(task));
  const v1::Numbers& numbers = task.numbers();
  const auto size = static_cast<int64_t>(task.domain().size());
  TOMBOLA_ASSIGN_OR_RETURN(Bins bins, Bins::Read(numbers, size));
  NumberCells read{.bins = std::move(bins),
                   .tree = RangeTree(size, numbers.branching(), numbers.missing())};
  if (numbers.dithered()) {
    v1::Levels levels;
    levels.set_low(numbers.edges(0));
    levels.set_high(numbers.edges(1));
    levels.set_count(static_cast<uint32_t>(size));
    TOMBOLA_ASSIGN_OR_RETURN(read.levels, Levels::Read(levels));
  }
  read.filling = {.held = read.tree.levels(), .sent = numbers.sent()};
  TOMBOLA_RETURN_IF_ERROR(mechanism::ValidateFilling(read.filling, read.tree.cells()));
  if (read.tree.cells() > mechanism::kLargestDomain) {
    return absl::InvalidArgumentError(
        absl::StrCat("the tree of task.numbers has ", read.tree.cells(), " nodes; at most ",
                     mechanism::kLargestDomainText, " can be counted"));
  }
  return read;
}

absl::StatusOr<std::shared_ptr<const Kind>> NumberKind::Read(const v1::Task& task) {
  TOMBOLA_ASSIGN_OR_RETURN(NumberCells cells, NumberCells::Read(task));
  TOMBOLA_ASSIGN_OR_RETURN(
      auto mechanism, mechanism::FromProto(task.mechanism(), cells.tree.cells(), cells.filling));
  return std::make_shared<const NumberKind>(std::move(cells), std::move(mechanism));
}

NumberKind::NumberKind(NumberCells cells, std::shared_ptr<const mechanism::Mechanism> mechanism)
    : cells_(std::move(cells)), tables_({mechanism}), scheme_(std::move(mechanism)) {}

double NumberKind::PredictedMse(int64_t submissions) const {
  return mechanism::EstimateVariance(tables_[0]->count_model(),
                                     {.submissions = submissions, .fakes = scheme_->fakes()},
                                     /*frequency=*/0);
}

}  // namespace tombola
