// What a mechanism claims, beside what its real encoder can be seen to do.
#ifndef TOMBOLA_CLI_AUDIT_QUESTION_H_
#define TOMBOLA_CLI_AUDIT_QUESTION_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/audit/experiment.h"
#include "cli/audit/mechanism.h"
#include "common/random/random_source.h"

namespace tombola::cli {

// The flags of `tombola audit`.
struct AuditQuestion {
  AuditParameters parameters;
  // "local": one submission, as a shuffler that colludes sees it. "batch": a whole batch, as the
  // collector sees it. "memo": so many reports of one device by one memo, all of them. Empty: local
  // where the mechanism has a local epsilon, else batch.
  std::string scope;
  double delta = 1e-3;  // at which a batch's epsilon is claimed
  // Submissions, or batches, for each of two values. Absent: kLocalSamples or kBatchSamples.
  std::optional<int64_t> samples;
  double confidence = 0.99;
  int64_t reports = 20;  // of a memo
  // "step3": local_hash by Step3Encoder instead of the real encoder. "fresh_memo": a memo that is
  // drawn anew for each report. Empty: the real one.
  std::string plant;
};

inline constexpr int64_t kLocalSamples = 2'000'000;
inline constexpr int64_t kBatchSamples = 30'000;
inline constexpr int64_t kMemoSamples = 200'000;

struct AuditAnswer {
  std::string scope;
  // Mechanism::local_epsilon(), EpsilonAt(users, delta), or LocalEpsilonOf so many reports
  double claimed = 0;
  AuditFinding finding;
  int64_t samples = 0;

  // With the asked confidence the claim is wrong.
  bool refuted() const { return finding.lower_bound > claimed; }
};

// InvalidArgument names the flag and its bound; FailedPrecondition says why nothing is claimed.
// Takes time in proportion to the samples, for a batch times its devices.
absl::StatusOr<AuditAnswer> AnswerAudit(const AuditQuestion& question, RandomSource& random);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_AUDIT_QUESTION_H_
