#include "lab/experiment/histograms.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "cli/simulation/data.h"
#include "cli/simulation/experiment.h"
#include "cli/simulation/generator.h"
#include "common/base/status_macros.h"
#include "lab/oracle/oracle.h"

namespace tombola::lab {
namespace {

using simulation::Generator;
using simulation::SeedSequence;

Errors MeasureOracle(const Oracle& oracle, const simulation::Data& data, int64_t trials,
                     Generator& noise) {
  const double users = static_cast<double>(data.users), values = static_cast<double>(data.domain());
  std::vector<double> seen;
  for (int64_t trial = 0; trial < trials; ++trial) {
    const std::vector<double> shares = EstimateShares(oracle, data.counts, noise);
    double sum = 0;
    for (size_t v = 0; v < shares.size(); ++v) {
      sum += std::pow(shares[v] - static_cast<double>(data.counts[v]) / users, 2);
    }
    seen.push_back(sum / values);
  }
  Errors errors;
  errors.frequency = AverageOf(seen);
  errors.predicted = 0;
  for (const int64_t count : data.counts) {
    errors.predicted += oracle.Variance(static_cast<double>(count) / users, users) / values;
  }
  return errors;
}

void AddOracles(const simulation::Data& data, const MeasureOptions& options,
                Comparison& comparison) {
  const double domain = static_cast<double>(data.domain());
  struct Entry {
    const char *name, *title;
    int style;
    std::function<Oracle(double)> make;
  };
  for (const Entry& entry :
       {Entry{"grr", "GRR", 5, [&](double epsilon) { return Grr(domain, epsilon); }},
        {"oue", "OUE", 1, Oue},
        {"olh", "OLH", 2, Olh}}) {
    Line& line = comparison.lines.emplace_back();
    line.name = entry.name;
    line.title = absl::StrCat(entry.title, ", no shuffler");
    line.style = entry.style;
    std::vector<Errors>& errors = comparison.errors.emplace_back();
    for (const double epsilon : StudyEpsilons()) {
      Generator noise(SeedSequence(options.seed).Add(entry.name).Add(epsilon).seed());
      errors.push_back(MeasureOracle(entry.make(epsilon), data, options.trials, noise));
      line.points.push_back({.local_epsilon = epsilon});
    }
  }
}

absl::Status AddShuffled(const simulation::Data& data, const MeasureOptions& options,
                         Comparison& comparison) {
  const simulation::Experiment experiment = {
      .mechanisms = {"grr", "local_hash", "pure_dump", std::string(simulation::kLaplace)},
      .epsilons = StudyEpsilons(),
      .deltas = {kStudyDelta},
      .trials = {.trials = options.trials, .seed = options.seed, .threads = options.threads}};
  TOMBOLA_ASSIGN_OR_RETURN(std::vector<simulation::Row> rows,
                           simulation::PlanRows(data, experiment));
  TOMBOLA_RETURN_IF_ERROR(simulation::SimulateRows(data, experiment, rows));
  for (size_t i = 0; i < experiment.mechanisms.size(); ++i) {
    const std::string& name = experiment.mechanisms[i];
    const bool central = name == simulation::kLaplace;
    Line& line = comparison.lines.emplace_back();
    line.name = absl::StrCat("shuffled_", name);
    line.title = central ? "Laplace (central)" : absl::StrCat(name, ", shuffled");
    line.style = static_cast<int>(i) + (central ? -3 : 3);
    line.dashed = true;
    std::vector<Errors>& errors = comparison.errors.emplace_back();
    for (const simulation::Row& row : rows) {
      if (row.name != name) continue;
      if (!row.feasible) return absl::FailedPreconditionError(row.reason);
      Errors& found = errors.emplace_back();
      found.frequency = row.errors.raw;
      found.predicted = row.predicted;
      Point& point = line.points.emplace_back();
      point.messages = central ? 0 : row.mechanism->expected_reports_per_submission();
      if (!central) point.local_epsilon = row.mechanism->local_epsilon();
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<HistogramStudy> StudyHistograms(int64_t users, int64_t domain,
                                               const MeasureOptions& options) {
  TOMBOLA_ASSIGN_OR_RETURN(
      const simulation::Data data,
      simulation::MakeData(
          {.source = "zipf:1.1", .users = users, .domain = domain, .seed = options.seed}));
  HistogramStudy study = {.users = users, .domain = domain};
  AddOracles(data, options, study.comparison);
  TOMBOLA_RETURN_IF_ERROR(AddShuffled(data, options, study.comparison));
  return study;
}

}  // namespace tombola::lab
