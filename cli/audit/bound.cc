#include "cli/audit/bound.h"

#include <cmath>

#include "common/accounting/binomial.h"

namespace tombola::cli {
namespace {

using accounting::Binomial;

// Halvings of an interval of probabilities: beyond the digits of a double.
constexpr int kHalvings = 80;

}  // namespace

// Pr[X >= hits] rises with the probability of the event; the bound is where it reaches `failure`,
// taken from the side where it has not.
double ProbabilityAtLeast(const Hits& hits, double failure) {
  if (hits.hits == 0) return 0;
  double low = 0;
  double high = hits.rate();
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    const Binomial law{hits.trials, middle, 1 - middle};
    (BinomialUpperTail(law, hits.hits) <= failure ? low : high) = middle;
  }
  return low;
}

// The same for the complement, searched in the event's own probability: small ones keep their
// digits.
double ProbabilityAtMost(const Hits& hits, double failure) {
  if (hits.hits == hits.trials) return 1;
  double low = hits.rate();
  double high = 1;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    const Binomial law{hits.trials, middle, 1 - middle};
    (BinomialLowerTail(law, hits.hits) <= failure ? high : low) = middle;
  }
  return high;
}

double EpsilonAtLeast(const Hits& likely, const Hits& unlikely, double delta, double failure) {
  const double p = ProbabilityAtLeast(likely, failure / 2) - delta;
  const double q = ProbabilityAtMost(unlikely, failure / 2);
  return p > q ? std::log(p / q) : 0;
}

}  // namespace tombola::cli
