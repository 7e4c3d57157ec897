// The collector's counts: drawn from their law without any device, or by the real path.
#ifndef TOMBOLA_CLI_SIMULATION_DRAW_COUNTS_H_
#define TOMBOLA_CLI_SIMULATION_DRAW_COUNTS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "cli/simulation/generator.h"
#include "cli/simulation/item_data.h"
#include "cli/simulation/record_data.h"
#include "common/mechanism/mechanism.h"
#include "common/random/random_source.h"
#include "common/ranges/range_tree.h"

namespace tombola::simulation {

// The counts of one batch in which truth[v] devices hold the value v, in O(domain). Where a device
// fills several cells truth[v] is how many fill v, pads included: their sum is a multiple of what a
// device fills.
//
// Where reports name values: the joint law of all counts, but for two things.
// The caps on a submission's messages are left out; what they change has a probability that is
// charged to delta. What devices draw from tables of whole numbers is drawn from the law that the
// tables approximate.
//
// Where reports hash: the count of each value has its exact law. The counts are drawn
// independently of each other, which they are not quite, because one report supports several
// values. A mean squared error before post-processing is therefore exact in expectation, one after
// it is not.
//
// Where reports are bits: the joint law.
//
// Where a device says some of the cells that it fills, likewise: each count has its exact law, and
// they are drawn independently.
//
// truth.size() == mechanism.domain_size().
std::vector<int64_t> DrawCounts(const mechanism::Mechanism& mechanism,
                                absl::Span<const int64_t> truth, Generator& random);

// The estimates of the central Laplace mechanism, which sees every value: each frequency with noise
// of scale 2 / (epsilon users), because who changes a value changes two counts by one.
std::vector<double> DrawLaplaceEstimates(absl::Span<const int64_t> truth, double epsilon,
                                         Generator& random);
// Their mean squared error, 8 / (epsilon users)^2.
double LaplaceSquaredError(int64_t users, double epsilon);

// The same by the real path, every device and every report, the shuffler's fakes
// included: the SDK's encoder and the collector's aggregator, with neither sealing nor shuffling in
// between, since neither changes a count. truth.size() == mechanism->domain_size().
std::vector<int64_t> RunDevices(const std::shared_ptr<const mechanism::Mechanism>& mechanism,
                                absl::Span<const int64_t> truth, RandomSource& random);

// The same for devices that fill several cells. The mechanism is for the cells of `data`.
std::vector<int64_t> RunItemDevices(const std::shared_ptr<const mechanism::Mechanism>& mechanism,
                                    const ItemData& data, Generator& random);

// The same for devices that hold records. The mechanism is for the cells of `data`.
std::vector<int64_t> RunRecordDevices(const std::shared_ptr<const mechanism::Mechanism>& mechanism,
                                      const RecordData& data, Generator& random);

// The same for devices with a number: counts[i] of them in leaf i, the one apart last if there is
// one, which fill a node on every level. The mechanism is for the cells of the tree.
std::vector<int64_t> RunNumberDevices(const std::shared_ptr<const mechanism::Mechanism>& mechanism,
                                      const RangeTree& tree, absl::Span<const int64_t> counts,
                                      Generator& random);
// How many of those devices fill each node.
std::vector<int64_t> FilledNodes(const RangeTree& tree, absl::Span<const int64_t> counts);

}  // namespace tombola::simulation

#endif  // TOMBOLA_CLI_SIMULATION_DRAW_COUNTS_H_
