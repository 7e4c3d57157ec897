#include "lab/joins/linked.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace tombola::lab {
namespace {

using simulation::Generator;

double RowEpsilon(const JoinSetting& setting, Linked kind) {
  if (kind != Linked::kScJoin) {
    return setting.epsilon / (2 * static_cast<double>(setting.tau) + 1);
  }
  double reports = 1;  // the measure
  for (int i = 0; i < setting.asked; ++i) {
    reports += PlaceTree(setting.places[i], setting.branching).height();
  }
  return setting.epsilon / reports;
}

void AddScaled(const Spread& spread, double scale, Spread& sum) {
  sum.count += scale * spread.count;
  sum.sum += scale * spread.sum;
  sum.together += scale * spread.together;
}

Spread Products(double count, double sum) { return {count * count, sum * sum, count * sum}; }

// The sums of what is kept, by a weight for each place of each attribute.
template <typename Mean>
AnswerLaw ExpectedOf(const CellTable<double>& kept, const Mean& mean) {
  AnswerLaw law;
  const Places& places = kept.places();
  for (int32_t i = 0; i < places[0]; ++i) {
    if (mean(0, i) == 0) continue;
    for (int32_t j = 0; j < places[1]; ++j) {
      const double both = mean(0, i) * mean(1, j);
      if (both == 0) continue;
      for (int32_t k = 0; k < places[2]; ++k) {
        const size_t cell = kept.Index({i, j, k});
        const double weight = both * mean(2, k), low = kept.at(0, cell), high = kept.at(1, cell);
        law.count += weight * (low + high);
        law.sum += weight * (kLeastAmount * low + kMostAmount * high);
      }
    }
  }
  return law;
}

}  // namespace

LinkedJoin::LinkedJoin(const JoinSetting& setting, Linked kind, double answering)
    : JoinMethod(setting),
      kind_(kind),
      answering_(answering),
      row_epsilon_(RowEpsilon(setting, kind)),
      oracle_(Olh(row_epsilon_)) {
  for (const int32_t places : setting.places) trees_.emplace_back(places, setting.branching);
  if (kind_ == Linked::kLprrJoin) return;
  const double gap = std::pow(oracle_.holder - oracle_.other, 2);
  noise_ = oracle_.other * (1 - oracle_.other) / gap;
  holder_noise_ = oracle_.holder * (1 - oracle_.holder) / gap - noise_;
}

double LinkedJoin::LevelsOf(int attribute) const {
  if (kind_ == Linked::kScJoin) return 1;  // all are said
  return trees_[attribute].height() + (kind_ == Linked::kLprrJoin ? 0 : 1);
}

// At most one node of a level holds a place, and a row counts on the level that it picked.
LinkedJoin::Factor LinkedJoin::FactorOf(int attribute, const Interval& range) const {
  const PlaceTree& tree = trees_[attribute];
  const std::vector<WeightedNode> nodes =
      kind_ == Linked::kLprrJoin     ? DecomposeWithoutLeaves(tree, range)
      : kind_ == Linked::kHioJoinRdc ? DecomposeSigned(tree, range, /*root_cost=*/1)
                                     : Decompose(tree, range);
  Factor factor;
  factor.mean.resize(tree.places(), 0);
  factor.square.resize(tree.places(), 0);
  for (const WeightedNode& node : nodes) {
    factor.weights += LevelsOf(attribute) * node.weight * node.weight;
    const Interval below = tree.Below(node.level, node.node);
    for (int32_t place = below.begin; place < below.end; ++place) {
      factor.mean[place] += node.weight;
      // For now the sum of squared weights of the nodes that hold the place.
      factor.square[place] += LevelsOf(attribute) * node.weight * node.weight;
    }
  }
  factor.noise = factor.weights * noise_;
  for (size_t place = 0; place < factor.square.size(); ++place) {
    const double held = factor.square[place];
    const double own = kind_ == Linked::kScJoin ? factor.mean[place] * factor.mean[place] : held;
    factor.square[place] = factor.noise + own + held * holder_noise_;
  }
  return factor;
}

