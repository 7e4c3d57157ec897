#include "cli/simulation/stream_experiment.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/simulation/draw_counts.h"
#include "cli/simulation/generator.h"
#include "common/base/status_macros.h"
#include "common/json/stream_plan.h"
#include "common/stream/structure.h"
#include "common/table/count_model.h"

namespace tombola::simulation {
namespace {

using mechanism::StreamPlanRequest;

StreamPlanRequest RequestOf(const StreamData& data, const StreamExperiment& experiment) {
  StreamPlanRequest request{.periods = static_cast<int64_t>(data.periods.size()),
                            .structure = experiment.structure,
                            .device_periods = experiment.device_periods};
  request.plan.honest = request.plan.submissions = data.users();
  request.plan.domain_size = data.domain();
  return request;
}

// The holders of each value in the first periods, none to all.
using Sums = std::vector<std::vector<int64_t>>;

Sums SumsOf(const StreamData& data) {
  Sums sums = {std::vector<int64_t>(static_cast<size_t>(data.domain()))};
  for (const Data& period : data.periods) {
    std::vector<int64_t> next = sums.back();
    for (size_t v = 0; v < next.size(); ++v) next[v] += period.counts[v];
    sums.push_back(std::move(next));
  }
  return sums;
}

// Of one trial, in the sum over values.
struct Squares {
  std::vector<double> totals;  // by period
  double single = 0;           // summed over periods
};

Squares OneTrial(const StreamRow& row, const StreamData& data, const Sums& sums, bool devices,
                 Generator& random) {
  const size_t values = static_cast<size_t>(data.domain());
  std::vector<std::vector<double>> off = {std::vector<double>(values)};
  Squares squares;
  for (size_t t = 1; t < sums.size(); ++t) {
    const auto begin = static_cast<size_t>(row.planned.layout->start(static_cast<int64_t>(t)));
    std::vector<int64_t> held = sums[t];
    for (size_t v = 0; v < values; ++v) held[v] -= sums[begin][v];
    const auto& node = row.planned.nodes[t - 1];
    const std::vector<int64_t> counts =
        devices ? RunDevices(node, held, random) : DrawCounts(*node, held, random);
    const mechanism::CountModel model = node->count_model();
    const mechanism::Tally tally{.submissions = static_cast<int64_t>(t - begin) * data.users()};
    std::vector<double> total = off[begin];
    double square = 0;
    for (size_t v = 0; v < values; ++v) {
      const double estimate =
          (static_cast<double>(counts[v]) - mechanism::Background(model, tally)) /
          mechanism::Signal(model);
      total[v] += estimate - static_cast<double>(held[v]);
      square += total[v] * total[v];
      const double alone = total[v] - off.back()[v];
      squares.single += alone * alone;
    }
    squares.totals.push_back(square);
    off.push_back(std::move(total));
  }
  return squares;
}

absl::Status SimulateRow(const StreamData& data, const Sums& sums, const TrialOptions& options,
                         StreamRow& row) {
  const double values = static_cast<double>(data.domain());
  const size_t periods = data.periods.size();
  const auto noisiest = static_cast<size_t>(
      std::max_element(row.predicted.begin(), row.predicted.end()) - row.predicted.begin());
  const auto trials = static_cast<size_t>(std::max<int64_t>(0, options.trials));
  std::vector<Squares> squares(trials);
  TOMBOLA_RETURN_IF_ERROR(ForEachTrial(options, [&](size_t i, Generator& random) {
    squares[i] = OneTrial(row, data, sums, options.devices, random);
    return absl::OkStatus();
  }));
  std::vector<double> mean, largest, single;
  row.measured.assign(periods, 0);
  for (const Squares& trial : squares) {
    double sum = 0;
    for (size_t t = 0; t < periods; ++t) {
      sum += trial.totals[t];
      row.measured[t] += trial.totals[t] / values / static_cast<double>(trials);
    }
    mean.push_back(sum / values / static_cast<double>(periods));
    largest.push_back(trial.totals[noisiest] / values);
    single.push_back(trial.single / values / static_cast<double>(periods));
  }
  row.mean = MeanOf(mean);
  row.largest = MeanOf(largest);
  row.single = MeanOf(single);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<StreamData> MakeStreamData(const DataRequest& request, int64_t periods) {
  if (periods < 1 || periods > stream::kMostSearchedPeriods) {
    return absl::InvalidArgumentError(
        absl::StrCat("--periods must be in [1, ", stream::kMostSearchedPeriods, "], is ", periods));
  }
  StreamData data;
  const bool file = FileOf(request).has_value();
  for (int64_t period = 0; period < periods; ++period) {
    if (period > 0 && file) {
      data.periods.push_back(data.periods.front());
      continue;
    }
    DataRequest of_period = request;
    if (period > 0) {
      of_period.seed = SeedSequence(request.seed).Add(static_cast<uint64_t>(period)).seed();
    }
    TOMBOLA_ASSIGN_OR_RETURN(Data made, MakeData(of_period));
    if (made.domain() > kMostStreamCounts / periods) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--domain times --periods must be at most 2^24, is ", made.domain() * periods));
    }
    data.periods.push_back(std::move(made));
  }
  return data;
}

std::vector<std::string> StreamMechanisms() { return {"correlated", "pure_dump", "aue", "grr"}; }

absl::StatusOr<std::vector<StreamRow>> PlanStreamRows(const StreamData& data,
                                                      const StreamExperiment& experiment) {
  for (const std::string& name : experiment.experiment.mechanisms) {
    const std::vector<std::string> known = StreamMechanisms();
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    return absl::InvalidArgumentError(absl::StrCat("--mechanism: ", name, " counts no stream; ",
                                                   absl::StrJoin(known, ", "), " do"));
  }
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<Row> targets, EmptyRows(experiment.experiment));
  std::vector<StreamRow> rows;
  for (const Row& target : targets) {
    StreamPlanRequest request = RequestOf(data, experiment);
    request.plan.epsilon = target.epsilon;
    request.plan.delta = target.delta;
    TOMBOLA_ASSIGN_OR_RETURN(std::vector<mechanism::StreamCandidate> candidates,
                             mechanism::PlanStream(request, target.name));
    for (mechanism::StreamCandidate& candidate : candidates) {
      StreamRow row{.epsilon = target.epsilon, .delta = target.delta};
      row.device = DeviceLevel(candidate, request);
      if (candidate.feasible) row.predicted = mechanism::TotalVariances(candidate, data.users());
      row.planned = std::move(candidate);
      rows.push_back(std::move(row));
    }
    if (experiment.experiment.planned) experiment.experiment.planned();
  }
  return rows;
}

absl::Status SimulateStreamRows(const StreamData& data, const StreamExperiment& experiment,
                                std::vector<StreamRow>& rows) {
  const Sums sums = SumsOf(data);
  SeedSequence seed(experiment.experiment.trials.seed);
  for (const int64_t count : sums.back()) seed.Add(static_cast<uint64_t>(count));
  for (StreamRow& row : rows) {
    if (!row.planned.feasible) continue;
    TrialOptions options = experiment.experiment.trials;
    options.seed = SeedSequence(seed.seed())
                       .Add(row.planned.mechanism)
                       .Add(mechanism::NameOf(row.planned.structure))
                       .Add(row.epsilon)
                       .Add(row.delta)
                       .seed();
    TOMBOLA_RETURN_IF_ERROR(SimulateRow(data, sums, options, row));
  }
  return absl::OkStatus();
}

}  // namespace tombola::simulation
