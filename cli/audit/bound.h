// From hits among samples to a lower bound on epsilon.
#ifndef TOMBOLA_CLI_AUDIT_BOUND_H_
#define TOMBOLA_CLI_AUDIT_BOUND_H_

#include <cstdint>

namespace tombola::cli {

// How often an event came about in independent trials.
struct Hits {
  int64_t hits = 0;
  int64_t trials = 0;  // >= 1, at least `hits`

  double rate() const { return static_cast<double>(hits) / static_cast<double>(trials); }
};

// A bound on the event's probability that is on the wrong side of the truth with probability at
// most `failure`, in (0, 1), whatever the truth (Clopper and Pearson, 1934): not an approximation.
// Pure functions, thread-safe.
double ProbabilityAtLeast(const Hits& hits, double failure);
double ProbabilityAtMost(const Hits& hits, double failure);

// If a mechanism is (epsilon, delta)-private, P(S) <= e^epsilon Q(S) + delta for every event S that
// was fixed before the trials. So from the hits of S on two neighbouring inputs,
//   epsilon >= ln((lower bound of P(S) - delta) / upper bound of Q(S)),
// but with probability at most `failure`, half of it for each bound. Never below 0.
double EpsilonAtLeast(const Hits& likely, const Hits& unlikely, double delta, double failure);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_AUDIT_BOUND_H_
