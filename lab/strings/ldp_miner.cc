#include "lab/strings/ldp_miner.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lab/oracle/oracle.h"
#include "lab/strings/prefixes.h"

namespace tombola::lab {
namespace {

// The places of the largest shares, largest first.
std::vector<size_t> Largest(const std::vector<double>& shares, size_t many) {
  std::vector<size_t> places(shares.size());
  std::iota(places.begin(), places.end(), size_t{0});
  many = std::min(many, places.size());
  std::partial_sort(places.begin(), places.begin() + static_cast<ptrdiff_t>(many), places.end(),
                    [&](size_t a, size_t b) { return shares[a] > shares[b]; });
  places.resize(many);
  return places;
}

}  // namespace

std::vector<FoundText> FindByLdpMiner(const StringPopulation& population, double epsilon,
                                      int64_t top, simulation::Generator& random) {
  std::vector<int64_t> counts;
  for (const HeldString& held : population.strings) counts.push_back(held.devices);
  const std::vector<double> first = EstimateShares(OneBit(epsilon / 2), counts, random);
  const std::vector<size_t> candidates = Largest(first, 2 * static_cast<size_t>(top));
  std::vector<int64_t> of_candidates;
  int64_t others = population.devices;
  for (const size_t place : candidates) {
    of_candidates.push_back(counts[place]);
    others -= counts[place];
  }
  of_candidates.push_back(others);
  std::vector<double> second = EstimateShares(Sue(epsilon / 2), of_candidates, random);
  second.pop_back();
  std::vector<FoundText> found;
  for (const size_t place : Largest(second, static_cast<size_t>(top))) {
    found.push_back({population.strings[candidates[place]].text,
                     second[place] * static_cast<double>(population.devices)});
  }
  return found;
}

LdpMinerNoise NoiseOfLdpMiner(double epsilon, double items) {
  return {.first = items * items * OneBit(epsilon / 2).Variance(0, 1),
          .second = items * items * Sue(epsilon / 2).Variance(0, 1)};
}

}  // namespace tombola::lab
