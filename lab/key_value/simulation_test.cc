// Every method's runs have the expectation and the variance that it states.
#include <cmath>

#include "gtest/gtest.h"
#include "lab/key_value/central.h"
#include "lab/key_value/hiskv.h"
#include "lab/key_value/registry.h"
#include "lab/sample/test_moments.h"
#include "lab/sets/registry.h"
#include "lab/shuffled/own_methods.h"

namespace tombola::lab {
namespace {

using simulation::Generator;

constexpr int64_t kUsers = 5000, kKeys = 6, kItems = 3;
constexpr int kTrials = 2000;
// Of normal sums, two-sided: 1e-8. A variance from so many trials is off by this many times
// sqrt(2 / trials), 3.2 %, with about the same probability: estimates are sums over 5,000 devices
// and nearly normal. Some 400 statements are made, so all hold with probability 1 - 4e-6.
constexpr double kSigmas = 5.73;

// Lengths 0 to 6, so that some are cut; every value of key k is 0.2 k - 0.4, exact in no float but
// equal for all.
Population Devices() {
  Population population(kKeys);
  for (int64_t user = 0; user < kUsers; ++user) {
    std::vector<Pair> record;
    for (int32_t key = 0; key < kKeys; ++key) {
      if ((user * 7 + key * 5) % 11 < 8 - key || user % 20 == 0) {
        record.push_back({key, 0.2f * static_cast<float>(key) - 0.4f});
      }
    }
    population.Add(record);
  }
  return population;
}

struct Tested {
  std::string name;
  std::unique_ptr<Method> method;
  bool means = true;
};

void Check(std::vector<Tested> tested) {
  const Population population = Devices();
  std::vector<std::vector<Moments>> frequencies(tested.size(), std::vector<Moments>(kKeys));
  std::vector<std::vector<Moments>> differences = frequencies;
  for (int number = 0; number < kTrials; ++number) {
    Trial trial(population, number);
    for (size_t i = 0; i < tested.size(); ++i) {
      Generator noise(simulation::SeedSequence(number).Add(tested[i].name).seed());
      const Estimates estimates = tested[i].method->Run(trial, noise);
      ASSERT_EQ(estimates.frequencies.size(), kKeys);
      for (int64_t key = 0; key < kKeys; ++key) {
        frequencies[i][key].Add(estimates.frequencies[key]);
        if (tested[i].means) {
          differences[i][key].Add(estimates.frequencies[key] * estimates.means[key]);
        }
      }
    }
  }
  for (size_t i = 0; i < tested.size(); ++i) {
    const Method& method = *tested[i].method;
    const std::vector<KeyShare> shares = SharesOf(population, method.items());
    int compared = 0;
    for (int64_t key = 0; key < kKeys; ++key) {
      SCOPED_TRACE(testing::Message() << tested[i].name << ", key " << key);
      const double expected = shares[key].kept / kUsers;
      const double variance = *method.FrequencyVariance(shares[key]);
      EXPECT_NEAR(frequencies[i][key].mean(), expected, kSigmas * std::sqrt(variance / kTrials));
      EXPECT_NEAR(frequencies[i][key].variance() / variance, 1, kSigmas * std::sqrt(2.0 / kTrials));
      if (!tested[i].means) continue;
      // Where no mean is clipped, frequency times mean is the estimate of the difference.
      const double difference = *method.DifferenceVariance(shares[key]);
      const double room = expected * (1 - std::fabs(shares[key].mean));
      if (room < 6 * (std::sqrt(variance) + std::sqrt(difference))) continue;
      ++compared;
      EXPECT_NEAR(differences[i][key].mean(), expected * shares[key].mean,
                  kSigmas * std::sqrt(difference / kTrials));
      EXPECT_NEAR(differences[i][key].variance() / difference, 1,
                  kSigmas * std::sqrt(2.0 / kTrials));
    }
    EXPECT_EQ(compared > 0, tested[i].means) << tested[i].name;
  }
}

TEST(SimulationTest, PublishedMethodsAreAsStated) {
  const Setting setting = {.keys = kKeys, .items = kItems, .epsilon = 6};
  std::vector<Tested> tested;
  for (const LocalEntry& entry : LocalMethods()) {
    tested.push_back({std::string(entry.name), entry.make(setting),
                      entry.name != "priv_kv" && entry.name != "lrr_kv"});
  }
  Check(std::move(tested));
}

TEST(SimulationTest, PublishedMethodsAreAsStatedAtASmallBudget) {
  const Setting setting = {.keys = kKeys, .items = kItems, .epsilon = 0.5};
  std::vector<Tested> tested;
  for (const LocalEntry& entry : LocalMethods()) {
    tested.push_back({std::string(entry.name), entry.make(setting), false});
  }
  Check(std::move(tested));
}

template <typename M>
std::unique_ptr<Method> Owned(M method) {
  return std::make_unique<M>(std::move(method));
}

TEST(SimulationTest, CentralAndOwnMethodsAreAsStated) {
  const Setting setting = {.keys = kKeys, .items = kItems, .epsilon = 1};
  Setting three = setting, set = setting;
  three.levels = 3;
  set.levels = 1;
  std::vector<Tested> tested;
  tested.push_back({"laplace", Owned(Central::Laplace(setting)), false});
  tested.push_back({"gaussian", Owned(*Central::Gaussian(setting, 1e-6)), false});
  tested.push_back({"set gaussian", Owned(*Central::Gaussian(set, 1e-6)), false});
  // Little noise, so that nothing is clipped.
  tested.push_back({"two levels", Owned(SharedNoise(setting, 2))});
  tested.push_back({"three levels", Owned(SharedNoise(three, 2))});
  tested.push_back({"set", Owned(SharedNoise(set, 40)), false});
  tested.push_back({"sampled", Owned(SampledNoise(setting, 0.5))});
  tested.push_back({"sampled set", Owned(SampledNoise(set, 5)), false});
  tested.push_back({"padded grr", Owned(PlanPaddedGrr(setting, kUsers, 1e-6)->method), false});
  Check(std::move(tested));
}

TEST(SimulationTest, SetMethodsAreAsStated) {
  std::vector<Tested> tested;
  for (const SetEntry& entry : SetMethods()) {
    const Setting setting = {.keys = kKeys, .items = kItems, .epsilon = 1, .levels = 1};
    tested.push_back({std::string(entry.name), entry.make(setting).method, false});
  }
  Check(std::move(tested));
}

// HISKV's length is its own: with a budget that leaves no doubt it finds the 90 % length, and then
// has LRR_KV's expectation for it among the devices that are not its pilot.
TEST(SimulationTest, HiskvIsLrrKvWithTheLengthItFinds) {
  const Population population = Devices();
  const int64_t length = LengthQuantile(LengthsOf(population), 0.9);
  const Setting setting = {.keys = kKeys, .items = 1, .epsilon = 8};
  const std::vector<KeyShare> shares = SharesOf(population, length);
  for (const LengthRule rule : {LengthRule::kOetl, LengthRule::kThreshold}) {
    const Hiskv method(setting, rule);
    std::vector<Moments> frequencies(kKeys);
    constexpr int kRuns = 300;
    for (int number = 0; number < kRuns; ++number) {
      Trial trial(population, number);
      Generator noise(number);
      const Estimates estimates = method.Run(trial, noise);
      for (int64_t key = 0; key < kKeys; ++key) frequencies[key].Add(estimates.frequencies[key]);
    }
    for (int64_t key = 0; key < kKeys; ++key) {
      EXPECT_NEAR(frequencies[key].mean(), shares[key].kept / kUsers,
                  kSigmas * std::sqrt(frequencies[key].variance() / kRuns));
    }
  }
}

}  // namespace
}  // namespace tombola::lab
