#include "common/kind/number.h"

#include <cmath>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/kind/key_value.h"
#include "common/mechanism/registry.h"
#include "common/ranges/range_variance.h"
#include "common/table/count_model.h"
#include "common/table/domain_size.h"

namespace tombola {
namespace {

absl::Status Check(const v1::Task& task) {
  const v1::Numbers& numbers = task.numbers();
  if (!task.has_numbers() || task.has_items() || task.has_levels() || task.has_records()) {
    return absl::InvalidArgumentError(
        "task.numbers must be set for numbers, task.items, levels and records absent");
  }
  if (!task.domain().labels().empty() || task.domain().has_other()) {
    return absl::InvalidArgumentError(
        "task.domain.labels and other must be absent for numbers: edges name the bins");
  }
  if (numbers.branching() == 1 || numbers.branching() > kMostBranching) {
    return absl::InvalidArgumentError(absl::StrCat("task.numbers.branching is ",
                                                   numbers.branching(), "; it must be 0 or in [2, ",
                                                   kMostBranching, "]"));
  }
  if (numbers.dithered() && task.domain().size() > kMostLevels) {
    return absl::InvalidArgumentError(absl::StrCat("task.domain.size is ", task.domain().size(),
                                                   "; where numbers are dithered it ",
                                                   "must be in [2, ", kMostLevels, "]"));
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
  TOMBOLA_ASSIGN_OR_RETURN(auto mechanism,
                           mechanism::FromProto(task.mechanism(), cells.tree.cells(), cells.filling,
                                                LevelCells(cells.tree)));
  if (mechanism->hashing() != nullptr) {
    return absl::InvalidArgumentError(
        "task.mechanism hashes values; numbers need one whose reports name them, because what is "
        "asked are sums over bins, and which bins a hashed report supports together is not random");
  }
  return std::make_shared<const NumberKind>(std::move(cells), mechanism, mechanism);
}

NumberKind::NumberKind(NumberCells cells, std::shared_ptr<const mechanism::Table> table,
                       std::shared_ptr<const mechanism::Scheme> scheme)
    : cells_(std::move(cells)), tables_({std::move(table)}), scheme_(std::move(scheme)) {}

double NumberKind::PredictedMse(int64_t submissions) const {
  const mechanism::Tally tally{.submissions = submissions, .fakes = scheme_->fakes()};
  if (cells_.levels.has_value()) {
    return DitheredMse(cells_.levels->count, tables_[0]->count_model(), tally);
  }
  return RangeMse(cells_.tree, LevelModels(cells_.tree, *tables_[0]), cells_.filling, tally);
}

std::vector<int64_t> LevelCells(const RangeTree& tree) {
  std::vector<int64_t> cells;
  for (int64_t level = 0; level < tree.levels(); ++level) {
    cells.push_back(tree.NodesOf(level) + (tree.apart() ? 1 : 0));
  }
  return cells;
}

std::vector<mechanism::CountModel> LevelModels(const RangeTree& tree,
                                               const mechanism::Table& table) {
  const std::vector<mechanism::ModelledCells> runs = table.count_models();
  std::vector<mechanism::CountModel> models;
  auto run = runs.begin();
  for (int64_t level = 0; level < tree.levels(); ++level) {
    while (run->end <= tree.FirstOf(level)) ++run;
    models.push_back(run->model);
  }
  return models;
}

// A device whose path has the weights w_1, ..., w_h says r of them. Over that choice their sum,
// times h / r, varies by (h - r) / (r (h - 1)) times h sum w_L^2 - (sum w_L)^2. Cells that are
// taken to be independent have the first term already, but for one w_L^2 of these h, which is
// added. Least squares gives every device's path the sum of what its leaf weighs in the answer,
// less a constant: so over all devices the second is at least the variance of that.
double ChoiceVariance(const mechanism::Filling& filling, const mechanism::Tally& tally) {
  if (filling.sent >= filling.held) return 0;
  const auto sent = static_cast<double>(filling.sent);
  const auto held = static_cast<double>(filling.held);
  return (held - sent) / (sent * (held - 1) * static_cast<double>(tally.submissions));
}

namespace {

// Of the share F of devices in a range, F (1 - F), averaged over all ranges of `leaves` of `all`.
double SpreadOverAllRanges(double leaves, double all) {
  return (leaves + 2) / (3 * all) - (leaves + 1) * (leaves + 2) / (6 * all * all);
}

}  // namespace

// Where each of n reports names exactly one of d cells, in truth or not, their counts sum to n, and
// the errors of an even spread are those of independent counts of variance V d / (d - 1) of which
// the sum is known: of a share F they have a multiple of F (1 - F).
double RangeMse(const RangeTree& tree, absl::Span<const mechanism::CountModel> models,
                const mechanism::Filling& filling, const mechanism::Tally& tally) {
  const double bins = static_cast<double>(tree.leaves());
  const double leaves = bins + (tree.apart() ? 1 : 0);
  const mechanism::Support& support = models.front().support;
  const double named = support.holder + (leaves - 1) * support.other;
  const bool one = tree.levels() == 1 && std::abs(named - 1) < 1e-9;
  const double chosen = ChoiceVariance(filling, tally);
  std::vector<double> variances;
  for (int64_t level = 0; level < tree.levels(); ++level) {
    const mechanism::CountModel& model = models[static_cast<size_t>(level)];
    const double frequency = static_cast<double>(tree.WidthOf(level)) / leaves;
    double variance = mechanism::EstimateVariance(model, tally, frequency) + chosen * frequency;
    if (one) {
      variance += mechanism::EstimateVariance(support, frequency, tally.submissions) / (leaves - 1);
    }
    variances.push_back(variance);
  }
  return RangeVariance(tree, variances).OverAllRanges() -
         chosen * SpreadOverAllRanges(bins, leaves);
}

double DitheredMse(int64_t levels, const mechanism::CountModel& model,
                   const mechanism::Tally& tally) {
  const Levels even{.low = 0, .high = 1, .count = levels};
  const double rounded = even.step() * even.step() / 6;
  return MeanVariance(
      model, even, tally,
      {.frequency = 1, .mean = 0.5, .square = 1.0 / 12 + rounded, .rounded = rounded});
}

}  // namespace tombola
