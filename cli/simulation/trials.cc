#include "cli/simulation/trials.h"

#include <algorithm>
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

using Trial = std::function<absl::StatusOr<std::vector<double>>(Generator&)>;

double SquaredError(absl::Span<const double> estimates, const Data& data) {
  double sum = 0;
  for (size_t v = 0; v < estimates.size(); ++v) {
    const double truth = static_cast<double>(data.counts[v]) / static_cast<double>(data.users);
    sum += (estimates[v] - truth) * (estimates[v] - truth);
  }
  return sum / static_cast<double>(estimates.size());
}

absl::StatusOr<Errors> Run(const Trial& trial, const Data& data, const TrialOptions& options) {
  std::vector<double> raw(static_cast<size_t>(std::max<int64_t>(options.trials, 0)));
  std::vector<double> pop(raw.size());
  TOMBOLA_RETURN_IF_ERROR(ForEachTrial(options, [&](size_t i, Generator& random) -> absl::Status {
    TOMBOLA_ASSIGN_OR_RETURN(const std::vector<double> estimates, trial(random));
    TOMBOLA_ASSIGN_OR_RETURN(const std::vector<double> projected, collector::Pop(estimates));
    raw[i] = SquaredError(estimates, data);
    pop[i] = SquaredError(projected, data);
    return absl::OkStatus();
  }));
  return Errors{.raw = MeanOf(raw), .pop = MeanOf(pop)};
}

}  // namespace

Mean MeanOf(absl::Span<const double> values) {
  const double number = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  const double mean = sum / number;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {.value = mean, .standard_error = std::sqrt(squares / (number - 1) / number)};
}

absl::Status ForEachTrial(const TrialOptions& options,
                          const std::function<absl::Status(size_t, Generator&)>& trial) {
  if (options.trials < 1 || options.trials > 1000000) {
    return absl::InvalidArgumentError("trials must be from 1 to 1000000");
  }
  std::vector<absl::Status> outcomes(static_cast<size_t>(options.trials));
  ForEachIndex(outcomes.size(), options.threads, [&](size_t i) {
    Generator random(SeedSequence(options.seed).Add(static_cast<uint64_t>(i)).seed());
    outcomes[i] = trial(i, random);
    if (options.trial_done) options.trial_done();
  });
  for (const absl::Status& outcome : outcomes) TOMBOLA_RETURN_IF_ERROR(outcome);
  return absl::OkStatus();
}

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
