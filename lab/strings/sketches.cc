#include "lab/strings/sketches.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "cli/simulation/distributions.h"
#include "common/base/encoding.h"
#include "common/crypto/sha256.h"
#include "lab/oracle/oracle.h"

namespace tombola::lab {
namespace {

using simulation::Binomial;
using simulation::Multinomial;

// Devices of each bucket of each row.
std::vector<std::vector<int64_t>> HashedHolders(const StringPopulation& population, int64_t rows,
                                                int64_t buckets, simulation::Generator& random) {
  std::vector<std::vector<int64_t>> holders(static_cast<size_t>(rows));
  for (auto& row : holders) row.assign(static_cast<size_t>(buckets), 0);
  const std::vector<double> even(static_cast<size_t>(rows), 1.0);
  for (const HeldString& held : population.strings) {
    const StringHash hash(held.text);
    const std::vector<int64_t> drawn = Multinomial(held.devices, even, random);
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t devices = drawn[static_cast<size_t>(row)];
      if (devices == 0) continue;
      const auto bucket = static_cast<size_t>(hash.Bucket(row, buckets));
      holders[static_cast<size_t>(row)][bucket] += devices;
    }
  }
  return holders;
}

int64_t SumOf(const std::vector<int64_t>& counts) {
  int64_t sum = 0;
  for (const int64_t count : counts) sum += count;
  return sum;
}

}  // namespace

StringHash::StringHash(const std::string& text)
    : word_(LoadNumber<uint64_t>(crypto::Sha256(text).data())) {}

int64_t StringHash::Bucket(int64_t row, int64_t buckets) const {
  const uint64_t mixed = simulation::SeedSequence(word_).Add(static_cast<uint64_t>(row)).seed();
  return static_cast<int64_t>(mixed % static_cast<uint64_t>(buckets));
}

// A device that does not hold the text is in its bucket with probability 1 / buckets.
double HoldersOf(const std::string& text, const Sketch& sketch, int64_t devices) {
  const StringHash hash(text);
  const double buckets = static_cast<double>(sketch.buckets);
  double sum = 0;
  for (int64_t row = 0; row < sketch.rows; ++row) {
    sum +=
        sketch
            .devices[static_cast<size_t>(row * sketch.buckets + hash.Bucket(row, sketch.buckets))];
  }
  return (sum - static_cast<double>(devices) / buckets) * buckets / (buckets - 1);
}

Sketch CountMeanSketch(const StringPopulation& population, double epsilon,
                       simulation::Generator& random) {
  const Oracle bits = Sue(epsilon);
  Sketch sketch;
  for (const auto& row : HashedHolders(population, sketch.rows, sketch.buckets, random)) {
    const int64_t devices = SumOf(row);
    for (const int64_t holders : row) {
      const int64_t ones =
          Binomial(holders, bits.holder, random) + Binomial(devices - holders, bits.other, random);
      sketch.devices.push_back(
          (static_cast<double>(ones) - bits.other * static_cast<double>(devices)) /
          (bits.holder - bits.other));
    }
  }
  return sketch;
}

int64_t OrrBuckets(double epsilon) {
  return std::clamp<int64_t>(std::llround(std::exp(std::min(epsilon, 30.0)) + 1), 2,
                             kSketchBuckets);
}

// With probability gamma a report is uniform over all buckets, else true: k-ary randomised
// response.
Sketch OrrSketch(const StringPopulation& population, double epsilon,
                 simulation::Generator& random) {
  Sketch sketch{.buckets = OrrBuckets(epsilon)};
  const double buckets = static_cast<double>(sketch.buckets);
  const double gamma = buckets * Grr(buckets, epsilon).other;
  const std::vector<double> even(static_cast<size_t>(sketch.buckets), 1.0);
  for (const auto& row : HashedHolders(population, sketch.rows, sketch.buckets, random)) {
    std::vector<int64_t> said;
    int64_t uniform = 0;
    for (const int64_t holders : row) {
      const int64_t lost = Binomial(holders, gamma, random);
      said.push_back(holders - lost);
      uniform += lost;
    }
    const std::vector<int64_t> spread = Multinomial(uniform, even, random);
    const double expected = gamma * static_cast<double>(SumOf(row)) / buckets;
    for (size_t bucket = 0; bucket < said.size(); ++bucket) {
      sketch.devices.push_back((static_cast<double>(said[bucket] + spread[bucket]) - expected) /
                               (1 - gamma));
    }
  }
  return sketch;
}

std::vector<FoundText> LargestOf(const Sketch& sketch, const StringPopulation& population,
                                 int64_t top) {
  std::vector<FoundText> found;
  for (const HeldString& held : population.strings) {
    found.push_back({held.text, HoldersOf(held.text, sketch, population.devices)});
  }
  const size_t many = std::min(found.size(), static_cast<size_t>(top));
  std::partial_sort(found.begin(), found.begin() + static_cast<ptrdiff_t>(many), found.end(),
                    [](const FoundText& a, const FoundText& b) { return a.devices > b.devices; });
  found.resize(many);
  return found;
}

}  // namespace tombola::lab
