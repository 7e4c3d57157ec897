// Plans for those who ask, beside the histograms and not in their way.
#ifndef TOMBOLA_COLLECTOR_HTTP_PLANS_H_
#define TOMBOLA_COLLECTOR_HTTP_PLANS_H_

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "collector/http/plan_question.h"
#include "collector/http/recent_texts.h"
#include "common/base/fair_share.h"
#include "common/base/mutex.h"
#include "common/base/work_pool.h"
#include "common/http/message.h"

namespace tombola::collector {

// Computes on threads that histograms use too, one epsilon at a time and never two at once, so that
// a thread stays free for them; questions that wait take turns, an epsilon each. A question holds a
// ticket of the budget until it is answered. Remembers what was asked for last. Thread-safe; jobs
// in the pool keep it alive.
class Plans : public std::enable_shared_from_this<Plans> {
 public:
  static std::shared_ptr<Plans> Create(FairShare* answers, WorkPool* pool) {
    return std::shared_ptr<Plans>(new Plans(answers, pool));
  }

  // Answers at once if every epsilon is remembered, or if too many wait: ResourceExhausted.
  void Ask(PlanQuestion question, http::Respond respond);
  // Refuses what waits and what comes; a plan that is being computed ends by itself.
  void Stop();

 private:
  struct Waiting {
    PlanQuestion question;
    http::Respond respond;
    FairShare::Ticket ticket;
    std::vector<std::string> texts;  // of the epsilons that are done
  };

  Plans(FairShare* answers, WorkPool* pool) : answers_(answers), pool_(pool) {}

  // Takes over what is remembered of the epsilons that come next. True: all are done.
  bool TakeRecent(Waiting& waiting);
  void AddStep();
  // One epsilon of the question whose turn it is.
  void Step();
  static void Answer(Waiting& waiting);

  FairShare* const answers_;
  WorkPool* const pool_;
  RecentTexts recent_{256};
  Mutex mutex_;
  std::deque<std::unique_ptr<Waiting>> waiting_ ABSL_GUARDED_BY(mutex_);
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  bool running_ ABSL_GUARDED_BY(mutex_) = false;  // a Step is under way or in the pool
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_HTTP_PLANS_H_