LinkedJoin::Measured LinkedJoin::MeasuredOf(const Factor& factor, const JoinedTuple* tuple) const {
  constexpr double kLow = kLeastAmount, kHigh = kMostAmount;
  const bool asked = setting().asked == kJoinAttributes;
  const double mean = tuple == nullptr ? 0 : asked ? factor.mean[tuple->fact] : 1;
  const double amount = tuple == nullptr ? 0 : tuple->amount;
  const double high = tuple == nullptr ? 0 : tuple->high();
  Measured found = {.count_mean = mean, .sum_mean = mean * amount};
  if (kind_ == Linked::kScJoin || kind_ == Linked::kLprrJoin) {
    const double square = !asked             ? mean
                          : tuple == nullptr ? factor.noise
                                             : factor.square[tuple->fact];
    found.square.count = square;
    found.square.together = square * amount;
    const double wide = kHigh - kLow;
    found.square.sum = square * (kLow * kLow + 2 * kLow * wide * high +
                                 wide * wide * (high * (1 + holder_noise_) + noise_));
    return found;
  }
  const double weights = asked ? factor.weights : 1;
  // What the row itself adds: 1 and its noise, by the weights of the nodes that hold it.
  const double held = tuple == nullptr ? 0
                      : asked          ? (factor.square[tuple->fact] - factor.noise)
                                       : 1 + holder_noise_;
  found.square.count = weights * 2 * noise_ + held;
  found.square.sum = weights * (kLow * kLow + kHigh * kHigh) * noise_ +
                     held * (high * kHigh * kHigh + (1 - high) * kLow * kLow);
  found.square.together = weights * (kLow + kHigh) * noise_ + held * amount;
  return found;
}

AnswerLaw LinkedJoin::LawOf(JoinFacts& facts, const JoinQuery& query) const {
  const StarData& data = facts.data();
  const int asked = setting().asked;
  const double tau = static_cast<double>(setting().tau);
  std::vector<Factor> factors;
  for (int i = 0; i < kJoinAttributes; ++i) {
    factors.push_back(i < asked ? FactorOf(i, query.box[i]) : Factor{});
  }
  const auto mean = [&](int i, int32_t place) { return i < asked ? factors[i].mean[place] : 1.0; };
  const auto square = [&](int i, int32_t place) {
    return i < asked ? factors[i].square[place] : 1.0;
  };
  double product_of_dummies = 1;  // rows of empty places are drawn uniformly
  if (asked > 1) {
    product_of_dummies = std::accumulate(factors[1].square.begin(), factors[1].square.end(), 0.0) /
                         static_cast<double>(factors[1].square.size());
  }
  const Measured dummy = MeasuredOf(factors[2], nullptr);
  AnswerLaw law = ExpectedOf(facts.kept(setting().tau), mean);
  Spread variance;
  const int64_t step = (data.users() + kLawDevices - 1) / kLawDevices;
  int64_t looked_at = 0;
  for (int64_t user = 0; user < data.users(); user += step, ++looked_at) {
    const double own_mean = mean(0, data.profile(user));
    const auto tuples = data.joined(user);
    const double held = static_cast<double>(tuples.size()), kept = std::min(tau, held);
    double count = 0, sum = 0;
    Spread each, means;
    for (const JoinedTuple& tuple : tuples) {
      const double product = mean(1, tuple.product);
      const Measured measured = MeasuredOf(factors[2], &tuple);
      count += product * measured.count_mean;
      sum += product * measured.sum_mean;
      AddScaled(measured.square, square(1, tuple.product), each);
      AddScaled(Products(product * measured.count_mean, product * measured.sum_mean), 1, means);
    }
    const double share = held == 0 ? 0 : kept / held;
    const double pair = held > 1 ? share * (kept - 1) / (held - 1) : share;
    Spread squares;
    AddScaled(each, share, squares);
    AddScaled(means, -pair, squares);
    AddScaled(Products(count, sum), pair, squares);
    AddScaled(dummy.square, (tau - kept) * product_of_dummies, squares);
    AddScaled(squares, square(0, data.profile(user)) / answering_, variance);
    AddScaled(Products(own_mean * share * count, own_mean * share * sum), -1, variance);
  }
  const double scale = static_cast<double>(data.users()) / static_cast<double>(looked_at);
  law.count_variance = scale * variance.count;
  law.sum_variance = scale * variance.sum;
  law.covariance = scale * variance.together;
  return law;
}

std::vector<JoinAnswer> LinkedJoin::Run(JoinTrial&, absl::Span<const JoinQuery> queries,
                                        absl::Span<const AnswerLaw> laws, Generator& noise) const {
  std::vector<JoinAnswer> answers;
  std::normal_distribution<double> normal;
  for (size_t i = 0; i < queries.size(); ++i) {
    const AnswerLaw& law = laws[i];
    const double first = normal(noise), second = normal(noise);
    JoinAnswer& answer = answers.emplace_back();
    const double deviation = std::sqrt(law.count_variance);
    answer.count = law.count + deviation * first;
    if (kind_ == Linked::kLprrJoin) continue;
    const double along = deviation > 0 ? law.covariance / deviation : 0;
    answer.sum = law.sum + along * first +
                 std::sqrt(std::max(0.0, law.sum_variance - along * along)) * second;
  }
  return answers;
}

}  // namespace tombola::lab
