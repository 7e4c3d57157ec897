// SHist (Bassily, Smith, "Local, private, efficient protocols for succinct histograms", 2015): a
// public function sorts strings into channels, so that heavy ones are alone there; each device says
// one bit of its string's codeword in its own channel, and a coin in all others.
#ifndef TOMBOLA_LAB_STRINGS_SUCCINCT_H_
#define TOMBOLA_LAB_STRINGS_SUCCINCT_H_

#include <cstdint>
#include <vector>

#include "cli/simulation/generator.h"
#include "lab/oracle/oracle.h"
#include "lab/strings/held.h"
#include "lab/strings/prefixes.h"

namespace tombola::lab {

inline constexpr int64_t kChannels = 1024;

// What a device says: in each channel the sign of one coordinate of the codeword, drawn afresh, and
// one bit of a frequency oracle of its whole string. `sign` is how often its own sign is said as it
// is; elsewhere both are said alike.
struct SuccinctLaw {
  double sign = 0;
  Oracle oracle;
};
// Each half has half of epsilon. (As printed a channel has a third, because a string that changes
// changes two of them; but in each of the two a coin stands against a sign, and both together give
// away no more than one where two signs stand against each other.)
SuccinctLaw SuccinctLawOf(double epsilon);

// The string of each channel, symbol by symbol: a symbol's codeword is a row of a Hadamard matrix,
// the likeliest is taken. Of these the ones that the oracle says to exceed chance, with probability
// alpha = 0.05 for all channels. One repetition; each number has its exact law, independently of
// the others'. code.symbol_bits at most 8.
std::vector<FoundText> FindBySuccinct(const StringPopulation& population, const PrefixCode& code,
                                      double epsilon, simulation::Generator& random);

// In the place of each coordinate the sum of all with the signs of its row; the size is a power of
// two.
void HadamardTransform(std::vector<double>& values);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_STRINGS_SUCCINCT_H_
