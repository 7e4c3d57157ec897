#include "collector/http/plans.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "collector/http/plan_text.h"
#include "common/base/retry_after.h"

namespace tombola::collector {
namespace {

constexpr size_t kMostWaiting = 16;
constexpr TaskId kPlansAsATask{};  // plans share the budget like one more task

absl::Status Stopping() { return absl::UnavailableError("the collector is stopping"); }

}  // namespace

bool Plans::TakeRecent(Waiting& waiting) {
  const std::vector<double>& epsilons = waiting.question.epsilons;
  while (waiting.texts.size() < epsilons.size()) {
    const auto text = recent_.Find(PlanKey(waiting.question, epsilons[waiting.texts.size()]));
    if (text == nullptr) return false;
    waiting.texts.push_back(*text);
  }
  return true;
}

void Plans::Answer(Waiting& waiting) {
  waiting.respond(
      http::MakeResponse("application/json", WritePlans(waiting.question, waiting.texts)));
}

void Plans::Ask(PlanQuestion question, http::Respond respond) {
  auto waiting = std::make_unique<Waiting>();
  waiting->question = std::move(question);
  waiting->respond = std::move(respond);
  if (TakeRecent(*waiting)) {
    Answer(*waiting);
    return;
  }
  absl::StatusOr<FairShare::Ticket> ticket =
      answers_->Enter(kPlansAsATask, waiting->question.bytes);
  if (!ticket.ok()) {
    waiting->respond(http::ErrorResponse(ticket.status()));
    return;
  }
  waiting->ticket = *std::move(ticket);
  const http::Respond refuse = waiting->respond;
  bool taken = false;
  {
    MutexLock lock(mutex_);
    taken = waiting_.size() < kMostWaiting && !stopped_;
    if (taken) {
      waiting_.push_back(std::move(waiting));
      if (std::exchange(running_, true)) return;
    }
  }
  if (!taken) {
    refuse(http::ErrorResponse(
        Refusal("plans", "too many plans are being computed", absl::Seconds(1))));
    return;
  }
  AddStep();
}

void Plans::AddStep() {
  pool_->Add([self = shared_from_this()](int) { self->Step(); });
}

void Plans::Stop() {
  std::deque<std::unique_ptr<Waiting>> waiting;
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    waiting.swap(waiting_);
  }
  for (const auto& one : waiting) {
    one->respond(http::ErrorResponse(Stopping()));
  }
}

void Plans::Step() {
  std::unique_ptr<Waiting> waiting;
  {
    MutexLock lock(mutex_);
    if (waiting_.empty()) return;  // stopped
    waiting = std::move(waiting_.front());
    waiting_.pop_front();
  }
  absl::Status status;
  bool done = TakeRecent(*waiting);
  if (!done) {
    const double epsilon = waiting->question.epsilons[waiting->texts.size()];
    absl::StatusOr<std::string> text = PlanText(waiting->question, epsilon);
    status = text.status();
    if (text.ok()) {
      recent_.Put(PlanKey(waiting->question, epsilon), std::make_shared<const std::string>(*text));
      waiting->texts.push_back(*std::move(text));
      done = TakeRecent(*waiting);
    }
  }
  if (!status.ok()) {
    waiting->respond(http::ErrorResponse(status));
  } else if (done) {
    Answer(*waiting);
  }
  const bool ended = done || !status.ok();
  const http::Respond refuse = waiting->respond;
  bool stopped = false;
  {
    MutexLock lock(mutex_);
    stopped = stopped_;
    if (!ended && !stopped) waiting_.push_back(std::move(waiting));
    running_ = !waiting_.empty();
    if (running_) AddStep();
  }
  if (!ended && stopped) refuse(http::ErrorResponse(Stopping()));
}

}  // namespace tombola::collector
