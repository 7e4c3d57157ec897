// Tells callers what became of their calls.
#ifndef TOMBOLA_SHUFFLER_EMBEDDED_ANSWERS_H_
#define TOMBOLA_SHUFFLER_EMBEDDED_ANSWERS_H_

#include <deque>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "common/base/mutex.h"
#include "shuffler/embedded/entry.h"

namespace tombola::shuffler {

// The calls of one commit, and for each why nothing of it was acknowledged, or OK.
struct AnsweredCommit {
  std::vector<Entry> entries;
  std::vector<absl::Status> statuses;
};

// Calls back on a thread of its own: an answer costs as much as all else of a small call, and the
// next commit is to be on its way to the disk meanwhile. Who hands over bounds how much.
//
// Thread-safe.
class Answers {
 public:
  Answers();
  // Answers everything that was handed over, then ends the thread.
  ~Answers();
  Answers(const Answers&) = delete;
  Answers& operator=(const Answers&) = delete;

  // The calls are answered in their order, after those of earlier commits. A commit of very few is
  // answered at once, in this thread, if no other waits: waking one would take longer.
  void Give(AnsweredCommit commit);

 private:
  void Run();

  Mutex mutex_;
  CondVar changed_;
  std::deque<AnsweredCommit> waiting_ ABSL_GUARDED_BY(mutex_);
  bool busy_ ABSL_GUARDED_BY(mutex_) = false;  // the thread has taken one off
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace tombola::shuffler

#endif  // TOMBOLA_SHUFFLER_EMBEDDED_ANSWERS_H_
