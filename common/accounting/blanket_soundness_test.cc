// The accountant against the truth, from below: for small batches every data set of the others,
// every pair of values and every shuffled batch is enumerated.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "common/accounting/blanket.h"
#include "gtest/gtest.h"

namespace tombola::accounting {
namespace {

using Law = std::vector<double>;  // a distribution over messages, or over batches

// All batches of `users` messages, ordered tuples, with the order forgotten by their sorted form.
class Shuffle {
 public:
  Shuffle(size_t messages, size_t users) {
    size_t tuples = 1;
    for (size_t i = 0; i < users; ++i) tuples *= messages;
    sorted_.resize(tuples);
    std::vector<size_t> digits(users);
    for (size_t tuple = 0; tuple < tuples; ++tuple) {
      size_t rest = tuple;
      for (size_t& digit : digits) {
        digit = rest % messages;
        rest /= messages;
      }
      std::sort(digits.begin(), digits.end());
      for (const size_t digit : digits) sorted_[tuple] = sorted_[tuple] * messages + digit;
    }
  }

  Law View(const std::vector<const Law*>& users) const {
    Law joint = {1.0};
    for (const Law* user : users) {
      Law next;
      next.reserve(joint.size() * user->size());
      for (const double p : joint) {
        for (const double q : *user) next.push_back(p * q);
      }
      joint = std::move(next);
    }
    Law view(joint.size(), 0.0);
    for (size_t tuple = 0; tuple < joint.size(); ++tuple) view[sorted_[tuple]] += joint[tuple];
    return view;
  }

