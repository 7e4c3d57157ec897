#include "lab/joins/one_tuple.h"

#include <cmath>
#include <map>

#include "cli/simulation/distributions.h"

namespace tombola::lab {
namespace {

using simulation::Binomial;
using simulation::Generator;

constexpr double kEnds[] = {kLeastAmount, kMostAmount};

double NoiseOf(const Oracle& oracle) {
  return oracle.other * (1 - oracle.other) / std::pow(oracle.holder - oracle.other, 2);
}

// What a supporter that has the item adds to that.
double HolderNoiseOf(const Oracle& oracle) {
  return oracle.holder * (1 - oracle.holder) / std::pow(oracle.holder - oracle.other, 2) -
         NoiseOf(oracle);
}

}  // namespace

double RareVariance(const Oracle& oracle) { return oracle.Variance(0, 1); }

OracleFor PublishedOracle(double epsilon) {
  return [epsilon](double) { return Olh(epsilon); };
}

OracleFor BestOracle(double epsilon) {
  return [epsilon](double items) {
    const Oracle grr = Grr(items, epsilon), olh = Olh(epsilon);
    return RareVariance(grr) < RareVariance(olh) ? grr : olh;
  };
}

OneTuple::OneTuple(const JoinSetting& setting, Views views, const OracleFor& oracle)
    : JoinMethod(setting), kind_(views) {
  int64_t count = 1;
  for (int attribute = 0; attribute < setting.asked; ++attribute) {
    trees_.emplace_back(setting.places[attribute], setting.branching);
    if (kind_ != Views::kFlat) count *= trees_.back().height() + 1;
  }
  for (int64_t view = 0; view < count; ++view) oracles_.push_back(oracle(2 * CellsOf(view) + 1));
}

int OneTuple::LevelOf(int64_t view, int attribute) const {
  if (kind_ == Views::kFlat) return trees_[attribute].height();
  for (int i = 0; i < attribute; ++i) view /= trees_[i].height() + 1;
  return static_cast<int>(view % (trees_[attribute].height() + 1));
}

double OneTuple::CellsOf(int64_t view) const {
  double cells = 1;
  for (int i = 0; i < setting().asked; ++i) cells *= trees_[i].NodesOf(LevelOf(view, i));
  return cells;
}

int64_t OneTuple::CellIn(int64_t view, const Places& cell) const {
  int64_t index = 0;
  for (int i = 0; i < setting().asked; ++i) {
    const int level = LevelOf(view, i);
    index = index * trees_[i].NodesOf(level) + trees_[i].NodeOf(cell[i], level);
  }
  return index;
}

std::vector<OneTuple::Part> OneTuple::PartsOf(const JoinQuery& query) const {
  if (kind_ == Views::kFlat) {
    double cells = 1;
    for (const Interval& range : query.box) cells *= range.width();
    return {{.cells = cells, .box = query.box}};
  }
  std::vector<Part> parts = {{}};
  int64_t radix = 1;
  for (int i = 0; i < setting().asked; ++i) {
    const std::vector<WeightedNode> nodes =
        kind_ == Views::kHierarchy ? Decompose(trees_[i], query.box[i])
                                   : DecomposeSigned(trees_[i], query.box[i], /*root_cost=*/1);
    std::vector<Part> product;
    for (const Part& part : parts) {
      for (const WeightedNode& node : nodes) {
        Part& both = product.emplace_back(part);
        both.view += radix * node.level;
        both.weight *= node.weight;
        both.box[i] = trees_[i].Below(node.level, node.node);
      }
    }
    parts = std::move(product);
    radix *= trees_[i].height() + 1;
  }
  return parts;
}

std::vector<JoinAnswer> OneTuple::Run(JoinTrial& trial, absl::Span<const JoinQuery> queries,
                                      absl::Span<const AnswerLaw>, Generator& noise) const {
  const CellTable<int32_t>& picked = trial.picked(setting().tau);
  const double all = static_cast<double>(setting().users) * static_cast<double>(setting().tau);
  const double share = 1 / static_cast<double>(views());
  // Devices in the cells of one view and weight, by the end of the measure.
  struct Counted {
    double cells = 0;
    int64_t holders[2] = {0, 0};
  };
  std::vector<JoinAnswer> answers;
  for (const JoinQuery& query : queries) {
    std::map<int64_t, std::map<double, Counted>> by_view;
    for (const Part& part : PartsOf(query)) {
      Counted& counted = by_view[part.view][part.weight];
      counted.cells += part.cells;
      for (int end : {0, 1}) counted.holders[end] += picked.Sum(end, part.box);
    }
    JoinAnswer& answer = answers.emplace_back(JoinAnswer{.count = 0, .sum = 0});
    for (auto& [view, weights] : by_view) {
      const Oracle& law = oracle(view);
      int64_t others = setting().users, reports = 0;
      for (auto& [weight, counted] : weights) {
        for (int64_t& holders : counted.holders) {
          others -= holders;
          holders = Binomial(holders, share, noise);
          reports += holders;
        }
      }
      reports += Binomial(others, share, noise);
      if (reports == 0) continue;
      for (const auto& [weight, counted] : weights) {
        const double looked_at = counted.cells * static_cast<double>(reports);
        for (int end : {0, 1}) {
          const int64_t supporters =
              Binomial(counted.holders[end], law.holder, noise) +
              Binomial(static_cast<int64_t>(looked_at) - counted.holders[end], law.other, noise);
          const double estimate = weight * all *
                                  (static_cast<double>(supporters) - looked_at * law.other) /
                                  ((law.holder - law.other) * static_cast<double>(reports));
          answer.count += estimate;
          answer.sum += estimate * kEnds[end];
        }
      }
    }
  }
  return answers;
}

AnswerLaw OneTuple::LawOf(JoinFacts& facts, const JoinQuery& query) const {
  const CellTable<double>& picked = facts.picked(setting().tau);
  const double users = static_cast<double>(setting().users);
  const double all = users * static_cast<double>(setting().tau);
  // A device counts in a view for views() devices, or not at all.
  const double scale = static_cast<double>(views()) / users;
  struct Sums {
    double count = 0, sum = 0;
  };
  std::map<int64_t, Sums> by_view;
  AnswerLaw law;
  double count = 0, sum = 0, together = 0;
  for (const Part& part : PartsOf(query)) {
    const Oracle& oracle = this->oracle(part.view);
    const double square = part.weight * part.weight;
    for (int end : {0, 1}) {
      const double share = picked.Sum(end, part.box) / users;
      by_view[part.view].count += part.weight * share;
      by_view[part.view].sum += part.weight * share * kEnds[end];
      const double part_noise =
          scale * square * (part.cells * NoiseOf(oracle) + share * HolderNoiseOf(oracle) + share);
      count += part_noise;
      sum += part_noise * kEnds[end] * kEnds[end];
      together += part_noise * kEnds[end];
    }
  }
  for (const auto& [view, sums] : by_view) {
    law.count += sums.count;
    law.sum += sums.sum;
    count -= scale * sums.count * sums.count;
    sum -= scale * sums.sum * sums.sum;
    together -= scale * sums.count * sums.sum;
  }
  // Every device's own expectation is no chance.
  const Spread& spread = facts.PickedSpread(query, setting().tau);
  count -= (spread.count / users - law.count * law.count) / users;
  sum -= (spread.sum / users - law.sum * law.sum) / users;
  together -= (spread.together / users - law.count * law.sum) / users;
  law.count *= all;
  law.sum *= all;
  law.count_variance = all * all * count;
  law.sum_variance = all * all * sum;
  law.covariance = all * all * together;
  return law;
}

}  // namespace tombola::lab
