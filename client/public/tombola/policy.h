// What a device demands of a task before it says anything.
#ifndef TOMBOLA_CLIENT_PUBLIC_TOMBOLA_POLICY_H_
#define TOMBOLA_CLIENT_PUBLIC_TOMBOLA_POLICY_H_

#include <cstdint>
#include <string>

namespace tombola {

// The device decides last: a task that is weaker than this in any field is refused before anything
// is encoded. The first six have no default; a policy that leaves one unset is refused.
struct Policy {
  // The largest epsilon and delta that a released batch may satisfy, for one submission.
  double max_epsilon = 0;
  double max_delta = 0;
  // The largest that all submissions which the task lets a device make may amount to together,
  // however they fall into batches. Infinity and 1 accept any.
  double max_total_epsilon = 0;
  double max_total_delta = 0;
  // The largest epsilon that may be left of one submission if shuffler and collector collude.
  // Infinity accepts mechanisms that leave nothing.
  double max_local_epsilon = 0;
  // The smallest batch in which the device is willing to hide.
  int64_t min_batch = 0;
  // The most submissions that the device makes for a task over its life.
  int64_t max_submissions = 1;
  // The most reports that a submission may have: what it costs to send. Mechanisms that add dummies
  // have a few on average and need room for many more, since the number is random.
  int64_t max_reports = 4096;
  // The collector's and the shuffler's long-term Ed25519 keys, 32 raw bytes each; empty: the ones
  // that the task names.
  std::string collector_key = {};
  std::string shuffler_key = {};
};

}  // namespace tombola

#endif  // TOMBOLA_CLIENT_PUBLIC_TOMBOLA_POLICY_H_
