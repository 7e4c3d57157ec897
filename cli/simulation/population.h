// Who holds which of several things: the devices of a simulated set or key-value task.
#ifndef TOMBOLA_CLI_SIMULATION_POPULATION_H_
#define TOMBOLA_CLI_SIMULATION_POPULATION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "cli/simulation/data.h"
#include "common/kind/levels.h"

namespace tombola::simulation {

// A thing that a device holds, and the number that goes with it; 0 where there are no numbers.
struct Holding {
  uint32_t item = 0;
  float number = 0;
};

// The records of many devices, in 8 bytes a thing.
class Population {
 public:
  // Of all devices together.
  static constexpr int64_t kMostHoldings = 100000000;

  // One more device, which holds each of these once.
  void Add(absl::Span<const Holding> record);

  int64_t users() const { return static_cast<int64_t>(ends_.size()) - 1; }
  int64_t holdings() const { return static_cast<int64_t>(holdings_.size()); }
  absl::Span<const Holding> record(int64_t user) const {
    const auto at = static_cast<size_t>(user);
    return absl::MakeConstSpan(holdings_).subspan(ends_[at], ends_[at + 1] - ends_[at]);
  }

 private:
  std::vector<Holding> holdings_;
  std::vector<size_t> ends_ = {0};
};

// A made-up population by one of the laws of DataRequest, from its seed:
//   - a device holds 1 to `most` things, each number of them with the same probability;
//   - it draws them one after the other from the law, without those that it has;
//   - numbers are drawn in [-1, 1] and then stretched to the levels' range. Each key has a centre,
//     drawn uniformly from the hundredths of [-0.8, 0.8], and a holder's number is one of the 41
//     hundredths that are no further than 0.2 from it, with the same probability.
// `levels` says that there are numbers, by a count of 2 or more. most is in [1, *request.domain].
// InvalidArgument names the flag.
absl::StatusOr<Population> DrawPopulation(const DataRequest& request, int64_t most,
                                          const Levels& levels);

}  // namespace tombola::simulation

#endif  // TOMBOLA_CLI_SIMULATION_POPULATION_H_
