#include "lab/strings/prefixes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "cli/simulation/distributions.h"
#include "collector/estimate/normal.h"

namespace tombola::lab {
namespace {

constexpr int kPemFirst = 16;
constexpr int kPemStep = 8;
constexpr int kPemGroups = 5;
constexpr double kTreeAlpha = 0.05;
constexpr double kPower = 0.9;
constexpr size_t kMostNodes = 4096;

uint64_t PackedOf(const std::string& text) {
  uint64_t word = 0;
  for (size_t i = 0; i < kPrefixBits / 8; ++i) {
    word = word << 8 | (i < text.size() ? static_cast<uint8_t>(text[i]) : 0);
  }
  return word;
}

std::string TextOf(uint64_t word) {
  std::string text;
  for (int shift = kPrefixBits - 8; shift >= 0; shift -= 8) {
    const auto byte = static_cast<char>(word >> shift & 0xFF);
    if (byte == 0) break;
    text += byte;
  }
  return text;
}

// By prefix: devices of one group, and all devices of it.
struct Group {
  std::map<uint64_t, int64_t> holders;
  int64_t devices = 0;
};

// Each device falls into one of the groups, uniformly; group i is about prefixes of bits(i) bits.
std::vector<Group> Split(const StringPopulation& population, int groups,
                         const std::function<int(int)>& bits, simulation::Generator& random) {
  std::vector<Group> all(static_cast<size_t>(groups));
  const std::vector<double> even(all.size(), 1.0);
  for (const HeldString& held : population.strings) {
    const uint64_t word = PackedOf(held.text);
    const std::vector<int64_t> drawn = simulation::Multinomial(held.devices, even, random);
    for (size_t i = 0; i < all.size(); ++i) {
      if (drawn[i] == 0) continue;
      all[i].holders[word >> (kPrefixBits - bits(static_cast<int>(i)))] += drawn[i];
      all[i].devices += drawn[i];
    }
  }
  return all;
}

// A candidate, and the estimated share of the devices that hold it.
struct Node {
  uint64_t prefix = 0;
  double share = 0;
};

std::vector<Node> Estimated(const Oracle& oracle, const Group& group,
                            const std::vector<uint64_t>& candidates,
                            simulation::Generator& random) {
  std::vector<Node> nodes;
  nodes.reserve(candidates.size());
  const double devices = static_cast<double>(group.devices);
  for (const uint64_t candidate : candidates) {
    const auto held = group.holders.find(candidate);
    const int64_t holders = held == group.holders.end() ? 0 : held->second;
    const int64_t support = simulation::Binomial(holders, oracle.holder, random) +
                            simulation::Binomial(group.devices - holders, oracle.other, random);
    nodes.push_back({candidate, (static_cast<double>(support) / devices - oracle.other) /
                                    (oracle.holder - oracle.other)});
  }
  std::sort(nodes.begin(), nodes.end(), [](const Node& a, const Node& b) {
    return a.share != b.share ? a.share > b.share : a.prefix < b.prefix;
  });
  return nodes;
}

std::vector<uint64_t> Extended(const std::vector<Node>& nodes, int bits) {
  std::vector<uint64_t> candidates;
  for (const Node& node : nodes) {
    for (uint64_t own = 0; own < uint64_t{1} << bits; ++own) {
      candidates.push_back(node.prefix << bits | own);
    }
  }
  return candidates;
}

std::vector<FoundText> TextsOf(const std::vector<Node>& nodes, int64_t devices) {
  std::vector<FoundText> found;
  found.reserve(nodes.size());
  for (const Node& node : nodes) {
    found.push_back({TextOf(node.prefix), node.share * static_cast<double>(devices)});
  }
  return found;
}

}  // namespace

std::vector<FoundText> FindByPem(const StringPopulation& population, double epsilon, int64_t top,
                                 simulation::Generator& random) {
  const auto bits = [](int group) { return kPemFirst + kPemStep * group; };
  const std::vector<Group> groups = Split(population, kPemGroups, bits, random);
  const Oracle oracle = Olh(epsilon);
  std::vector<uint64_t> candidates = Extended({Node{}}, kPemFirst);
  std::vector<Node> best;
  for (int i = 0; i < kPemGroups; ++i) {
    best = Estimated(oracle, groups[static_cast<size_t>(i)], candidates, random);
    best.resize(std::min(best.size(), static_cast<size_t>(top)));
    candidates = Extended(best, kPemStep);
  }
  return TextsOf(best, population.devices);
}

std::vector<FoundText> FindByTreeHist(const StringPopulation& population, double epsilon,
                                      simulation::Generator& random) {
  const std::vector<Group> groups = Split(
      population, kPrefixBits, [](int group) { return group + 1; }, random);
  const Oracle oracle = OneBit(epsilon);
  std::vector<Node> kept = {Node{}};
  for (const Group& group : groups) {
    if (kept.empty()) break;
    const std::vector<uint64_t> candidates = Extended(kept, 1);
    kept = Estimated(oracle, group, candidates, random);
    const double deviation =
        std::sqrt(oracle.Variance(/*share=*/0, static_cast<double>(group.devices)));
    const double least =
        deviation * collector::NormalTailQuantile(kTreeAlpha / kPrefixBits /
                                                  static_cast<double>(candidates.size()));
    const auto end = std::find_if(kept.begin(), kept.end(),
                                  [least](const Node& node) { return node.share < least; });
    kept.erase(end, kept.end());
    kept.resize(std::min(kept.size(), kMostNodes));
  }
  return TextsOf(kept, population.devices);
}

double TreeHistShare(double devices, double epsilon, double candidates) {
  const double deviation = std::sqrt(OneBit(epsilon).Variance(0, devices / kPrefixBits));
  return deviation * (collector::NormalTailQuantile(kTreeAlpha / kPrefixBits / candidates) +
                      collector::NormalTailQuantile(1 - kPower));
}

Oracle OneBit(double epsilon) {
  return {.holder = std::exp(epsilon) / (std::exp(epsilon) + 1), .other = 0.5};
}

}  // namespace tombola::lab
