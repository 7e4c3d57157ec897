// A mechanism from the numbers of a command line instead of from a task.
#ifndef TOMBOLA_CLI_AUDIT_MECHANISM_H_
#define TOMBOLA_CLI_AUDIT_MECHANISM_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/mechanism/mechanism.h"

namespace tombola::cli {

// The flags of `tombola audit` that make a mechanism, each taken by those that have it. The
// defaults are small on purpose: an audit needs thousands of batches, and the fewer devices hide
// each other the more it can tell.
struct AuditParameters {
  std::string mechanism;
  int64_t domain = 16;       // values
  uint64_t range = 16;       // hash buckets: a prime >= sqrt(domain), or a power of two
  double local_epsilon = 3;  // of one randomised report by itself
  int64_t users = 200;       // devices in a batch, over which noise is spread
  double dummies = 20;       // expected dummies for one value that all users send
  int64_t fakes = 50;        // uniform reports that the shuffler adds
  double noise_epsilon = 0.45, shape = 5, flood = 0.85;  // of accounting::CorrelatedNoise
  int64_t bits = 32, hashes = 2;                         // of mechanism::BloomOptions
  double prr = 0.5, irr_p = 0.5, irr_q = 0.75;           // of accounting::Rappor
};

// InvalidArgument names the flag and its bound, or the field of the mechanism that it becomes.
absl::StatusOr<std::shared_ptr<const mechanism::Mechanism>> MakeAudited(
    const AuditParameters& parameters);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_AUDIT_MECHANISM_H_
