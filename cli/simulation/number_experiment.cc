#include "cli/simulation/number_experiment.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/simulation/draw_counts.h"
#include "cli/simulation/generator.h"
#include "collector/postprocess/postprocess.h"
#include "common/base/parallel.h"
#include "common/base/status_macros.h"
#include "common/kind/number.h"
#include "common/plan/number.h"
#include "common/ranges/least_squares.h"
#include "common/ranges/range_tree.h"
#include "common/table/count_model.h"

namespace tombola::simulation {
namespace {

using mechanism::CountModel;
using mechanism::Tally;

constexpr double kFractions[] = {0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9};

RangeTree TreeOf(const Data& data, const Row& row) {
  return RangeTree(data.domain(), row.branching.value_or(0), /*apart=*/false);
}

Tally NumberTally(const Data& data) { return {.submissions = data.users}; }

// A trusted party's noise is Laplace's, of scale 2 / epsilon on the count of every bin.
CountModel NumberModel(const Data& data, const Row& row) {
  if (row.mechanism != nullptr) return row.mechanism->count_model();
  return {.support = {.holder = 1, .separation = 1},
          .noise_variance = 8 / (row.epsilon * row.epsilon * static_cast<double>(data.users))};
}

std::vector<double> SharesOf(const Data& data) {
  std::vector<double> shares;
  for (const int64_t count : data.counts) {
    shares.push_back(static_cast<double>(count) / static_cast<double>(data.users));
  }
  return shares;
}

absl::Status PlanNumbers(const Data& data, const NumberExperiment& experiment, Row& row) {
  row.central = row.name == kLaplace;
  if (row.central) {
    row.feasible = true;
    row.predicted =
        RangeMse(TreeOf(data, row), NumberModel(data, row), /*filling=*/{}, NumberTally(data));
    return absl::OkStatus();
  }
  mechanism::NumberPlanRequest request{.plan = {.honest = data.users,
                                                .submissions = data.users,
                                                .epsilon = row.epsilon,
                                                .delta = row.delta,
                                                .method = experiment.experiment.method},
                                       .bins = data.domain(),
                                       .branching = experiment.branching,
                                       .sent = experiment.sent};
  TOMBOLA_ASSIGN_OR_RETURN(const auto candidates, mechanism::PlanNumber(request, row.name));
  const mechanism::Candidate* const best =
      mechanism::Recommended(candidates, mechanism::Left::kAnything);
  if (best == nullptr) {
    row.reason = candidates.empty() ? "no tree has so many levels to send" : candidates[0].reason;
    return absl::OkStatus();
  }
  row.feasible = true;
  row.mechanism = best->mechanism;
  row.branching = best->branching;
  row.sent = best->sent.value_or(1);
  row.predicted = best->mse;
  return absl::OkStatus();
}

// The shares of the bins that one batch says.
std::vector<double> Counted(const Data& data, const Row& row, bool devices, Generator& random) {
  const RangeTree tree = TreeOf(data, row);
  const CountModel model = NumberModel(data, row);
  const Tally tally = NumberTally(data);
  std::vector<double> cells, variances;
  if (row.mechanism == nullptr) {
    cells = DrawLaplaceEstimates(data.counts, row.epsilon, random);
  } else {
    const std::vector<int64_t> counts =
        devices ? RunNumberDevices(row.mechanism, tree, data.counts, random)
                : DrawCounts(*row.mechanism, FilledNodes(tree, data.counts), random);
    for (const int64_t count : counts) {
      cells.push_back(mechanism::Estimate(model, tally, static_cast<double>(count)));
    }
  }
  for (int64_t level = 0; level < tree.levels(); ++level) {
    const double even =
        static_cast<double>(tree.WidthOf(level)) / static_cast<double>(tree.leaves());
    variances.push_back(mechanism::EstimateVariance(model, tally, even));
  }
  return LeastSquares(tree, cells, variances, /*total=*/1);
}

bool AllQuantilesExact(absl::Span<const double> shares, absl::Span<const double> truth) {
  return std::all_of(std::begin(kFractions), std::end(kFractions), [&](double fraction) {
    return QuantileBin(shares, fraction) == QuantileBin(truth, fraction);
  });
}

absl::Status SimulateNumbers(const Data& data, const TrialOptions& options, Row& row) {
  const std::vector<double> truth = SharesOf(data);
  const auto trials = static_cast<size_t>(std::max<int64_t>(options.trials, 0));
  std::vector<double> raw(trials), pop(trials), exact(trials);
  TOMBOLA_RETURN_IF_ERROR(ForEachTrial(options, [&](size_t i, Generator& random) -> absl::Status {
    const std::vector<double> shares = Counted(data, row, options.devices, random);
    TOMBOLA_ASSIGN_OR_RETURN(const std::vector<double> projected, collector::Pop(shares));
    raw[i] = RangeError(shares, truth);
    pop[i] = RangeError(projected, truth);
    exact[i] = AllQuantilesExact(shares, truth) ? 1 : 0;
    return absl::OkStatus();
  }));
  row.errors = {.raw = MeanOf(raw), .pop = MeanOf(pop)};
  row.quantiles_exact = MeanOf(exact);
  return absl::OkStatus();
}

}  // namespace

// With E_i the error of the share below edge i, E_0 = 0: the sum over pairs of edges of
// (E_j - E_i)^2 is (bins + 1) sum E^2 - (sum E)^2.
double RangeError(absl::Span<const double> shares, absl::Span<const double> truth) {
  double below = 0, sum = 0, squares = 0;
  for (size_t i = 0; i < shares.size(); ++i) {
    below += shares[i] - truth[i];
    sum += below;
    squares += below * below;
  }
  const double bins = static_cast<double>(shares.size());
  return std::max(0.0, (bins + 1) * squares - sum * sum) / (bins * (bins + 1) / 2);
}

int64_t QuantileBin(absl::Span<const double> shares, double fraction) {
  double below = 0;
  for (size_t i = 0; i < shares.size(); ++i) {
    below += shares[i];
    if (below >= fraction) return static_cast<int64_t>(i);
  }
  return static_cast<int64_t>(shares.size()) - 1;
}

absl::StatusOr<std::vector<Row>> PlanNumberRows(const Data& data,
                                                const NumberExperiment& experiment) {
  TOMBOLA_ASSIGN_OR_RETURN(std::vector<Row> rows, EmptyRows(experiment.experiment));
  std::vector<absl::Status> outcomes(rows.size());
  ForEachIndex(rows.size(), experiment.experiment.trials.threads, [&](size_t i) {
    outcomes[i] = PlanNumbers(data, experiment, rows[i]);
    if (experiment.experiment.planned) experiment.experiment.planned();
  });
  for (const absl::Status& outcome : outcomes) TOMBOLA_RETURN_IF_ERROR(outcome);
  return rows;
}

absl::Status SimulateNumberRows(const Data& data, const NumberExperiment& experiment,
                                std::vector<Row>& rows) {
  SeedSequence digest(experiment.experiment.trials.seed);
  for (const int64_t count : data.counts) digest.Add(static_cast<uint64_t>(count));
  for (Row& row : rows) {
    if (!row.feasible) continue;
    TrialOptions options = experiment.experiment.trials;
    options.seed = RowSeed(digest.seed(), experiment.experiment, row);
    TOMBOLA_RETURN_IF_ERROR(SimulateNumbers(data, options, row));
  }
  return absl::OkStatus();
}

}  // namespace tombola::simulation
