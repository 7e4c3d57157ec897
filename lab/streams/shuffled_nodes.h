// Running totals of a shuffled stream: noise of `pure_dump` and of `aue` on every node of a
// structure, composed over the nodes that a device's period is in. Lab only.
#ifndef TOMBOLA_LAB_STREAMS_SHUFFLED_NODES_H_
#define TOMBOLA_LAB_STREAMS_SHUFFLED_NODES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/stream/shares.h"
#include "common/stream/structure.h"
#include "lab/streams/noise.h"

namespace tombola::lab {

struct StreamTarget {
  double epsilon = 1, delta = 1e-6;
  int64_t devices = 0;  // of a period, all honest
  int64_t cells = 0;
};

enum class NodeNoise { kPoisson, kBinomial };  // pure_dump, aue

// Variances of the noise on a cell, by node from 1, that meet the target for one submission of a
// device: raise (A0 / share + b0), A0 = 2 / theta^2 and A0 + b0 the least Poisson mean of one
// batch, with the least `raise` from 1 on, to 0.1 %, at which every period that was looked at meets
// delta by the product of its nodes' laws.
struct ShuffledNodes {
  std::vector<double> variance;
  double raise = 1;
  double worst = 0;  // the largest delta of a period that was looked at, in terms of the target
  int64_t looked_at = 0;  // periods
  // Of a device, on average over the periods: its own in every node, and its noise.
  double messages = 0;
};

// Looks at `most` periods, or at all if there are no more: the first, the last, and others spread
// evenly. Shares of kL2. InvalidArgument and FailedPrecondition as the accountants'.
absl::StatusOr<ShuffledNodes> PlanShuffledNodes(const stream::Structure& structure,
                                                const stream::Shares& shares, NodeNoise noise,
                                                const StreamTarget& target, int64_t most);
TotalSpread SpreadOf(const stream::Structure& structure, const ShuffledNodes& nodes);

// The delta of nodes with noise of these variances, each over so many devices.
struct NoisyNode {
  double variance = 0;
  int64_t devices = 0;
};
absl::StatusOr<double> PeriodDelta(absl::Span<const NoisyNode> nodes, NodeNoise noise,
                                   double epsilon);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_STREAMS_SHUFFLED_NODES_H_
