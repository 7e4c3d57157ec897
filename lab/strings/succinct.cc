#include "lab/strings/succinct.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "cli/simulation/distributions.h"
#include "collector/estimate/normal.h"
#include "lab/strings/sketches.h"

namespace tombola::lab {
namespace {

using simulation::Binomial;

constexpr double kSuccinctAlpha = 0.05;

struct Member {
  PackedString word = 0;
  int64_t devices = 0;
};

// Devices that say a coordinate's sign plus or minus, and those whose string is elsewhere.
struct Coordinate {
  double plus = 0, minus = 0, elsewhere = 0;
};

// The sum of the signs that are said of a coordinate, of `length` that devices draw from.
double SumOfSigns(const Coordinate& of, double length, double sign, simulation::Generator& random) {
  const auto drawn = [&](double devices) {
    return Binomial(std::llround(devices), 1 / length, random);
  };
  const int64_t plus = drawn(of.plus), minus = drawn(of.minus), elsewhere = drawn(of.elsewhere);
  const int64_t said = Binomial(plus, sign, random) + Binomial(minus, 1 - sign, random) +
                       Binomial(elsewhere, 0.5, random);
  return static_cast<double>(2 * said - plus - minus - elsewhere);
}

// What one channel's reports decode to.
PackedString DecodeChannel(const std::vector<Member>& members, const PrefixCode& code,
                           int64_t devices, double sign, simulation::Generator& random) {
  const size_t values = size_t{1} << code.symbol_bits;
  const double length = static_cast<double>(values) * code.symbols;
  double here = 0;
  for (const Member& member : members) here += static_cast<double>(member.devices);
  PackedString word = 0;
  for (int symbol = 0; symbol < code.symbols; ++symbol) {
    const int shift = code.symbol_bits * (code.symbols - 1 - symbol);
    std::vector<double> signs(values, 0.0);
    for (const Member& member : members) {
      signs[static_cast<size_t>(member.word >> shift) & (values - 1)] +=
          static_cast<double>(member.devices);
    }
    HadamardTransform(signs);  // devices whose sign is plus, less those whose sign is minus
    for (double& surplus : signs) {
      surplus = SumOfSigns({.plus = (here + surplus) / 2,
                            .minus = (here - surplus) / 2,
                            .elsewhere = static_cast<double>(devices) - here},
                           length, sign, random);
    }
    HadamardTransform(signs);
    const auto likeliest = std::max_element(signs.begin(), signs.end());
    word = word << code.symbol_bits | static_cast<uint64_t>(likeliest - signs.begin());
  }
  return word;
}

}  // namespace

void HadamardTransform(std::vector<double>& values) {
  for (size_t half = 1; half < values.size(); half *= 2) {
    for (size_t begin = 0; begin < values.size(); begin += 2 * half) {
      for (size_t i = begin; i < begin + half; ++i) {
        const double a = values[i], b = values[i + half];
        values[i] = a + b;
        values[i + half] = a - b;
      }
    }
  }
}

SuccinctLaw SuccinctLawOf(double epsilon) {
  const Oracle half = OneBit(epsilon / 2);
  return {.sign = half.holder, .oracle = half};
}

std::vector<FoundText> FindBySuccinct(const StringPopulation& population, const PrefixCode& code,
                                      double epsilon, simulation::Generator& random) {
  const SuccinctLaw law = SuccinctLawOf(epsilon);
  std::vector<std::vector<Member>> channels(kChannels);
  std::map<PackedString, int64_t> holders;
  for (const HeldString& held : population.strings) {
    const PackedString word = PackedOf(held.text, code);
    const int64_t channel = StringHash(held.text).Bucket(/*row=*/0, kChannels);
    channels[static_cast<size_t>(channel)].push_back({word, held.devices});
    holders[word] += held.devices;
  }
  const double all = static_cast<double>(population.devices);
  const double least = std::sqrt(law.oracle.Variance(/*share=*/0, all)) *
                       collector::NormalTailQuantile(kSuccinctAlpha / kChannels);
  std::vector<FoundText> found;
  for (const std::vector<Member>& members : channels) {
    const PackedString word = DecodeChannel(members, code, population.devices, law.sign, random);
    const auto held = holders.find(word);
    const int64_t with = held == holders.end() ? 0 : held->second;
    const int64_t support = Binomial(with, law.oracle.holder, random) +
                            Binomial(population.devices - with, law.oracle.other, random);
    const double share = (static_cast<double>(support) / all - law.oracle.other) /
                         (law.oracle.holder - law.oracle.other);
    if (share > least) found.push_back({TextOf(word, code), share * all});
  }
  std::sort(found.begin(), found.end(),
            [](const FoundText& a, const FoundText& b) { return a.devices > b.devices; });
  return found;
}

}  // namespace tombola::lab
