#include "cli/audit/experiment.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"

namespace tombola::cli {
namespace {

// Thresholds tried: one for every ~15 % of the tail's probability.
constexpr double kTailStep = 0.85;

// An event: the score is at least a threshold, or at most. It speaks for the first value or for the
// second, its `likely` side.
struct Event {
  bool first_likelier;
  double threshold = 0;
  Hits likely, unlikely;

  // Scores so that high ones speak for the event.
  double Likely(const Scores& scores) const {
    return first_likelier ? scores.first : -scores.second;
  }
  double Unlikely(const Scores& scores) const {
    return first_likelier ? scores.second : -scores.first;
  }

  void Count(const Scores& scores) {
    ++likely.trials;
    ++unlikely.trials;
    if (Likely(scores) >= threshold) ++likely.hits;
    if (Unlikely(scores) >= threshold) ++unlikely.hits;
  }
};

// How many of these, sorted from high to low, are at least the threshold.
Hits HitsOf(const std::vector<double>& sorted, double threshold) {
  const auto end = std::upper_bound(sorted.begin(), sorted.end(), threshold, std::greater<>());
  return {end - sorted.begin(), static_cast<int64_t>(sorted.size())};
}

// Sets the threshold that has the highest bound on these scores.
void ChooseThreshold(const std::vector<Scores>& scores, double delta, double failure,
                     Event* event) {
  std::vector<double> likely, unlikely;
  for (const Scores& one : scores) {
    likely.push_back(event->Likely(one));
    unlikely.push_back(event->Unlikely(one));
  }
  std::sort(likely.begin(), likely.end(), std::greater<>());
  std::sort(unlikely.begin(), unlikely.end(), std::greater<>());
  double best = -1;
  for (auto tail = static_cast<double>(likely.size()); tail >= 1; tail *= kTailStep) {
    const double threshold = likely[static_cast<size_t>(tail) - 1];
    const double bound =
        EpsilonAtLeast(HitsOf(likely, threshold), HitsOf(unlikely, threshold), delta, failure);
    if (bound <= best) continue;
    best = bound;
    event->threshold = threshold;
  }
}

absl::Status Validate(const AuditOptions& options) {
  if (options.samples < 100 || options.samples > 100'000'000) {
    return absl::InvalidArgumentError(
        absl::StrCat("samples must be in [100, 10^8], is ", options.samples));
  }
  if (!(options.confidence > 0 && options.confidence < 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("confidence must be in (0, 1), is ", options.confidence));
  }
  if (options.delta >= 0 && options.delta < 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("delta must be in [0, 1), is ", options.delta));
}

}  // namespace

absl::StatusOr<AuditFinding> Audit(Trial& trial, const AuditOptions& options,
                                   RandomSource& random) {
  TOMBOLA_RETURN_IF_ERROR(Validate(options));
  // Both events are bounded, so that each may fail with half of the probability.
  const double failure = (1 - options.confidence) / 2;
  Event events[] = {{.first_likelier = true}, {.first_likelier = false}};
  std::vector<Scores> chosen_on;
  for (int64_t i = 0; i < options.samples / 2; ++i) {
    TOMBOLA_ASSIGN_OR_RETURN(const Scores scores, trial.Run(random));
    chosen_on.push_back(scores);
  }
  for (Event& event : events) ChooseThreshold(chosen_on, options.delta, failure, &event);
  for (int64_t i = options.samples / 2; i < options.samples; ++i) {
    TOMBOLA_ASSIGN_OR_RETURN(const Scores scores, trial.Run(random));
    for (Event& event : events) event.Count(scores);
  }
  AuditFinding best{.lower_bound = -1};
  for (const Event& event : events) {
    const double bound = EpsilonAtLeast(event.likely, event.unlikely, options.delta, failure);
    if (bound <= best.lower_bound) continue;
    best = {bound, event.likely, event.unlikely, event.first_likelier};
  }
  return best;
}

}  // namespace tombola::cli
