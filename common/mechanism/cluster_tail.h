// How many messages of noise a device may have to send.
#ifndef TOMBOLA_COMMON_MECHANISM_CLUSTER_TAIL_H_
#define TOMBOLA_COMMON_MECHANISM_CLUSTER_TAIL_H_

#include <cstdint>

#include "absl/types/span.h"

namespace tombola::mechanism {

// The success probability p of a logarithmic law, Pr[X = k] proportional to p^k / k, in the forms
// that keep their digits at both ends.
struct LogarithmicSuccess {
  double p = 0;
  double rest = 0;      // 1 - p
  double log_p = 0;     // ln p
  double log_rest = 0;  // ln(1 - p)

  // success / 2^64, success >= 1.
  static LogarithmicSuccess Of(uint64_t success);
};

// A Poisson number of clusters, each of a logarithmic size, of which every member is `weight`
// messages.
struct Clusters {
  double rate = 0;  // expected number, > 0
  LogarithmicSuccess sizes;
  double weight = 1;
};

// Pr[all messages together > most], bounded from above: Chernoff's inequality with the moment
// generating function of compound Poisson laws, exp(rate (ln(1 - p e^(t weight)) / ln(1 - p) - 1)).
// Rounded up, at most 1. Pure and thread-safe.
double ClusterTail(absl::Span<const Clusters> clusters, int64_t most);

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_MECHANISM_CLUSTER_TAIL_H_
