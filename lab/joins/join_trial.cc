#include "lab/joins/join_trial.h"

#include <algorithm>
#include <vector>

#include "cli/simulation/distributions.h"
#include "cli/simulation/generator.h"
#include "common/random/random_source.h"

namespace tombola::lab {
namespace {

using simulation::Generator;
using simulation::SeedSequence;

int DrawEnd(const JoinedTuple& tuple, Generator& random) {
  return simulation::Uniform(random) < tuple.high() ? 1 : 0;
}

template <typename T>
void AddExpected(const StarData& data, int asked, double (*weight)(double held, double tau),
                 int64_t tau, CellTable<T>& table) {
  for (int64_t user = 0; user < data.users(); ++user) {
    const auto tuples = data.joined(user);
    const double each = weight(static_cast<double>(tuples.size()), static_cast<double>(tau));
    for (const JoinedTuple& tuple : tuples) {
      const size_t index = table.Index(CellOf(data.profile(user), tuple, asked));
      table.at(1, index) += each * tuple.high();
      table.at(0, index) += each * (1 - tuple.high());
    }
  }
}

double PickWeight(double held, double tau) { return 1 / std::max(held, tau); }
double KeepWeight(double held, double tau) { return std::min(1.0, tau / held); }

}  // namespace

const CellTable<int32_t>& JoinTrial::picked(int64_t tau) {
  const auto found = picked_.find(tau);
  if (found != picked_.end()) return found->second;
  Generator random(SeedSequence(seed_).Add("picked").Add(static_cast<uint64_t>(tau)).seed());
  CellTable<int32_t> table(data_.places(), asked_);
  for (int64_t user = 0; user < data_.users(); ++user) {
    const auto tuples = data_.joined(user);
    // One of a uniform choice of tau tuples is one of all of them.
    const uint64_t slots = std::max<uint64_t>(static_cast<uint64_t>(tau), tuples.size());
    const uint64_t slot = UniformBelow(slots, random);
    if (slot >= tuples.size()) continue;
    const JoinedTuple& tuple = tuples[slot];
    ++table.at(DrawEnd(tuple, random), table.Index(CellOf(data_.profile(user), tuple, asked_)));
  }
  return picked_.emplace(tau, std::move(table)).first->second;
}

const CellTable<double>& JoinTrial::kept(int64_t tau, bool rounded) {
  const auto found = kept_.find({tau, rounded});
  if (found != kept_.end()) return found->second;
  Generator random(SeedSequence(seed_).Add("kept").Add(static_cast<uint64_t>(tau)).seed());
  CellTable<double> table(data_.places(), asked_);
  for (int64_t user = 0; user < data_.users(); ++user) {
    const auto tuples = data_.joined(user);
    uint64_t wanted = std::min<uint64_t>(static_cast<uint64_t>(tau), tuples.size());
    for (size_t i = 0; i < tuples.size() && wanted > 0; ++i) {
      // Each of those left is one of the wanted ones with the same probability.
      const uint64_t left = tuples.size() - i;
      if (wanted < left && UniformBelow(left, random) >= wanted) continue;
      --wanted;
      const size_t index = table.Index(CellOf(data_.profile(user), tuples[i], asked_));
      const double high = rounded ? DrawEnd(tuples[i], random) : tuples[i].high();
      table.at(1, index) += high;
      table.at(0, index) += 1 - high;
    }
  }
  return kept_.emplace(std::make_pair(tau, rounded), std::move(table)).first->second;
}

const CellTable<double>& JoinFacts::picked(int64_t tau) {
  const auto found = picked_.find(tau);
  if (found != picked_.end()) return found->second;
  CellTable<double> table(data_.places(), asked_);
  AddExpected(data_, asked_, PickWeight, tau, table);
  return picked_.emplace(tau, std::move(table)).first->second;
}

const CellTable<double>& JoinFacts::kept(int64_t tau) {
  const auto found = kept_.find(tau);
  if (found != kept_.end()) return found->second;
  CellTable<double> table(data_.places(), asked_);
  AddExpected(data_, asked_, KeepWeight, tau, table);
  return kept_.emplace(tau, std::move(table)).first->second;
}

namespace {

// How many of a device's tuples are in the box, their amounts and the squares of those.
struct Matching {
  double count = 0, sum = 0, squares = 0, rounding = 0;
};

Matching MatchingOf(const StarData& data, int64_t user, const JoinQuery& query) {
  Matching matching;
  if (!query.box[0].Holds(data.profile(user))) return matching;
  for (const JoinedTuple& tuple : data.joined(user)) {
    if (!Holds(query.box, CellOf(data.profile(user), tuple, query.asked))) continue;
    const double amount = tuple.amount;
    matching.count += 1;
    matching.sum += amount;
    matching.squares += amount * amount;
    matching.rounding += (amount - kLeastAmount) * (kMostAmount - amount);
  }
  return matching;
}

}  // namespace

JoinFacts::Asked JoinFacts::KeyOf(const JoinQuery& query, int64_t tau) {
  Asked key = {tau};
  for (int i = 0; i < kJoinAttributes; ++i) {
    key[1 + 2 * i] = query.box[i].begin;
    key[2 + 2 * i] = query.box[i].end;
  }
  return key;
}

const Spread& JoinFacts::PickedSpread(const JoinQuery& query, int64_t tau) {
  const auto [found, made] = picked_spread_.try_emplace(KeyOf(query, tau));
  Spread& spread = found->second;
  if (!made) return spread;
  for (int64_t user = 0; user < data_.users(); ++user) {
    const Matching matching = MatchingOf(data_, user, query);
    if (matching.count == 0) continue;
    const double held = static_cast<double>(data_.joined(user).size());
    const double each = PickWeight(held, static_cast<double>(tau));
    spread.count += each * each * matching.count * matching.count;
    spread.sum += each * each * matching.sum * matching.sum;
    spread.together += each * each * matching.count * matching.sum;
  }
  return spread;
}

// tau of h things without replacement: a sum of m of them that matter has the variance
// t (1 - t) h / (h - 1) (sum of squares - square of the sum / h), t = tau / h.
const JoinFacts::KeptSpread& JoinFacts::KeptVariance(const JoinQuery& query, int64_t tau) {
  const auto [found, made] = kept_variance_.try_emplace(KeyOf(query, tau));
  KeptSpread& spread = found->second;
  if (!made) return spread;
  for (int64_t user = 0; user < data_.users(); ++user) {
    const Matching matching = MatchingOf(data_, user, query);
    if (matching.count == 0) continue;
    const double held = static_cast<double>(data_.joined(user).size());
    const double share = KeepWeight(held, static_cast<double>(tau));
    spread.rounding += share * matching.rounding;
    if (share == 1) continue;
    const double part = share * (1 - share) * held / (held - 1);
    spread.choice.count += part * (matching.count - matching.count * matching.count / held);
    spread.choice.sum += part * (matching.squares - matching.sum * matching.sum / held);
    spread.choice.together += part * (matching.sum - matching.count * matching.sum / held);
  }
  return spread;
}

double JoinFacts::KeptShare(int64_t tau) const {
  double kept = 0;
  for (int64_t user = 0; user < data_.users(); ++user) {
    kept += std::min(static_cast<double>(tau), static_cast<double>(data_.joined(user).size()));
  }
  return kept / static_cast<double>(data_.tuples());
}

}  // namespace tombola::lab