 private:
  std::vector<size_t> sorted_;
};

double HockeyStick(const Law& p, const Law& q, double epsilon) {
  const double growth = std::exp(epsilon);
  double sum = 0;
  for (size_t i = 0; i < p.size(); ++i) sum += std::max(0.0, p[i] - growth * q[i]);
  return sum;
}

struct Mechanism {
  double range;
  double gamma;
  std::vector<Law> laws;  // of the message, for each value
  Law uniform;
};

Mechanism RandomisedResponse(size_t domain, double local_epsilon) {
  const double range = static_cast<double>(domain);
  Mechanism mechanism{range, GammaOf(range, std::expm1(local_epsilon)), {}, Law(domain, 1 / range)};
  for (size_t value = 0; value < domain; ++value) {
    Law law(domain, mechanism.gamma / range);
    law[value] += 1 - mechanism.gamma;
    mechanism.laws.push_back(law);
  }
  return mechanism;
}

// All functions from the domain to the range; the message is (function, bucket).
Mechanism LocalHashing(size_t domain, size_t buckets, double local_epsilon) {
  size_t functions = 1;
  for (size_t i = 0; i < domain; ++i) functions *= buckets;
  const double range = static_cast<double>(buckets);
  const double each = 1 / static_cast<double>(functions);
  Mechanism mechanism{
      range, GammaOf(range, std::expm1(local_epsilon)), {}, Law(functions * buckets, each / range)};
  size_t place = 1;
  for (size_t value = 0; value < domain; ++value, place *= buckets) {
    Law law(functions * buckets, each * mechanism.gamma / range);
    for (size_t function = 0; function < functions; ++function) {
      law[function * buckets + function / place % buckets] += each * (1 - mechanism.gamma);
    }
    mechanism.laws.push_back(law);
  }
  return mechanism;
}

// All ways in which `others` users can hold values, as multisets.
std::vector<std::vector<size_t>> DataSets(size_t domain, size_t others) {
  std::vector<std::vector<size_t>> sets = {{}};
  for (size_t i = 0; i < others; ++i) {
    std::vector<std::vector<size_t>> longer;
    for (const auto& set : sets) {
      for (size_t v = set.empty() ? 0 : set.back(); v < domain; ++v) {
        longer.push_back(set);
        longer.back().push_back(v);
      }
    }
    sets = std::move(longer);
  }
  return sets;
}

// For each epsilon the largest divergence over data sets and ordered pairs of values.
std::vector<double> TrueDeltas(const Mechanism& mechanism, size_t honest, size_t fakes,
                               const std::vector<double>& epsilons) {
  const Shuffle shuffle(mechanism.uniform.size(), honest + fakes);
  std::vector<double> worst(epsilons.size(), 0.0);
  for (const auto& others : DataSets(mechanism.laws.size(), honest - 1)) {
    std::vector<Law> views;
    for (const Law& victim : mechanism.laws) {
      std::vector<const Law*> users = {&victim};
      for (const size_t value : others) users.push_back(&mechanism.laws[value]);
      users.insert(users.end(), fakes, &mechanism.uniform);
      views.push_back(shuffle.View(users));
    }
    for (size_t v = 0; v < views.size(); ++v) {
      for (size_t w = 0; w < views.size(); ++w) {
        for (size_t e = 0; e < epsilons.size(); ++e) {
          worst[e] = std::max(worst[e], HockeyStick(views[v], views[w], epsilons[e]));
        }
      }
    }
  }
  return worst;
}

void ExpectSound(const Mechanism& mechanism, size_t honest, size_t fakes) {
  const std::vector<double> epsilons = {0.05, 0.3, 0.7, std::log(2.5), 1.4, 2.2};
  const std::vector<double> truth = TrueDeltas(mechanism, honest, fakes, epsilons);
  const Blanket blanket{static_cast<int64_t>(honest), mechanism.range, mechanism.gamma,
                        static_cast<int64_t>(fakes)};
  for (size_t e = 0; e < epsilons.size(); ++e) {
    const absl::StatusOr<double> delta = Delta(blanket, epsilons[e]);
    ASSERT_TRUE(delta.ok());
    // Where the truth is 0 its enumeration leaves a sum of rounding errors.
    EXPECT_GE(*delta, truth[e] * (1 - 1e-12) - 1e-15)
        << "honest " << honest << " fakes " << fakes << " range " << mechanism.range << " gamma "
        << mechanism.gamma << " epsilon " << epsilons[e];
  }
}

TEST(BlanketSoundnessTest, IsNotBelowTheTruthForRandomisedResponse) {
  for (const double local : {0.5, 1.0986122886681098, 2.0, 4.0}) {
    for (const size_t domain : {2, 3}) {
      for (const size_t honest : {1, 2, 3, 4}) {
        ExpectSound(RandomisedResponse(domain, local), honest, 0);
        ExpectSound(RandomisedResponse(domain, local), honest, 2);
      }
    }
  }
}

TEST(BlanketSoundnessTest, IsNotBelowTheTruthForLocalHashing) {
  for (const double local : {0.8, 2.0, 4.0}) {
    for (const size_t domain : {2, 3}) {
      for (const size_t honest : {1, 2, 3}) {
        ExpectSound(LocalHashing(domain, 2, local), honest, 0);
        ExpectSound(LocalHashing(domain, 3, local), honest, 0);
      }
      ExpectSound(LocalHashing(domain, 2, local), 2, 1);
    }
  }
}

TEST(BlanketSoundnessTest, IsNotBelowTheTruthForABatchOfEight) {
  const Mechanism mechanism = RandomisedResponse(3, std::log(5.0));
  const double truth = TrueDeltas(mechanism, 8, 0, {std::log(2.5)})[0];
  EXPECT_NEAR(truth, 0.071091, 1e-6);
  const absl::StatusOr<double> delta = Delta({8, 3, mechanism.gamma, 0}, std::log(2.5));
  ASSERT_TRUE(delta.ok());
  EXPECT_GE(*delta, truth);
}

// The bound that is often used for randomised response: the victim's message is one of v, v' or
// neither, hidden among a trinomial of the others' that are not their own. It describes only data
// sets in which nobody else holds v or v'.
double Trinomial(size_t honest, double p, double q, double epsilon) {
  const Law others = {q, q, 1 - 2 * q};
  const Law holds_v = {p, q, 1 - p - q};
  const Law holds_w = {q, p, 1 - p - q};
  const Shuffle shuffle(3, honest);
  std::vector<const Law*> users(honest, &others);
  users[0] = &holds_v;
  const Law first = shuffle.View(users);
  users[0] = &holds_w;
  return HockeyStick(first, shuffle.View(users), epsilon);
}

TEST(BlanketSoundnessTest, TheTrinomialBoundIsBelowTheTruth) {
  const double epsilon = std::log(2.5);
  const double two = TrueDeltas(RandomisedResponse(3, std::log(3.0)), 2, 0, {epsilon})[0];
  EXPECT_NEAR(two, 0.06, 1e-12);
  EXPECT_NEAR(Trinomial(2, 0.6, 0.2, epsilon), 0.02, 1e-12);
  const double eight = TrueDeltas(RandomisedResponse(3, std::log(5.0)), 8, 0, {epsilon})[0];
  EXPECT_NEAR(Trinomial(8, 5.0 / 7, 1.0 / 7, epsilon), 0.068945, 1e-6);
  EXPECT_LT(Trinomial(8, 5.0 / 7, 1.0 / 7, epsilon), eight * 0.98);
}

}  // namespace
}  // namespace tombola::accounting
