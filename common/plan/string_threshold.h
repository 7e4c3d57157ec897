// How many devices must hold a string before it stands out.
#ifndef TOMBOLA_COMMON_PLAN_STRING_THRESHOLD_H_
#define TOMBOLA_COMMON_PLAN_STRING_THRESHOLD_H_

#include <cstdint>

namespace tombola::mechanism {

// Pr[X >= least] of a Poisson law of this mean > 0, to about 1e-12 relative.
double PoissonTail(double mean, int64_t least);

// The smallest t with candidates * Pr[X >= t] <= level for X of that law: what chance alone lifts
// no candidate to.
int64_t ChanceThreshold(double mean, double candidates, double level);

// The mean at which X reaches `threshold` >= 1 with this probability in (0, 1), to 1e-9 relative.
double MeanReaching(int64_t threshold, double probability);

// What decides whether a string is found.
struct StringSearch {
  double by_chance = 0;   // what each level's statistic is if nobody holds the string
  double of_holder = 0;   // what a holder adds to it on average
  bool surely = false;    // whether each adds exactly that, not by chance
  int64_t levels = 0;     // at all of which it must stand out
  double candidates = 0;  // of a level
  double alpha = 0.05;    // of finding anything that nobody holds
  double power = 0.9;     // with which the string is to be found
};

struct StringThreshold {
  int64_t statistic = 0;  // from which on a candidate stands out
  double holders = 0;     // with whom a string does, at all levels together with that power
};

// What is there by chance, and what holders add by chance, are taken as Poisson numbers, and levels
// as independent. Pure.
StringThreshold ThresholdOf(const StringSearch& search);

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_PLAN_STRING_THRESHOLD_H_
