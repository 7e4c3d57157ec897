#include "lab/experiment/measure.h"

#include <algorithm>
#include <cmath>

#include "cli/simulation/generator.h"
#include "common/base/check.h"
#include "common/base/parallel.h"

namespace tombola::lab {
namespace {

using simulation::Generator;
using simulation::SeedSequence;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// One trial's numbers, in the order of the fields of Errors.
struct Observation {
  double frequency = kNone, mean = kNone, every_mean = kNone, top_frequency = kNone;
  std::array<double, kTops.size()> relative;
};

double Square(double x) { return x * x; }

class Observer {
 public:
  explicit Observer(const Population& population)
      : truth_(TruthOf(population)),
        held_(MostHeld(truth_, population.keys())),
        top_(held_.begin(), held_.begin() + std::min<int64_t>(kTopMeans, held_.size())) {}

  Observation Observe(const Estimates& estimates) const {
    Observation seen;
    seen.frequency = 0;
    for (size_t key = 0; key < truth_.size(); ++key) {
      seen.frequency += Square(estimates.frequencies[key] - truth_[key].frequency);
    }
    seen.frequency /= static_cast<double>(truth_.size());
    seen.top_frequency = 0;
    for (const int64_t key : top_) {
      seen.top_frequency += Square(estimates.frequencies[key] - truth_[key].frequency) /
                            static_cast<double>(top_.size());
    }
    if (!estimates.means.empty()) {
      seen.mean = MeanError(estimates, top_);
      seen.every_mean = MeanError(estimates, held_);
    }
    for (size_t i = 0; i < kTops.size(); ++i) seen.relative[i] = Relative(estimates, kTops[i]);
    return seen;
  }

 private:
  double MeanError(const Estimates& estimates, absl::Span<const int64_t> keys) const {
    double sum = 0;
    for (const int64_t key : keys) sum += Square(estimates.means[key] - truth_[key].mean);
    return sum / static_cast<double>(keys.size());
  }

  double Relative(const Estimates& estimates, int64_t top) const {
    if (static_cast<int64_t>(held_.size()) < top) return kNone;
    double sum = 0;
    for (int64_t i = 0; i < top; ++i) {
      const double f = truth_[held_[i]].frequency;
      sum += std::fabs(estimates.frequencies[held_[i]] - f) / f;
    }
    return sum / static_cast<double>(top);
  }

  std::vector<KeyTruth> truth_;
  std::vector<int64_t> held_, top_;
};

template <typename Field>
simulation::Mean Average(absl::Span<const Observation* const> trials, const Field& field) {
  std::vector<double> values;
  for (const Observation* trial : trials) values.push_back(field(*trial));
  return AverageOf(values);
}

Errors Summarise(absl::Span<const Observation* const> trials) {
  Errors errors;
  errors.frequency = Average(trials, [](const Observation& o) { return o.frequency; });
  errors.mean = Average(trials, [](const Observation& o) { return o.mean; });
  errors.every_mean = Average(trials, [](const Observation& o) { return o.every_mean; });
  errors.top_frequency = Average(trials, [](const Observation& o) { return o.top_frequency; });
  for (size_t i = 0; i < kTops.size(); ++i) {
    errors.relative[i] = Average(trials, [i](const Observation& o) { return o.relative[i]; });
  }
  return errors;
}

}  // namespace

simulation::Mean AverageOf(absl::Span<const double> trials) {
  const double count = static_cast<double>(trials.size());
  double mean = 0, squares = 0;
  for (const double value : trials) mean += value / count;
  for (const double value : trials) squares += Square(value - mean);
  return {mean, std::sqrt(squares / (count - 1) / count)};
}

const std::vector<KeyShare>& Predictor::Shares(int64_t items) {
  auto found = shares_.find(items);
  if (found == shares_.end()) {
    found = shares_.emplace(items, SharesOf(population_, items)).first;
  }
  return found->second;
}

double Predictor::FrequencyError(const Method& method) {
  double sum = 0;
  for (const KeyShare& key : Shares(method.items())) {
    const std::optional<double> variance = method.FrequencyVariance(key);
    if (!variance.has_value()) return kNone;
    sum += *variance + Square((key.kept - key.holders) / key.users);
  }
  return sum / static_cast<double>(population_.keys());
}

double Predictor::Bias(int64_t items) {
  double sum = 0;
  for (const KeyShare& key : Shares(items)) sum += Square((key.kept - key.holders) / key.users);
  return std::sqrt(sum / static_cast<double>(population_.keys()));
}

std::vector<std::vector<Errors>> Measure(const Population& population, absl::Span<const Line> lines,
                                         const MeasureOptions& options) {
  TOMBOLA_CHECK(options.trials >= 1);
  const Observer observer(population);
  // By trial, line and point.
  std::vector<std::vector<std::vector<Observation>>> seen(options.trials);
  ForEachIndex(options.trials, options.threads, [&](size_t number) {
    Trial trial(population, SeedSequence(options.seed).Add(static_cast<uint64_t>(number)).seed());
    for (const Line& line : lines) {
      std::vector<Observation>& row = seen[number].emplace_back();
      for (size_t at = 0; at < line.points.size(); ++at) {
        Generator noise(SeedSequence(options.seed)
                            .Add(static_cast<uint64_t>(number))
                            .Add(line.name)
                            .Add(static_cast<uint64_t>(at))
                            .seed());
        row.push_back(observer.Observe(line.points[at].method->Run(trial, noise)));
      }
    }
    if (options.trial_done) options.trial_done();
  });
  Predictor predictor(population);
  std::vector<std::vector<Errors>> errors(lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    for (size_t at = 0; at < lines[i].points.size(); ++at) {
      std::vector<const Observation*> trials;
      trials.reserve(seen.size());
      for (const auto& trial : seen) trials.push_back(&trial[i][at]);
      errors[i].push_back(Summarise(trials));
      errors[i].back().predicted = predictor.FrequencyError(*lines[i].points[at].method);
    }
  }
  return errors;
}

}  // namespace tombola::lab
