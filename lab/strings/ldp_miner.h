// LDPMiner (Qin et al., "Heavy hitter estimation over set-valued data with local differential
// privacy", 2016), of devices with one value each.
#ifndef TOMBOLA_LAB_STRINGS_LDP_MINER_H_
#define TOMBOLA_LAB_STRINGS_LDP_MINER_H_

#include <cstdint>
#include <vector>

#include "cli/simulation/generator.h"
#include "lab/strings/held.h"

namespace tombola::lab {

// Phase 1, with half of epsilon: one bit of a succinct histogram, and 2 `top` candidates. Phase 2,
// with the other half: one-hot bits over the candidates, all zero where the device holds none. The
// answer is the `top` best of phase 2. The list of all strings that are held must be known: an
// advantage that PEM, TreeHist and Tombola do not have.
std::vector<FoundText> FindByLdpMiner(const StringPopulation& population, double epsilon,
                                      int64_t top, simulation::Generator& random);

// For how many devices times the variance of a share, where it is small, by phase; `items` is what
// a device's set is padded to.
struct LdpMinerNoise {
  double first = 0;   // items^2 ((e^(eps/2) + 1) / (e^(eps/2) - 1))^2
  double second = 0;  // items^2 e^(eps/4) / (e^(eps/4) - 1)^2
};
LdpMinerNoise NoiseOfLdpMiner(double epsilon, double items);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_STRINGS_LDP_MINER_H_
