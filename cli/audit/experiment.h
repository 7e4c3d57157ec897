// An empirical lower bound on epsilon from repeated trials.
#ifndef TOMBOLA_CLI_AUDIT_EXPERIMENT_H_
#define TOMBOLA_CLI_AUDIT_EXPERIMENT_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "cli/audit/bound.h"
#include "cli/audit/trial.h"
#include "common/random/random_source.h"

namespace tombola::cli {

struct AuditOptions {
  // Trials, 100 to 10^8. The first half chooses the events, the second bounds their probabilities.
  int64_t samples = 0;
  // The bound exceeds the true epsilon with probability at most 1 - this; in (0, 1).
  double confidence = 0.99;
  // Of the guarantee that is audited, in [0, 1): 0 for a local one.
  double delta = 0;
};

struct AuditFinding {
  double lower_bound = 0;
  // The event that it comes from: where it was the likelier, and where the less likely.
  Hits likely, unlikely;
  bool first_likelier = true;  // for the first of the trial's values, or for the second
};

// Looks for an event, scores above or below some threshold, that tells the trial's two values
// apart, and bounds epsilon from below by how well it does. Holds with the given confidence for
// whatever encoder, score and threshold: those only decide how high the bound is. A bound below the
// claim is therefore no proof of privacy, but one above it is, with that confidence, a proof that
// the claim is wrong.
//
// InvalidArgument names the option and its bound; else the status of the trial.
absl::StatusOr<AuditFinding> Audit(Trial& trial, const AuditOptions& options, RandomSource& random);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_AUDIT_EXPERIMENT_H_
