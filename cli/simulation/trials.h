// How far off the answer is, measured over many batches of the same data.
#ifndef TOMBOLA_CLI_SIMULATION_TRIALS_H_
#define TOMBOLA_CLI_SIMULATION_TRIALS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "cli/simulation/data.h"
#include "cli/simulation/generator.h"
#include "common/mechanism/mechanism.h"

namespace tombola::simulation {

struct TrialOptions {
  int64_t trials = 0;  // at least 1
  uint64_t seed = 0;
  // The real path (devices.h) instead of drawn counts: O(users) and more a trial.
  bool devices = false;
  int threads = 1;
  // Called after each trial, from any thread; may be null.
  std::function<void()> trial_done;
};

// A mean over trials.
struct Mean {
  double value = 0;
  double standard_error = 0;  // of `value`; NaN after a single trial
};

// Of at least one value.
Mean MeanOf(absl::Span<const double> values);

// Calls trial(i, random) for each trial, from any thread, with a generator of its own. The status
// of the first that fails; InvalidArgument for a number of trials out of bounds.
absl::Status ForEachTrial(const TrialOptions& options,
                          const std::function<absl::Status(size_t, Generator&)>& trial);

// Of the squared error of a frequency, averaged over the domain.
struct Errors {
  Mean raw;
  Mean pop;  // after post-processing by projection
};

// Each trial draws from a sequence of its own, so the result does not depend on the number of
// threads. InvalidArgument names the option and its bound; FailedPrecondition if the mechanism's
// reports say nothing about the values.
absl::StatusOr<Errors> RunTrials(const std::shared_ptr<const mechanism::Mechanism>& mechanism,
                                 const Data& data, const TrialOptions& options);

// The same for the central Laplace mechanism; options.devices has no meaning.
absl::StatusOr<Errors> RunLaplaceTrials(double epsilon, const Data& data,
                                        const TrialOptions& options);

}  // namespace tombola::simulation

#endif  // TOMBOLA_CLI_SIMULATION_TRIALS_H_
