#include "lab/joins/counted.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/simulation/distributions.h"
#include "common/accounting/gaussian.h"
#include "common/accounting/loss_law.h"
#include "common/accounting/noise_law.h"
#include "common/accounting/product.h"
#include "common/base/status_macros.h"
#include "common/ranges/least_squares.h"
#include "common/ranges/range_variance.h"
#include "lab/joins/join_tree.h"

namespace tombola::lab {
namespace {

using simulation::Generator;

constexpr double kMeanTolerance = 5e-4, kFirstStep = 0.03;

Places AllPlaces(const JoinSetting& setting) {
  Places cells = {1, 1, 1};
  for (int i = 0; i < setting.asked; ++i) cells[i] = setting.places[i];
  return cells;
}

}  // namespace

CellNoise PoissonCells(double mean) {
  return {mean, [mean](Generator& noise) {
            return static_cast<double>(simulation::Poisson(mean, noise)) - mean;
          }};
}

CellNoise LaplaceCells(double scale) {
  return {2 * scale * scale,
          [scale](Generator& noise) { return simulation::Laplace(scale, noise); }};
}

CountedJoin::CountedJoin(const JoinSetting& setting, const Places& cells, bool tree, bool rounds,
                         CellNoise noise)
    : JoinMethod(setting), cells_(cells), tree_(tree), rounds_(rounds), noise_(std::move(noise)) {}

int64_t CountedJoin::levels() const { return tree_ ? JoinTreeOf(setting()).levels() : 1; }

double CountedJoin::all_cells() const {
  if (tree_) return static_cast<double>(JoinTreeOf(setting()).cells());
  return 2.0 * cells_[0] * cells_[1] * cells_[2] + 1;
}

std::vector<JoinAnswer> CountedJoin::RunTree(const CellTable<double>& kept,
                                             absl::Span<const JoinQuery> queries,
                                             Generator& noise) const {
  const RangeTree tree = JoinTreeOf(setting());
  const int64_t places = setting().places[0];
  const double total = static_cast<double>(setting().users) * static_cast<double>(setting().tau);
  std::vector<double> cells(tree.cells(), 0);
  double empty = total;
  for (int64_t leaf = 0; leaf <= 2 * places; ++leaf) {
    double count = empty;
    if (leaf < 2 * places) {
      count = kept.at(leaf < places ? 0 : 1, static_cast<size_t>(leaf % places));
      empty -= count;
    }
    for (int64_t level = 0; level < tree.levels(); ++level)
      cells[tree.CellOf(leaf, level)] += count;
  }
  for (double& cell : cells) cell += noise_.draw(noise);
  const std::vector<double> variances(tree.levels(), noise_.variance);
  const std::vector<double> leaves = LeastSquares(tree, cells, variances, total);
  std::vector<JoinAnswer> answers;
  for (const JoinQuery& query : queries) {
    answers.push_back(AnswerFromLeaves(setting(), leaves, query.box[0]));
  }
  return answers;
}

std::vector<JoinAnswer> CountedJoin::Run(JoinTrial& trial, absl::Span<const JoinQuery> queries,
                                         absl::Span<const AnswerLaw>, Generator& noise) const {
  const CellTable<double>& kept = trial.kept(setting().tau, rounds_);
  if (tree_) return RunTree(kept, queries, noise);
  std::vector<JoinAnswer> answers;
  for (const JoinQuery& query : queries) {
    double ends[2] = {0, 0};
    for (const GridPart& part : GridPartsOf(setting().places, cells_, query)) {
      for (int end : {0, 1}) {
        ends[end] += part.weight * (kept.Sum(end, part.box) + noise_.draw(noise));
      }
    }
    answers.push_back(
        {.count = ends[0] + ends[1], .sum = kLeastAmount * ends[0] + kMostAmount * ends[1]});
  }
  return answers;
}

AnswerLaw CountedJoin::LawOf(JoinFacts& facts, const JoinQuery& query) const {
  const CellTable<double>& kept = facts.kept(setting().tau);
  AnswerLaw law;
  if (tree_) {
    const RangeTree tree = JoinTreeOf(setting());
    const std::vector<double> variances(tree.levels(), noise_.variance);
    law = TreeNoise(setting(), RangeVariance(tree, variances), query.box[0]);
  }
  for (const GridPart& part : GridPartsOf(setting().places, cells_, query)) {
    for (int end : {0, 1}) {
      const double amount = end == 0 ? kLeastAmount : kMostAmount;
      const double count = part.weight * kept.Sum(end, part.box);
      law.count += count;
      law.sum += count * amount;
      if (tree_) continue;
      const double variance = part.weight * part.weight * noise_.variance;
      law.count_variance += variance;
      law.sum_variance += variance * amount * amount;
      law.covariance += variance * amount;
    }
  }
  const JoinFacts::KeptSpread& spread = facts.KeptVariance(query, setting().tau);
  law.count_variance += spread.choice.count;
  law.sum_variance += spread.choice.sum + (rounds_ ? spread.rounding : 0);
  law.covariance += spread.choice.together;
  return law;
}

absl::StatusOr<double> SmallestPoissonMeanOfUnits(double epsilon, double delta, int64_t levels,
                                                  int64_t units, int64_t cap) {
  const int64_t full = units / cap, rest = units % cap;
  const auto met = [&](double mean) -> absl::StatusOr<bool> {
    TOMBOLA_ASSIGN_OR_RETURN(const accounting::NoiseLaw law, accounting::PoissonNoise(mean));
    std::vector<accounting::LossPart> parts = {{accounting::Gained(law, cap), levels * full}};
    if (rest > 0) {
      parts.push_back({accounting::Gained(law, rest), levels});
      parts.push_back({accounting::Lost(law, rest), levels});
    }
    parts.push_back({accounting::Lost(law, cap), levels * full});
    TOMBOLA_ASSIGN_OR_RETURN(const double found, accounting::ProductDelta(parts, epsilon));
    return found <= delta;
  };
  TOMBOLA_ASSIGN_OR_RETURN(const double theta, accounting::GaussianTheta(epsilon, delta));
  // What it tends to as noise grows; the truth is somewhat above.
  const double squares = static_cast<double>(levels * (full * cap * cap + rest * rest));
  double low = 2 * squares / (theta * theta), high = low;
  for (double step = kFirstStep;; low = high, high *= 1 + step, step *= 2) {
    if (high > accounting::kLargestPoissonMean) {
      return absl::FailedPreconditionError(
          absl::StrCat("no noise hides ", units, " messages on each of ", levels, " levels"));
    }
    TOMBOLA_ASSIGN_OR_RETURN(const bool enough, met(high));
    if (enough) break;
  }
  if (low == high) low /= 2;
  while (high > low * (1 + kMeanTolerance)) {
    const double middle = std::sqrt(low * high);
    TOMBOLA_ASSIGN_OR_RETURN(const bool enough, met(middle));
    (enough ? high : low) = middle;
  }
  return high;
}

absl::StatusOr<OwnJoin> PlanOwnJoin(const JoinSetting& setting, double delta) {
  TOMBOLA_RETURN_IF_ERROR(Validate(setting));
  const bool tree = setting.asked == 1;
  const int64_t levels = tree ? JoinTreeOf(setting).levels() : 1;
  TOMBOLA_ASSIGN_OR_RETURN(
      const double mean,
      SmallestPoissonMeanOfUnits(setting.epsilon, delta, levels, setting.tau, setting.tau));
  const double users = static_cast<double>(setting.users);
  const auto messages = [&](const CountedJoin& join) {
    return static_cast<double>(setting.tau * levels) + join.all_cells() * mean / users;
  };
  Places cells = AllPlaces(setting);
  for (;;) {
    CountedJoin join(setting, cells, tree, /*rounds=*/true, PoissonCells(mean));
    const double sent = messages(join);
    bool coarser = false;
    for (int i = 0; i < setting.asked && !tree && sent > kMostMessages; ++i) {
      if (cells[i] <= 2) continue;
      cells[i] = std::max(2, cells[i] * 9 / 10);
      coarser = true;
    }
    if (!coarser) return OwnJoin{std::move(join), sent};
  }
}

CountedJoin CentralJoin(const JoinSetting& setting) {
  const double scale = 2 * static_cast<double>(setting.tau) / setting.epsilon;
  CountedJoin flat(setting, AllPlaces(setting), /*tree=*/false, /*rounds=*/false,
                   LaplaceCells(scale));
  if (setting.asked > 1) return flat;
  const RangeTree tree = JoinTreeOf(setting);
  CountedJoin nodes(setting, AllPlaces(setting), /*tree=*/true, /*rounds=*/false,
                    LaplaceCells(scale * static_cast<double>(tree.levels())));
  // By the ranges of a middle width.
  const int32_t width = std::max(1, setting.places[0] / 7), begin = (setting.places[0] - width) / 2;
  const std::vector<double> variances(tree.levels(), nodes.noise().variance);
  const AnswerLaw noise =
      TreeNoise(setting, RangeVariance(tree, variances), {begin, begin + width});
  return noise.count_variance < 2.0 * width * flat.noise().variance ? std::move(nodes)
                                                                    : std::move(flat);
}

}  // namespace tombola::lab
