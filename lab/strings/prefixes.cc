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

constexpr int kTreeHistBits = 48;  // of TreeHistShare
constexpr double kTreeAlpha = 0.05;
constexpr double kPower = 0.9;
constexpr size_t kMostNodes = 4096;

uint64_t NumberOf(char character, const std::string& characters) {
  if (characters.empty()) return static_cast<uint8_t>(character);
  const size_t at = characters.find(character);
  return 1 + (at == std::string::npos ? characters.size() : at);
}

char CharacterOf(uint64_t number, const std::string& characters) {
  if (characters.empty()) return static_cast<char>(number);
  return number <= characters.size() ? characters[number - 1] : '?';
}

// By prefix: devices of one group, and all devices of it.
struct Group {
  std::map<PackedString, int64_t> holders;
  int64_t devices = 0;
};

// Each device falls into one of the groups, uniformly; group i is about prefixes of bits(i) bits.
std::vector<Group> Split(const StringPopulation& population, const PrefixCode& code, int groups,
                         const std::function<int(int)>& bits, simulation::Generator& random) {
  std::vector<Group> all(static_cast<size_t>(groups));
  const std::vector<double> even(all.size(), 1.0);
  for (const HeldString& held : population.strings) {
    const PackedString word = PackedOf(held.text, code);
    const std::vector<int64_t> drawn = simulation::Multinomial(held.devices, even, random);
    for (size_t i = 0; i < all.size(); ++i) {
      if (drawn[i] == 0) continue;
      all[i].holders[word >> (code.bits() - bits(static_cast<int>(i)))] += drawn[i];
      all[i].devices += drawn[i];
    }
  }
  return all;
}

// A candidate, and the estimated share of the devices that hold it.
struct Node {
  PackedString prefix = 0;
  double share = 0;
};

std::vector<Node> Estimated(const Oracle& oracle, const Group& group,
                            const std::vector<PackedString>& candidates,
                            simulation::Generator& random) {
  std::vector<Node> nodes;
  nodes.reserve(candidates.size());
  const double devices = static_cast<double>(group.devices);
  for (const PackedString candidate : candidates) {
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

std::vector<PackedString> Extended(const std::vector<Node>& nodes, int bits) {
  std::vector<PackedString> candidates;
  for (const Node& node : nodes) {
    for (uint64_t own = 0; own < uint64_t{1} << bits; ++own) {
      candidates.push_back(node.prefix << bits | own);
    }
  }
  return candidates;
}

std::vector<FoundText> TextsOf(const std::vector<Node>& nodes, const PrefixCode& code,
                               int64_t devices) {
  std::vector<FoundText> found;
  found.reserve(nodes.size());
  for (const Node& node : nodes) {
    found.push_back({TextOf(node.prefix, code), node.share * static_cast<double>(devices)});
  }
  return found;
}

}  // namespace

PackedString PackedOf(const std::string& text, const PrefixCode& code) {
  PackedString word = 0;
  for (int i = 0; i < code.symbols; ++i) {
    const auto at = static_cast<size_t>(i);
    word = word << code.symbol_bits | (at < text.size() ? NumberOf(text[at], code.characters) : 0);
  }
  return word;
}

std::string TextOf(PackedString word, const PrefixCode& code) {
  std::string text;
  for (int shift = code.bits() - code.symbol_bits; shift >= 0; shift -= code.symbol_bits) {
    const auto number =
        static_cast<uint64_t>(word >> shift) & ((uint64_t{1} << code.symbol_bits) - 1);
    if (number == 0) break;
    text += CharacterOf(number, code.characters);
  }
  return text;
}

std::vector<FoundText> FindByPem(const StringPopulation& population, const PrefixCode& code,
                                 const PemSteps& steps, double epsilon, int64_t top,
                                 simulation::Generator& random) {
  const int groups = 1 + (code.bits() - steps.first) / steps.step;
  const std::vector<Group> split = Split(
      population, code, groups, [&](int group) { return steps.first + steps.step * group; },
      random);
  const Oracle oracle = Olh(epsilon);
  std::vector<PackedString> candidates = Extended({Node{}}, steps.first);
  std::vector<Node> best;
  for (const Group& group : split) {
    best = Estimated(oracle, group, candidates, random);
    best.resize(std::min(best.size(), static_cast<size_t>(top)));
    candidates = Extended(best, steps.step);
  }
  return TextsOf(best, code, population.devices);
}

std::vector<FoundText> FindByTreeHist(const StringPopulation& population, const PrefixCode& code,
                                      double epsilon, simulation::Generator& random) {
  const std::vector<Group> groups = Split(
      population, code, code.bits(), [](int group) { return group + 1; }, random);
  const Oracle oracle = OneBit(epsilon);
  std::vector<Node> kept = {Node{}};
  for (const Group& group : groups) {
    if (kept.empty()) break;
    const std::vector<PackedString> candidates = Extended(kept, 1);
    kept = Estimated(oracle, group, candidates, random);
    const double deviation =
        std::sqrt(oracle.Variance(/*share=*/0, static_cast<double>(group.devices)));
    const double least =
        deviation * collector::NormalTailQuantile(kTreeAlpha / code.bits() /
                                                  static_cast<double>(candidates.size()));
    const auto end = std::find_if(kept.begin(), kept.end(),
                                  [least](const Node& node) { return node.share < least; });
    kept.erase(end, kept.end());
    kept.resize(std::min(kept.size(), kMostNodes));
  }
  return TextsOf(kept, code, population.devices);
}

double TreeHistShare(double devices, double epsilon, double candidates) {
  const double deviation = std::sqrt(OneBit(epsilon).Variance(0, devices / kTreeHistBits));
  return deviation * (collector::NormalTailQuantile(kTreeAlpha / kTreeHistBits / candidates) +
                      collector::NormalTailQuantile(1 - kPower));
}

Oracle OneBit(double epsilon) {
  return {.holder = std::exp(epsilon) / (std::exp(epsilon) + 1), .other = 0.5};
}

}  // namespace tombola::lab
