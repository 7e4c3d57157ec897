// The accountant against the truth, from below: for small batches every data set of the others,
// every pair of values and every shuffled batch, functions and buckets, is enumerated.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "common/accounting/blanket.h"
#include "common/accounting/clones.h"
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
  double collision = 0;
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

// Functions of a family as the buckets of every value, each as likely as it is often in the family.
// Functions that agree on the domain are one: which of them it was says nothing of a value.
using Family = std::map<std::vector<size_t>, double>;

// All functions from the domain to the range.
Family AllFunctions(size_t domain, size_t buckets) {
  const double functions = std::pow(buckets, domain);
  Family family;
  for (size_t function = 0; static_cast<double>(function) < functions; ++function) {
    std::vector<size_t> hash(domain);
    size_t rest = function;
    for (size_t& bucket : hash) {
      bucket = rest % buckets;
      rest /= buckets;
    }
    family[hash] += 1 / functions;
  }
  return family;
}

// The lines of the plane: bucket a v1 + v0 of (v1, v0) for slope a, and v1.
Family Plane(size_t domain, size_t order, size_t side) {
  Family family;
  for (size_t slope = 0; slope <= order; ++slope) {
    std::vector<size_t> hash(domain);
    for (size_t v = 0; v < domain; ++v) {
      hash[v] = slope == order ? v / side : (slope * (v / side) + v % side) % order;
    }
    family[hash] += 1 / static_cast<double>(order + 1);
  }
  return family;
}

// The leading bits of multiplier * value + offset modulo 2^lane_bits.
Family Affine(size_t domain, int lane_bits, int range_bits) {
  const size_t words = size_t{1} << lane_bits;
  Family family;
  for (size_t multiplier = 0; multiplier < words; ++multiplier) {
    for (size_t offset = 0; offset < words; ++offset) {
      std::vector<size_t> hash(domain);
      for (size_t v = 0; v < domain; ++v) {
        hash[v] = (multiplier * v + offset) % words >> (lane_bits - range_bits);
      }
      family[hash] += 1 / static_cast<double>(words * words);
    }
  }
  return family;
}

// The message is (function, bucket). The accountant counts collisions in as `collision` says.
Mechanism LocalHashing(const Family& family, size_t buckets, double local_epsilon,
                       double collision) {
  const double range = static_cast<double>(buckets);
  Mechanism mechanism{range, GammaOf(range, std::expm1(local_epsilon)), {}, {}, collision};
  for (const auto& [hash, share] : family) {
    mechanism.uniform.insert(mechanism.uniform.end(), buckets, share / range);
    mechanism.laws.resize(hash.size());
    for (size_t v = 0; v < hash.size(); ++v) {
      Law& law = mechanism.laws[v];
      law.insert(law.end(), buckets, share * mechanism.gamma / range);
      law[law.size() - buckets + hash[v]] += share * (1 - mechanism.gamma);
    }
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
                        static_cast<int64_t>(fakes), mechanism.collision};
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
      const Family two = AllFunctions(domain, 2), three = AllFunctions(domain, 3);
      for (const size_t honest : {1, 2, 3}) {
        ExpectSound(LocalHashing(two, 2, local, 0), honest, 0);
        ExpectSound(LocalHashing(two, 2, local, 1.0 / 2), honest, 0);
        ExpectSound(LocalHashing(three, 3, local, 1.0 / 3), honest, 0);
      }
      ExpectSound(LocalHashing(two, 2, local, 1.0 / 2), 2, 1);
    }
  }
}

// Over the whole plane of order 2 and parts of those of order 3 and 5, every two values collide in
// one of order + 1 functions.
TEST(BlanketSoundnessTest, IsNotBelowTheTruthForThePlane) {
  for (const double local : {0.8, 2.0, 4.0}) {
    const Mechanism two = LocalHashing(Plane(4, 2, 2), 2, local, 1.0 / 3);
    for (const size_t honest : {1, 2, 3, 4}) ExpectSound(two, honest, 0);
    ExpectSound(two, 2, 2);
    const Mechanism three = LocalHashing(Plane(5, 3, 3), 3, local, 1.0 / 4);
    for (const size_t honest : {1, 2, 3}) ExpectSound(three, honest, 0);
    ExpectSound(three, 2, 1);
    ExpectSound(LocalHashing(Plane(9, 3, 3), 3, local, 1.0 / 4), 2, 0);
    ExpectSound(LocalHashing(Plane(4, 5, 2), 5, local, 1.0 / 6), 2, 0);
    ExpectSound(LocalHashing(Plane(10, 5, 4), 5, local, 1.0 / 6), 2, 0);
  }
}

