// Data sets that are drawn from a law, because the paper's own are not defined in it or not to be
// had.
#ifndef TOMBOLA_LAB_DATA_SYNTHETIC_H_
#define TOMBOLA_LAB_DATA_SYNTHETIC_H_

#include <cstdint>
#include <vector>

#include "lab/data/population.h"

namespace tombola::lab {

// A key by its law: a device holds it with this probability, independently of every other key, and
// its value is uniform within +-min(0.2, 1 - |mean|) of the mean.
struct KeyLaw {
  double frequency = 0;  // [0, 1]
  double mean = 0;       // [-1, 1]
};

// k = 1, 2, ... is the number of a key, d how many there are.
// GAUSS: d = 100, b(k) = exp(-((k - 50.5) / 20)^2 / 2), frequency b/2, mean 2b - 1.
std::vector<KeyLaw> Gauss();
// LNR: d = 100, frequency 0.005 k, mean 2k/100 - 1.
std::vector<KeyLaw> Lnr();
// SPARSE: d = 1,000, frequency 0.5/k, mean 0.8 cos(k).
std::vector<KeyLaw> Sparse();

// `users` devices, each drawn from the laws of its keys by the seed.
Population DrawPopulation(absl::Span<const KeyLaw> laws, int64_t users, uint64_t seed);

// A stand-in for logs of which only size and sparsity are known. A device has an activity a, gamma
// distributed with shape 3 and mean 1, and holds key k with probability 1 - exp(-a c / k^0.7),
// where c is such that a device holds `mean_length` of `keys` keys on average; means of values as
// SPARSE's. 0 < mean_length < keys.
struct StandIn {
  int64_t users = 0;
  int64_t keys = 0;
  double mean_length = 0;
};
// 60,822 devices, 306 keys, 6.9 % of all pairs held, as the paper says of TalkingData. (Fewer than
// 50 pairs hold 98 % there, 97 % here.)
StandIn TalkingData();
// 105,180 users and 442 brands. The paper does not say how sparse JData is: 6.9 % here too.
StandIn JData();
Population DrawStandIn(const StandIn& like, uint64_t seed);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_DATA_SYNTHETIC_H_
