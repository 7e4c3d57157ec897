#include "lab/data/synthetic.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "cli/simulation/distributions.h"
#include "cli/simulation/generator.h"
#include "common/base/check.h"

namespace tombola::lab {
namespace {

using simulation::Generator;
using simulation::Uniform;

constexpr double kLargestMean = 0.99;
constexpr double kSpread = 0.2;
constexpr double kShape = 3, kExponent = 0.7;

double SparseMean(int64_t k) { return 0.8 * std::cos(static_cast<double>(k)); }

float DrawValue(double mean, Generator& random) {
  const double width = std::min(kSpread, 1 - std::fabs(mean));
  const double value = mean + width * (2 * Uniform(random) - 1);
  return static_cast<float>(std::clamp(value, -1.0, 1.0));
}

// The share of devices that hold a key of this rate: E[1 - e^(-a rate)] over the activities a.
double HoldingShare(double rate) { return 1 - std::pow(1 + rate / kShape, -kShape); }

double MeanLength(double scale, int64_t keys) {
  double sum = 0;
  for (int64_t k = 1; k <= keys; ++k) {
    sum += HoldingShare(scale * std::pow(static_cast<double>(k), -kExponent));
  }
  return sum;
}

// The scale c of a stand-in, to the last digit: MeanLength rises from 0 to `keys`.
double ScaleOf(const StandIn& like) {
  double low = 0, high = 1;
  while (MeanLength(high, like.keys) < like.mean_length) high *= 2;
  for (int step = 0; step < 100; ++step) {
    const double middle = (low + high) / 2;
    (MeanLength(middle, like.keys) < like.mean_length ? low : high) = middle;
  }
  return high;
}

}  // namespace

std::vector<KeyLaw> Gauss() {
  std::vector<KeyLaw> laws;
  for (int k = 1; k <= 100; ++k) {
    const double bell = std::exp(-std::pow((k - 50.5) / 20, 2) / 2);
    laws.push_back({0.5 * bell, std::clamp(2 * bell - 1, -kLargestMean, kLargestMean)});
  }
  return laws;
}

std::vector<KeyLaw> Lnr() {
  std::vector<KeyLaw> laws;
  for (int k = 1; k <= 100; ++k) {
    laws.push_back({0.005 * k, std::clamp(2 * k / 100.0 - 1, -kLargestMean, kLargestMean)});
  }
  return laws;
}

std::vector<KeyLaw> Sparse() {
  std::vector<KeyLaw> laws;
  for (int k = 1; k <= 1000; ++k) laws.push_back({0.5 / k, SparseMean(k)});
  return laws;
}

Population DrawPopulation(absl::Span<const KeyLaw> laws, int64_t users, uint64_t seed) {
  Generator random(seed);
  Population population(static_cast<int64_t>(laws.size()));
  // A coin a key by one comparison of whole numbers: a thousand million of them are tossed.
  std::vector<uint64_t> thresholds;
  for (const KeyLaw& law : laws) {
    TOMBOLA_CHECK(law.frequency >= 0 && law.frequency < 1);
    thresholds.push_back(static_cast<uint64_t>(std::ldexp(law.frequency, 64)));
  }
  std::vector<Pair> record;
  for (int64_t user = 0; user < users; ++user) {
    record.clear();
    for (size_t key = 0; key < laws.size(); ++key) {
      if (random.Next64() >= thresholds[key]) continue;
      record.push_back({static_cast<int32_t>(key), DrawValue(laws[key].mean, random)});
    }
    population.Add(record);
  }
  return population;
}

StandIn TalkingData() { return {.users = 60822, .keys = 306, .mean_length = 0.069 * 306}; }
StandIn JData() { return {.users = 105180, .keys = 442, .mean_length = 0.069 * 442}; }

Population DrawStandIn(const StandIn& like, uint64_t seed) {
  TOMBOLA_CHECK(like.mean_length > 0 && like.mean_length < static_cast<double>(like.keys));
  Generator random(seed);
  std::vector<double> rates;
  const double scale = ScaleOf(like);
  for (int64_t k = 1; k <= like.keys; ++k) {
    rates.push_back(scale * std::pow(static_cast<double>(k), -kExponent));
  }
  Population population(like.keys);
  std::gamma_distribution<double> activity(kShape, 1 / kShape);
  std::vector<Pair> record;
  for (int64_t user = 0; user < like.users; ++user) {
    record.clear();
    const double active = activity(random);
    for (int64_t key = 0; key < like.keys; ++key) {
      if (Uniform(random) >= -std::expm1(-active * rates[key])) continue;
      record.push_back({static_cast<int32_t>(key), DrawValue(SparseMean(key + 1), random)});
    }
    population.Add(record);
  }
  return population;
}

}  // namespace tombola::lab
