// When to try again what has failed.
#ifndef TOMBOLA_SHUFFLER_FORWARD_PAUSES_H_
#define TOMBOLA_SHUFFLER_FORWARD_PAUSES_H_

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "common/base/ids.h"

namespace tombola::shuffler {

// A pause for each batch: 1 second after its first failure, twice as long after each further one,
// at most 5 minutes. Not thread-safe.
class Pauses {
 public:
  static constexpr absl::Duration kFirst = absl::Seconds(1);
  static constexpr absl::Duration kLongest = absl::Minutes(5);

  // Whether the batch may be tried: it has not failed, or its pause is over.
  bool Due(const BatchId& batch, absl::Time now) const;
  void Failed(const BatchId& batch, absl::Time now);
  void Succeeded(const BatchId& batch) { pauses_.erase(batch); }
  // What kept them from succeeding is over: all are due, as if they had never failed.
  void Reset() { pauses_.clear(); }

 private:
  struct Pause {
    absl::Duration length;
    absl::Time until;
  };
  absl::flat_hash_map<BatchId, Pause> pauses_;
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_FORWARD_PAUSES_H_
