#include "cli/simulation/trials.h"

#include <cmath>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "cli/simulation/draw_counts.h"
#include "cli/simulation/generator.h"
#include "collector/estimate/estimator.h"
#include "collector/postprocess/postprocess.h"
#include "common/base/parallel.h"
#include "common/base/status_macros.h"

namespace tombola::simulation {
namespace {

// Of one trial.
struct Outcome {
  double raw = 0;
  double pop = 0;
};

using Trial = std::function<absl::StatusOr<std::vector<double>>(Generator&)>;

double SquaredError(absl::Span<const double> estimates, const Data& data) {
  double sum = 0;
  for (size_t v = 0; v < estimates.size(); ++v) {
    const double truth = static_cast<double>(data.counts[v]) / static_cast<double>(data.users);
    sum += (estimates[v] - truth) * (estimates[v] - truth);
  }
  return sum / static_cast<double>(estimates.size());
}

absl::StatusOr<Outcome> Measure(const Trial& trial, const Data& data, uint64_t seed) {
  Generator random(seed);
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<double> raw, trial(random));
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<double> pop, collector::Pop(raw));
  return Outcome{.raw = SquaredError(raw, data), .pop = SquaredError(pop, data)};
}

Mean MeanOf(absl::Span<const Outcome> outcomes, double Outcome::*member) {
  const double trials = static_cast<double>(outcomes.size());
  double sum = 0, squares = 0;
  for (const Outcome& outcome : outcomes) sum += outcome.*member;
  const double mean = sum / trials;
  for (const Outcome& outcome : outcomes) {
    squares += (outcome.*member - mean) * (outcome.*member - mean);
  }
  return {.value = mean, .standard_error = std::sqrt(squares / (trials - 1) / trials)};
}

absl::StatusOr<Errors> Run(const Trial& trial, const Data& data, const TrialOptions& options) {
  if (options.trials < 1 || options.trials > 1000000) {
    return absl::InvalidArgumentError("trials must be from 1 to 1000000");
  }
  std::vector<Outcome> outcomes(static_cast<size_t>(options.trials));
  std::vector<absl::Status> failures(outcomes.size());
  ForEachIndex(outcomes.size(), options.threads, [&](size_t i) {
    const uint64_t seed = SeedSequence(options.seed).Add(static_cast<uint64_t>(i)).seed();
    const absl::StatusOr<Outcome> outcome = Measure(trial, data, seed);
    if (outcome.ok()) outcomes[i] = *outcome;
    failures[i] = outcome.status();
    if (options.trial_done) options.trial_done();
  });
  for (const absl::Status& failure : failures) TOMBOLA_RETURN_IF_ERROR(failure);
  return Errors{.raw = MeanOf(outcomes, &Outcome::raw), .pop = MeanOf(outcomes, &Outcome::pop)};
}

}  // namespace

absl::StatusOr<Errors> RunTrials(const std::shared_ptr<const mechanism::Mechanism>& mechanism,
                                 const Data& data, const TrialOptions& options) {
  if (mechanism->domain_size() != data.domain()) {
    return absl::InvalidArgumentError("the mechanism and the data have different domains");
  }
  const collector::Estimator estimator(*mechanism);
  const mechanism::Tally tally = {.submissions = data.users, .fakes = mechanism->fakes()};
  const auto trial = [&](Generator& random) -> absl::StatusOr<std::vector<double>> {
    const std::vector<int64_t> counts = options.devices
                                            ? RunDevices(mechanism, data.counts, random)
                                            : DrawCounts(*mechanism, data.counts, random);
    TOMBOLA_ASSIGN_OR_RETURN(collector::Estimates estimates, estimator.Estimate(counts, tally));
    return std::move(estimates.raw);
  };
  return Run(trial, data, options);
}

absl::StatusOr<Errors> RunLaplaceTrials(double epsilon, const Data& data,
                                        const TrialOptions& options) {
  const auto trial = [&](Generator& random) -> absl::StatusOr<std::vector<double>> {
    return DrawLaplaceEstimates(data.counts, epsilon, random);
  };
  return Run(trial, data, options);
}

}  // namespace tombola::simulation
