// Heavy strings by prefixes and local oracles: PEM and TreeHist. Each device is in one group, which
// reports one level, so that epsilon is spent once.
#ifndef TOMBOLA_LAB_STRINGS_PREFIXES_H_
#define TOMBOLA_LAB_STRINGS_PREFIXES_H_

#include <cstdint>
#include <vector>

#include "cli/simulation/generator.h"
#include "lab/oracle/oracle.h"
#include "lab/strings/held.h"

namespace tombola::lab {

// Strings are 6 bytes: shorter ones are filled with zero bytes, longer ones cut.
inline constexpr int kPrefixBits = 48;

// PEM (Wang, Li, Jha, "Locally differentially private heavy hitter identification", 2019): groups
// report prefixes of 16, 24, 32, 40 and 48 bits by optimised local hashing. The `top` best prefixes
// of a group are extended by every byte; the last group's estimates are the answer, its `top` best.
std::vector<FoundText> FindByPem(const StringPopulation& population, double epsilon, int64_t top,
                                 simulation::Generator& random);

// TreeHist (Bassily, Nissim, Stemmer, Thakurta, "Practical locally private heavy hitters", 2017):
// 48 groups, one for each bit; a report is one bit of a Hadamard transform. Prefixes are extended
// that exceed chance among all candidates of all levels with probability alpha = 0.05, at most
// 4,096 of a level. Collisions within the sketch, which the published method has besides, are left
// out.
std::vector<FoundText> FindByTreeHist(const StringPopulation& population, double epsilon,
                                      simulation::Generator& random);
// The share of devices that must hold a string for TreeHist to find it with probability 90 % at the
// last level, if `candidates` are looked at there.
double TreeHistShare(double devices, double epsilon, double candidates);

// One bit: of a device's own value with probability e^epsilon / (e^epsilon + 1), of others a coin.
Oracle OneBit(double epsilon);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_STRINGS_PREFIXES_H_
