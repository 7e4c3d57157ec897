#include "lab/key_value/length.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "cli/simulation/distributions.h"

namespace tombola::lab {
namespace {

using simulation::Binomial;
using simulation::Generator;
using simulation::Multinomial;

constexpr double kGrowth = 1.2;

std::vector<int64_t> Thresholds(int64_t keys) {
  std::vector<int64_t> thresholds;
  for (double power = 1;; power *= kGrowth) {
    const int64_t next = std::min(keys, static_cast<int64_t>(std::ceil(power)));
    if (thresholds.empty() || next > thresholds.back()) thresholds.push_back(next);
    if (next == keys) return thresholds;
  }
}

// The nearest non-decreasing sequence in weighted squares.
std::vector<double> Monotone(absl::Span<const double> values, absl::Span<const double> weights) {
  struct Block {
    double value, weight;
    size_t size;
  };
  std::vector<Block> blocks;
  for (size_t i = 0; i < values.size(); ++i) {
    Block block = {values[i], weights[i], 1};
    while (!blocks.empty() && blocks.back().value > block.value) {
      const Block& before = blocks.back();
      const double weight = before.weight + block.weight;
      block.value = (before.value * before.weight + block.value * block.weight) / weight;
      block.weight = weight;
      block.size += before.size;
      blocks.pop_back();
    }
    blocks.push_back(block);
  }
  std::vector<double> monotone;
  for (const Block& block : blocks) monotone.insert(monotone.end(), block.size, block.value);
  return monotone;
}

// How many devices drew each threshold, and how many of them do not exceed it.
struct Groups {
  std::vector<int64_t> devices, within;
};
Groups DrawGroups(absl::Span<const int64_t> lengths, absl::Span<const int64_t> thresholds,
                  Generator& random) {
  Groups groups = {std::vector<int64_t>(thresholds.size(), 0),
                   std::vector<int64_t>(thresholds.size(), 0)};
  const std::vector<double> alike(thresholds.size(), 1.0);
  for (size_t length = 0; length < lengths.size(); ++length) {
    if (lengths[length] == 0) continue;
    const std::vector<int64_t> drew = Multinomial(lengths[length], alike, random);
    for (size_t j = 0; j < thresholds.size(); ++j) {
      groups.devices[j] += drew[j];
      if (static_cast<int64_t>(length) <= thresholds[j]) groups.within[j] += drew[j];
    }
  }
  return groups;
}

}  // namespace

int64_t OetlLength(absl::Span<const int64_t> lengths, double epsilon, Generator& random) {
  const size_t keys = lengths.size() - 1;
  // Randomised response as a mixture: the truth, or with probability `uniform` any length alike.
  const double uniform =
      static_cast<double>(keys) / (std::exp(epsilon) + static_cast<double>(keys - 1));
  std::vector<int64_t> said(keys, 0);
  int64_t noise = 0, devices = 0;
  for (size_t length = 0; length <= keys; ++length) {
    const int64_t turned = Binomial(lengths[length], uniform, random);
    said[std::max<size_t>(length, 1) - 1] += lengths[length] - turned;
    noise += turned;
    devices += lengths[length];
  }
  const std::vector<int64_t> uniformly = Multinomial(noise, std::vector<double>(keys, 1.0), random);
  const double expected = static_cast<double>(devices) * uniform / static_cast<double>(keys);
  double sum = 0;
  for (size_t i = 0; i < keys; ++i) {
    sum += (static_cast<double>(said[i] + uniformly[i]) - expected) / (1 - uniform);
    if (sum > kLengthShare * static_cast<double>(devices)) return static_cast<int64_t>(i) + 1;
  }
  return static_cast<int64_t>(keys);
}

int64_t ThresholdLength(absl::Span<const int64_t> lengths, double epsilon, Generator& random) {
  const std::vector<int64_t> thresholds = Thresholds(static_cast<int64_t>(lengths.size()) - 1);
  const Groups groups = DrawGroups(lengths, thresholds, random);
  const double keep = 1 / (1 + std::exp(-epsilon));
  std::vector<double> shares, weights;
  for (size_t j = 0; j < thresholds.size(); ++j) {
    const double devices = static_cast<double>(groups.devices[j]);
    const int64_t yes = Binomial(groups.within[j], keep, random) +
                        Binomial(groups.devices[j] - groups.within[j], 1 - keep, random);
    weights.push_back(std::max(devices, 1.0));
    shares.push_back((static_cast<double>(yes) / weights.back() - (1 - keep)) / (2 * keep - 1));
  }
  shares = Monotone(shares, weights);
  const auto above = std::find_if(shares.begin(), shares.end(),
                                  [](double share) { return share >= kLengthShare; });
  const size_t at = above - shares.begin();
  if (at == 0) return thresholds.front();
  if (at == shares.size()) return thresholds.back();
  const double part = (kLengthShare - shares[at - 1]) / (shares[at] - shares[at - 1]);
  const double below = static_cast<double>(thresholds[at - 1]);
  return std::llround(below + part * (static_cast<double>(thresholds[at]) - below));
}

}  // namespace tombola::lab