TEST(BlanketSoundnessTest, IsNotBelowTheTruthForTheAffineFamily) {
  for (const double local : {0.8, 2.0, 4.0}) {
    const Mechanism two = LocalHashing(Affine(3, 4, 1), 2, local, 1.0 / 2);
    for (const size_t honest : {1, 2, 3}) ExpectSound(two, honest, 0);
    ExpectSound(two, 2, 1);
    const Mechanism four = LocalHashing(Affine(3, 4, 2), 4, local, 1.0 / 4);
    ExpectSound(four, 1, 0);
    ExpectSound(four, 2, 0);
  }
}

// The enumeration sees a bound that counts on more collisions than there are.
TEST(BlanketSoundnessTest, MoreCollisionsThanTheFamilyHasAreDetected) {
  const Mechanism plane = LocalHashing(Plane(4, 2, 2), 2, 4.0, 1.0 / 3);
  const double truth = TrueDeltas(plane, 2, 0, {0.3})[0];
  const Blanket right{2, 2, plane.gamma, 0, 1.0 / 3}, wrong{2, 2, plane.gamma, 0, 1.0 / 2};
  EXPECT_GE(*Delta(right, 0.3), truth);
  EXPECT_LT(*Delta(wrong, 0.3), truth);
}

TEST(BlanketSoundnessTest, IsNotBelowTheTruthForABatchOfEight) {
  const Mechanism mechanism = RandomisedResponse(3, std::log(5.0));
  const double truth = TrueDeltas(mechanism, 8, 0, {std::log(2.5)})[0];
  EXPECT_NEAR(truth, 0.071091, 1e-6);
  const absl::StatusOr<double> delta = Delta({8, 3, mechanism.gamma, 0}, std::log(2.5));
  ASSERT_TRUE(delta.ok());
  EXPECT_GE(*delta, truth);
}

// The local epsilon of any randomiser whose messages are never impossible.
double LocalEpsilonOf(const std::vector<Law>& laws) {
  double most = 0;
  for (const Law& p : laws) {
    for (const Law& q : laws) {
      for (size_t i = 0; i < p.size(); ++i) most = std::max(most, std::log(p[i] / q[i]));
    }
  }
  return most;
}

void ExpectClonesSound(const std::vector<Law>& laws, size_t honest) {
  const double local = LocalEpsilonOf(laws);
  const std::vector<double> epsilons = {0.03 * local, 0.2 * local, 0.5 * local, 0.8 * local,
                                        0.97 * local};
  const std::vector<double> truth =
      TrueDeltas({.laws = laws, .uniform = laws[0]}, honest, /*fakes=*/0, epsilons);
  for (size_t e = 0; e < epsilons.size(); ++e) {
    const absl::StatusOr<double> delta =
        ClonesDelta(static_cast<int64_t>(honest), local, epsilons[e]);
    ASSERT_TRUE(delta.ok());
    EXPECT_GE(*delta, truth[e] * (1 - 1e-12) - 1e-15)
        << "honest " << honest << " local epsilon " << local << " epsilon " << epsilons[e];
  }
}

// The victim's two values differ on two messages of probabilities (k p, p) and (p, k p) only, and
// the rest w of theirs is as rare for others as a local epsilon of ln k allows: the least cover
// there is.
TEST(ClonesSoundnessTest, IsNotBelowTheTruthOfRandomisersWithLittleCover) {
  for (const double k : {1.5, 3.0, 8.0}) {
    for (const double share : {0.1, 0.4, 0.7, 0.95, 1.0}) {
      const double p = share / (k + 1);
      const double w = 1 - (k + 1) * p;
      std::vector<Law> laws = {{k * p, p, w}, {p, k * p, w}};
      for (const double first : {p, k * p}) {
        for (const double rest : {w / k, std::min(k * w, 1 - 2 * p)}) {
          const double second = 1 - first - rest;
          if (second >= p && second <= k * p && rest > 0) laws.push_back({first, second, rest});
        }
      }
      if (w <= 1e-9) laws = {{k * p, p}, {p, k * p}};
      for (const size_t honest : {1, 2, 3, 4}) ExpectClonesSound(laws, honest);
    }
  }
}

TEST(ClonesSoundnessTest, IsNotBelowTheTruthOfArbitraryRandomisers) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 2000; ++i) {
    const size_t values = 2 + random() % 2, messages = 2 + random() % 3;
    const double growth = 1 + 0.1 * static_cast<double>(random() % 80);
    std::vector<Law> laws(values, Law(messages));
    for (Law& law : laws) {
      for (double& p : law) p = std::pow(growth, static_cast<double>(random() % 3));
      const double sum = std::accumulate(law.begin(), law.end(), 0.0);
      for (double& p : law) p /= sum;
    }
    if (LocalEpsilonOf(laws) < 0.01) continue;
    for (const size_t honest : {2, 3, 4}) ExpectClonesSound(laws, honest);
  }
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
