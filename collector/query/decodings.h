// Searches for strings that take longer than anybody waits for a call.
#ifndef TOMBOLA_COLLECTOR_QUERY_DECODINGS_H_
#define TOMBOLA_COLLECTOR_QUERY_DECODINGS_H_

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "collector/decode/decoder.h"
#include "collector/store/batch_ledger.h"
#include "common/base/clock.h"
#include "common/base/mutex.h"
#include "common/base/work_pool.h"
#include "common/crypto/sha256.h"

namespace tombola::collector {

struct DecodingLimits {
  int64_t waiting = 4;                          // searches that are under way or wait for it
  int64_t kept = 16;                            // outcomes that are kept for whoever asks again
  absl::Duration patience = absl::Seconds(30);  // without a question a search is given up
};

// What was found, and in which batches; of their counts nothing but the numbers of reports is left.
struct FoundStrings {
  TaskTotals totals;
  DecodedStrings decoded;
};

// One search at a time, on a thread that gets what other work leaves of the processors; others wait
// their turn. Who asks gets no more than the state of things, at once, and asks again: so a search
// holds up no thread of answers, no deadline of a call ends it, and a caller that has gone costs at
// most `patience`. The memory of a search is its own, and there is one: what one that waits needs
// is read when its turn comes.
//
// Thread-safe.
class Decodings {
 public:
  // `key` stands for what is searched, and in which batches.
  using Key = crypto::Sha256Digest;
  using Progress = std::function<bool(const DecodeProgress&)>;
  // Searches, and asks `progress` as DecodeOptions says.
  using Work = std::function<absl::StatusOr<FoundStrings>(const Progress& progress)>;

  // Either what was found, or how far the search is.
  struct State {
    std::shared_ptr<const FoundStrings> found;
    int64_t ahead = 0;  // searches that come first
    DecodeProgress progress;
  };

  Decodings(const DecodingLimits& limits, std::shared_ptr<const SteadyClock> clock);
  // Gives up what is under way.
  ~Decodings();

  // The state of the search for `key`, which is begun if there is none. ResourceExhausted, with a
  // time to wait: too many others are waiting. Else the error that the search ended with, once:
  // whoever asks then begins another.
  absl::StatusOr<State> Ask(const Key& key, const Work& work);

 private:
  struct Search {
    Key key{};
    absl::Duration asked;
    bool begun = false;
    DecodeProgress progress;
    std::optional<absl::StatusOr<std::shared_ptr<const FoundStrings>>> outcome;
  };
  using Searches = std::list<std::shared_ptr<Search>>;

  void Run(const std::shared_ptr<Search>& search, const Work& work);
  // False: nobody has asked for too long.
  bool Advance(Search& search, const DecodeProgress& progress);
  Searches::iterator FindLocked(const Key& key) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  int64_t AheadOf(const Search& search) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DropOldestLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const DecodingLimits limits_;
  const std::shared_ptr<const SteadyClock> clock_;
  Mutex mutex_;
  Searches searches_ ABSL_GUARDED_BY(mutex_);  // in the order in which they were begun
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<WorkPool> pool_;  // last: its jobs use all of the above
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_QUERY_DECODINGS_H_
