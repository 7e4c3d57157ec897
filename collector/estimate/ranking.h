// Which values are surely among the largest.
#ifndef TOMBOLA_COLLECTOR_ESTIMATE_RANKING_H_
#define TOMBOLA_COLLECTOR_ESTIMATE_RANKING_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "collector/estimate/interval.h"

namespace tombola::collector {

// What is sure of one value: its frequency is in [low, high], and among all values of the domain,
// the largest being the first, it has a place of best to worst. Values whose places overlap may be
// ties.
struct Place {
  double low = 0;
  double high = 1;
  uint64_t best = 1;
  uint64_t worst = 1;
};

// The order of a domain's true frequencies, as far as the band tells it: where no interval of the
// band misses, all that is said here is true at once, of ties in any order. 16 bytes a value, and
// their sorting. Immutable and thread-safe.
class Ranking {
 public:
  // One raw estimate for each value of the domain.
  Ranking(absl::Span<const double> raw, const Band& band);

  // Of a value of the domain with this raw estimate.
  Place Of(double raw) const;

  // Of how many values the best place is at most `top`, at least 1: the largest are among these.
  uint64_t Possible(uint64_t top) const;
  // How many values have a frequency above 0.
  uint64_t held() const;

 private:
  Band band_;
  std::vector<double> lows_, highs_;  // ascending
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_ESTIMATE_RANKING_H_
