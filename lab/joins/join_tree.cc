#include "lab/joins/join_tree.h"

#include "cli/simulation/distributions.h"
#include "common/ranges/least_squares.h"

namespace tombola::lab {
namespace {

using simulation::Binomial;
using simulation::Generator;

AnswerLaw ExpectedFrom(const CellTable<double>& table, double scale, const Box& box) {
  const double low = scale * table.Sum(0, box), high = scale * table.Sum(1, box);
  return {.count = low + high, .sum = kLeastAmount * low + kMostAmount * high};
}

}  // namespace

RangeTree JoinTreeOf(const JoinSetting& setting) {
  return RangeTree(2 * int64_t{setting.places[0]}, setting.branching, /*apart=*/true);
}

JoinAnswer AnswerFromLeaves(const JoinSetting& setting, absl::Span<const double> leaves,
                            const Interval& range) {
  double low = 0, high = 0;
  for (int32_t place = range.begin; place < range.end; ++place) {
    low += leaves[place];
    high += leaves[setting.places[0] + place];
  }
  return {.count = low + high, .sum = kLeastAmount * low + kMostAmount * high};
}

AnswerLaw TreeNoise(const JoinSetting& setting, const RangeVariance& variance,
                    const Interval& range) {
  const auto of = [&](double low, double high) {
    const int64_t places = setting.places[0];
    const WeightedRun runs[] = {{range.begin, 0},
                                {range.end, low},
                                {places + range.begin, 0},
                                {places + range.end, high},
                                {2 * places, 0}};
    std::vector<WeightedRun> wanted;
    for (const WeightedRun& run : runs) {
      if (run.end > (wanted.empty() ? 0 : wanted.back().end)) wanted.push_back(run);
    }
    return variance.Of(wanted);
  };
  AnswerLaw law;
  law.count_variance = of(1, 1);
  law.sum_variance = of(kLeastAmount, kMostAmount);
  law.covariance =
      (of(1 + kLeastAmount, 1 + kMostAmount) - law.count_variance - law.sum_variance) / 2;
  return law;
}

LocalTree::LocalTree(const JoinSetting& setting, const OracleFor& oracle)
    : JoinMethod(setting), tree_(JoinTreeOf(setting)) {
  for (int64_t level = 0; level < tree_.levels(); ++level) {
    oracles_.push_back(oracle(static_cast<double>(tree_.NodesOf(level)) + 1));
  }
}

// Of a node's count among all devices, if all nodes of a level have as many: what the oracle adds,
// and the choice of level.
std::vector<double> LocalTree::Variances() const {
  std::vector<double> variances;
  const double users = static_cast<double>(setting().users);
  for (int64_t level = 0; level < tree_.levels(); ++level) {
    const double share = 1 / static_cast<double>(tree_.NodesOf(level) + 1);
    variances.push_back(users * static_cast<double>(tree_.levels()) *
                        (oracles_[level].Variance(share, 1) + share * (1 - share)));
  }
  return variances;
}

std::vector<JoinAnswer> LocalTree::Run(JoinTrial& trial, absl::Span<const JoinQuery> queries,
                                       absl::Span<const AnswerLaw>, Generator& noise) const {
  const CellTable<int32_t>& picked = trial.picked(setting().tau);
  const int64_t places = setting().places[0];
  // By level: who said so, then what was said.
  std::vector<std::vector<int64_t>> counts;
  for (int64_t level = 0; level < tree_.levels(); ++level) {
    counts.emplace_back(tree_.NodesOf(level) + 1, 0);
  }
  int64_t empty = setting().users;
  for (int64_t leaf = 0; leaf <= 2 * places; ++leaf) {
    int64_t left = empty;
    if (leaf < 2 * places) {
      left = picked.at(leaf < places ? 0 : 1, static_cast<size_t>(leaf % places));
      empty -= left;
    }
    for (int64_t level = 0; level < tree_.levels(); ++level) {
      const double share = 1 / static_cast<double>(tree_.levels() - level);
      const int64_t here = Binomial(left, share, noise);
      counts[level][tree_.CellOf(leaf, level) - tree_.FirstOf(level)] += here;
      left -= here;
    }
  }
  std::vector<double> estimates;
  for (int64_t level = 0; level < tree_.levels(); ++level) {
    for (const double share : EstimateShares(oracles_[level], counts[level], noise)) {
      estimates.push_back(share * static_cast<double>(setting().users));
    }
  }
  std::vector<double> leaves =
      LeastSquares(tree_, estimates, Variances(), static_cast<double>(setting().users));
  for (double& leaf : leaves) leaf *= static_cast<double>(setting().tau);
  std::vector<JoinAnswer> answers;
  for (const JoinQuery& query : queries) {
    answers.push_back(AnswerFromLeaves(setting(), leaves, query.box[0]));
  }
  return answers;
}

AnswerLaw LocalTree::LawOf(JoinFacts& facts, const JoinQuery& query) const {
  const double tau = static_cast<double>(setting().tau);
  AnswerLaw law = ExpectedFrom(facts.picked(setting().tau), tau, query.box);
  const AnswerLaw noise = TreeNoise(setting(), RangeVariance(tree_, Variances()), query.box[0]);
  law.count_variance = tau * tau * noise.count_variance;
  law.sum_variance = tau * tau * noise.sum_variance;
  law.covariance = tau * tau * noise.covariance;
  return law;
}

}  // namespace tombola::lab
