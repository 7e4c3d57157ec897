// Heavy strings by prefixes and local oracles: PEM and TreeHist. Each device is in one group, which
// reports one level, so that epsilon is spent once.
#ifndef TOMBOLA_LAB_STRINGS_PREFIXES_H_
#define TOMBOLA_LAB_STRINGS_PREFIXES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cli/simulation/generator.h"
#include "lab/oracle/oracle.h"
#include "lab/strings/held.h"

namespace tombola::lab {

// How a string becomes bits, of which prefixes are asked: its symbols one after the other, filled
// up with zeros, longer ones cut.
struct PrefixCode {
  int symbol_bits = 8;
  int symbols = 6;  // with their bits at most 120
  // The i-th of these has the number i + 1, every other character the one after them all, written
  // as '?'. Empty: bytes stand for themselves, and no string has a zero byte.
  std::string characters;

  int bits() const { return symbol_bits * symbols; }
};
using PackedString = unsigned __int128;
PackedString PackedOf(const std::string& text, const PrefixCode& code);
std::string TextOf(PackedString word, const PrefixCode& code);

// PEM (Wang, Li, Jha, "Locally differentially private heavy hitter identification", 2019): a first
// group reports so many bits, each further one `step` more, by optimised local hashing. The `top`
// best prefixes of a group are extended in all ways; the last group's estimates are the answer, its
// `top` best.
struct PemSteps {
  int first = 16;
  int step = 8;
};
std::vector<FoundText> FindByPem(const StringPopulation& population, const PrefixCode& code,
                                 const PemSteps& steps, double epsilon, int64_t top,
                                 simulation::Generator& random);

// TreeHist (Bassily, Nissim, Stemmer, Thakurta, "Practical locally private heavy hitters", 2017):
// a group for each bit; a report is one bit of a Hadamard transform. Prefixes are extended that
// exceed chance among all candidates of all levels with probability alpha = 0.05, at most 4,096 of
// a level. Collisions within the sketch, which the published method has besides, are left out.
std::vector<FoundText> FindByTreeHist(const StringPopulation& population, const PrefixCode& code,
                                      double epsilon, simulation::Generator& random);
// The share of devices that must hold a string of 48 bits for TreeHist to find it with probability
// 90 % at the last level, if `candidates` are looked at there.
double TreeHistShare(double devices, double epsilon, double candidates);

// One bit: of a device's own value with probability e^epsilon / (e^epsilon + 1), of others a coin.
Oracle OneBit(double epsilon);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_STRINGS_PREFIXES_H_
