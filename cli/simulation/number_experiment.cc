#include "cli/simulation/number_experiment.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "cli/simulation/draw_counts.h"
#include "cli/simulation/generator.h"
#include "cli/simulation/number_means.h"
#include "collector/postprocess/postprocess.h"
#include "common/base/parallel.h"
#include "common/base/status_macros.h"
#include "common/kind/levels.h"
#include "common/kind/number.h"
#include "common/plan/number.h"
#include "common/ranges/least_squares.h"
#include "common/ranges/range_tree.h"
#include "common/table/count_model.h"

namespace tombola::simulation {
namespace {

using mechanism::CountModel;
using mechanism::Tally;

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();
constexpr double kFractions[] = {0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9};

RangeTree TreeOf(const NumberData& data, const Row& row) {
  return RangeTree(data.bins(), row.branching.value_or(0), data.missing);
}

Tally NumberTally(const NumberData& data) { return {.submissions = data.users()}; }

// Of every level. A trusted party's noise is Laplace's, of scale 2 / epsilon on the count of every
// bin.
std::vector<CountModel> NumberModels(const NumberData& data, const Row& row) {
  if (row.mechanism != nullptr) return LevelModels(TreeOf(data, row), *row.mechanism);
  return {{.support = {.holder = 1, .separation = 1},
           .noise_variance = 8 / (row.epsilon * row.epsilon * static_cast<double>(data.users()))}};
}

// How many devices are in every leaf: behind the bins, where one may be missing, those without.
std::vector<int64_t> LeavesOf(const NumberData& data) {
  std::vector<int64_t> leaves = data.counts;
  if (data.missing) leaves.push_back(data.none);
  return leaves;
}

std::vector<double> SharesOf(const NumberData& data) {
  std::vector<double> shares;
  for (const int64_t count : LeavesOf(data)) {
    shares.push_back(static_cast<double>(count) / static_cast<double>(data.users()));
  }
  return shares;
}

MeanCounting MeansOf(const Row& row) {
  return {.levels = row.levels.value_or(0), .mechanism = row.mechanism, .epsilon = row.epsilon};
}

// A trusted party takes as many levels as are best for the data, or as many as are asked for.
void PlanCentralMean(const NumberData& data, const NumberExperiment& experiment, Row& row) {
  row.feasible = true;
  row.predicted = std::numeric_limits<double>::infinity();
  const bool given = experiment.levels != 0;
  for (int64_t levels = given ? experiment.levels : 2;
       levels <= (given ? experiment.levels : kMostLevels); ++levels) {
    const double predicted = PredictMean({.levels = levels, .epsilon = row.epsilon}, data);
    if (predicted >= row.predicted) continue;
    row.predicted = predicted;
    row.levels = levels;
  }
}

absl::Status PlanNumbers(const NumberData& data, const NumberExperiment& experiment, Row& row) {
  row.central = row.name == kLaplace;
  if (row.central && experiment.mean_only) {
    PlanCentralMean(data, experiment, row);
    return absl::OkStatus();
  }
  if (row.central) {
    row.feasible = true;
    row.predicted =
        RangeMse(TreeOf(data, row), NumberModels(data, row), /*filling=*/{}, NumberTally(data));
    return absl::OkStatus();
  }
  mechanism::NumberPlanRequest request{
      .plan = {.honest = data.users(),
               .submissions = data.users(),
               .epsilon = row.epsilon,
               .delta = row.delta,
               .method = experiment.experiment.method},
      .bins = experiment.mean_only ? experiment.levels : data.bins(),
      .missing = data.missing,
      .dithered = experiment.mean_only,
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
  row.levels = best->levels;
  row.predicted = experiment.mean_only ? PredictMean(MeansOf(row), data) : best->mse;
  return absl::OkStatus();
}

// The shares of the leaves that one batch says.
std::vector<double> Counted(const NumberData& data, const Row& row, bool devices,
                            Generator& random) {
  const RangeTree tree = TreeOf(data, row);
  const std::vector<CountModel> models = NumberModels(data, row);
  const Tally tally = NumberTally(data);
  std::vector<double> cells, variances;
  if (row.mechanism == nullptr) {
    cells = DrawLaplaceEstimates(LeavesOf(data), row.epsilon, random);
  } else {
    const std::vector<int64_t> counts =
        devices ? RunNumberDevices(row.mechanism, tree, LeavesOf(data), random)
                : DrawCounts(*row.mechanism, FilledNodes(tree, LeavesOf(data)), random);
    for (int64_t level = 0; level < tree.levels(); ++level) {
      const int64_t end = level + 1 < tree.levels() ? tree.FirstOf(level + 1) : tree.cells();
      for (int64_t cell = tree.FirstOf(level); cell < end; ++cell) {
        cells.push_back(
            mechanism::Estimate(models[static_cast<size_t>(level)], tally,
                                static_cast<double>(counts[static_cast<size_t>(cell)])));
      }
    }
  }
  for (int64_t level = 0; level < tree.levels(); ++level) {
    const double even =
        static_cast<double>(tree.WidthOf(level)) / static_cast<double>(tree.leaves());
    variances.push_back(
        mechanism::EstimateVariance(models[static_cast<size_t>(level)], tally, even));
  }
  return LeastSquares(tree, cells, variances, /*total=*/1);
}

// The shares of bins, and of all that have a number, which is 1 unless one may be missing.
struct NumberShares {
  absl::Span<const double> bins;
  double with = 1;

  NumberShares(absl::Span<const double> leaves, bool missing)
      : bins(missing ? leaves.first(leaves.size() - 1) : leaves),
        with(missing ? 1 - leaves.back() : 1) {}
};

bool AllQuantilesExact(const NumberShares& numbers, const NumberShares& truth) {
  return std::all_of(std::begin(kFractions), std::end(kFractions), [&](double fraction) {
    return QuantileBin(numbers.bins, fraction * numbers.with) ==
           QuantileBin(truth.bins, fraction * truth.with);
  });
}

// As an answer's: projected are shares of those that have a number.
absl::StatusOr<std::vector<double>> Projected(const NumberShares& numbers) {
  std::vector<double> shares(numbers.bins.begin(), numbers.bins.end());
  if (!(numbers.with > 0)) return shares;
  for (double& share : shares) share /= numbers.with;
  TOMBOLA_ASSIGN_OR_RETURN(std::vector<double> projected, collector::Pop(shares));
  for (double& share : projected) share *= numbers.with;
  return projected;
}

absl::Status SimulateNumbers(const NumberData& data, const TrialOptions& options, Row& row) {
  const std::vector<double> leaves = SharesOf(data);
  const NumberShares truth(leaves, data.missing);
  const auto trials = static_cast<size_t>(std::max<int64_t>(options.trials, 0));
  std::vector<double> raw(trials), pop(trials), exact(trials);
  TOMBOLA_RETURN_IF_ERROR(ForEachTrial(options, [&](size_t i, Generator& random) -> absl::Status {
    const std::vector<double> shares = Counted(data, row, options.devices, random);
    const NumberShares numbers(shares, data.missing);
    TOMBOLA_ASSIGN_OR_RETURN(const std::vector<double> projected, Projected(numbers));
    raw[i] = RangeError(numbers.bins, truth.bins);
    pop[i] = RangeError(projected, truth.bins);
    exact[i] = AllQuantilesExact(numbers, truth) ? 1 : 0;
    return absl::OkStatus();
  }));
  row.errors = {.raw = MeanOf(raw), .pop = MeanOf(pop)};
  row.quantiles_exact = MeanOf(exact);
  return absl::OkStatus();
}

absl::Status SimulateMeans(const NumberData& data, const TrialOptions& options, Row& row) {
  TOMBOLA_ASSIGN_OR_RETURN(row.errors.raw, RunMeanTrials(MeansOf(row), data, options));
  row.errors.pop = {.value = kNotKnown, .standard_error = kNotKnown};
  row.quantiles_exact = row.errors.pop;
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

absl::StatusOr<std::vector<Row>> PlanNumberRows(const NumberData& data,
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

absl::Status SimulateNumberRows(const NumberData& data, const NumberExperiment& experiment,
                                std::vector<Row>& rows) {
  SeedSequence digest(experiment.experiment.trials.seed);
  for (const int64_t count : data.counts) digest.Add(static_cast<uint64_t>(count));
  for (const double point : data.points) digest.Add(point);
  if (data.missing) digest.Add(static_cast<uint64_t>(data.none));
  for (Row& row : rows) {
    if (!row.feasible) continue;
    TrialOptions options = experiment.experiment.trials;
    options.seed = RowSeed(digest.seed(), experiment.experiment, row);
    TOMBOLA_RETURN_IF_ERROR(experiment.mean_only ? SimulateMeans(data, options, row)
                                                 : SimulateNumbers(data, options, row));
  }
  return absl::OkStatus();
}

}  // namespace tombola::simulation
