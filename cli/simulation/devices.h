// The collector's counts by the real path: every device encodes, every report is aggregated.
#ifndef TOMBOLA_CLI_SIMULATION_DEVICES_H_
#define TOMBOLA_CLI_SIMULATION_DEVICES_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "common/mechanism/mechanism.h"
#include "common/random/random_source.h"

namespace tombola::simulation {

// The counts of one batch in which truth[v] devices hold the value v, the shuffler's fakes
// included: the SDK's encoder and the collector's aggregator, with neither sealing nor shuffling in
// between, since neither changes a count. truth.size() == mechanism->domain_size().
std::vector<int64_t> RunDevices(const std::shared_ptr<const mechanism::Mechanism>& mechanism,
                                absl::Span<const int64_t> truth, RandomSource& random);

}  // namespace tombola::simulation

#endif  // TOMBOLA_CLI_SIMULATION_DEVICES_H_
