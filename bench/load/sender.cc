#include "bench/load/sender.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/support/async_unary_call.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "bench/load/schedule.h"
#include "common/base/mutex.h"

namespace tombola::bench {
namespace {

constexpr absl::Duration kCallTimeout = absl::Seconds(60);

// A call and everything it needs, used again when it has ended.
struct Call {
  std::optional<grpc::ClientContext> context;
  v1::SubmitRequest request;
  v1::SubmitResponse response;
  grpc::Status status;
  std::unique_ptr<grpc::ClientAsyncResponseReader<v1::SubmitResponse>> reader;
  absl::Time since;
};

// Which submissions the calls take, shared by all lanes.
struct Source {
  const SealedLoad& load;
  const SendOptions& options;
  std::atomic<int64_t> next{0};  // call
  int64_t calls() const { return (options.count + options.per_call - 1) / options.per_call; }
};

// One channel, its queue and the thread that takes answers from it.
class Lane {
 public:
  Lane(Source* source, const std::shared_ptr<grpc::Channel>& channel)
      : source_(source), stub_(v1::Shuffler::NewStub(channel)) {}

  // Keeps `in_flight` calls under way until the source is empty.
  void RunClosed(int in_flight) {
    for (int i = 0; i < in_flight; ++i) {
      if (!StartNext(NewCall())) break;
    }
    while (under_way_ > 0) {
      Call* const call = Await();
      if (call == nullptr) break;
      --under_way_;
      StartNext(call);
    }
  }

  // Takes the answers of `calls` calls that somebody else starts.
  void RunOpen(int64_t calls) {
    for (int64_t i = 0; i < calls; ++i) {
      Call* const call = Await();
      if (call == nullptr) break;
      MutexLock lock(mutex_);
      idle_.push_back(call);
    }
  }
  // From any thread.
  void StartAt(int64_t number, absl::Time since) {
    Call* call = nullptr;
    {
      MutexLock lock(mutex_);
      if (!idle_.empty()) {
        call = idle_.back();
        idle_.pop_back();
      }
    }
    if (call == nullptr) call = NewCall();
    Start(call, number, since);
  }

  void AddTo(SendResult* result) const {
    result->calls += result_.calls;
    result->accepted += result_.accepted;
    result->duplicates += result_.duplicates;
    result->rejected += result_.rejected;
    for (const auto& [cause, calls] : result_.refused) result->refused[cause] += calls;
    result->latencies.Merge(result_.latencies);
  }

 private:
  Call* NewCall() {
    auto call = std::make_unique<Call>();
    call->request.set_task_id(std::string(AsView(source_->options.task)));
    call->request.set_key_id(std::string(AsView(source_->load.key)));
    call->request.set_window(source_->options.window);
    calls_.push_back(std::move(call));
    return calls_.back().get();
  }

  bool StartNext(Call* call) {
    const int64_t number = source_->next.fetch_add(1, std::memory_order_relaxed);
    if (number >= source_->calls()) return false;
    ++under_way_;
    Start(call, number, absl::Now());
    return true;
  }

  void Start(Call* call, int64_t number, absl::Time since) {
    const SendOptions& options = source_->options;
    const int64_t first = number * options.per_call;
    const int64_t count = std::min(options.per_call, options.count - first);
    const absl::string_view ids = source_->load.IdsOf(options.first + first, count);
    const absl::string_view reports = source_->load.ReportsOf(options.first + first, count);
    call->request.mutable_submission_ids()->assign(ids.data(), ids.size());
    call->request.mutable_sealed_reports()->assign(reports.data(), reports.size());
    call->response.Clear();
    call->context.emplace();
    call->context->set_deadline(absl::ToChronoTime(absl::Now() + kCallTimeout));
    call->since = since;
    call->reader = stub_->AsyncSubmit(&*call->context, call->request, &queue_);
    call->reader->Finish(&call->response, &call->status, call);
  }

  Call* Await() {
    void* tag = nullptr;
    bool ok = false;
    if (!queue_.Next(&tag, &ok)) return nullptr;
    auto* const call = static_cast<Call*>(tag);
    Note(*call);
    return call;
  }

  void Note(const Call& call) {
    ++result_.calls;
    if (!call.status.ok()) {
      ++result_.refused[absl::StrCat("code ", call.status.error_code(), ": ",
                                     call.status.error_message())];
      return;
    }
    result_.latencies.Add(absl::Now() - call.since);
    for (const int outcome : call.response.outcomes()) {
      result_.accepted += outcome == v1::OUTCOME_ACCEPTED;
      result_.duplicates += outcome == v1::OUTCOME_DUPLICATE;
      result_.rejected += outcome == v1::OUTCOME_REJECTED;
    }
  }

  Source* const source_;
  const std::unique_ptr<v1::Shuffler::Stub> stub_;
  grpc::CompletionQueue queue_;
  std::vector<std::unique_ptr<Call>> calls_;  // of whoever starts calls
  int64_t under_way_ = 0;                     // in a closed loop
  SendResult result_;
  Mutex mutex_;
  std::vector<Call*> idle_ ABSL_GUARDED_BY(mutex_);
};

// Starts every call when it is due, on the lanes in turn.
void StartOnTime(const Source& source, const Schedule& schedule,
                 std::vector<std::unique_ptr<Lane>>& lanes) {
  for (int64_t call = 0; call < source.calls(); ++call) {
    const absl::Time due = schedule.Due(call);
    if (const absl::Time now = absl::Now(); now < due) absl::SleepFor(due - now);
    lanes[static_cast<size_t>(call) % lanes.size()]->StartAt(call, due);
  }
}

int64_t ShareOf(int64_t whole, size_t part, size_t parts) {
  return whole / static_cast<int64_t>(parts) +
         (static_cast<int64_t>(part) < whole % static_cast<int64_t>(parts) ? 1 : 0);
}

}  // namespace

SendResult Send(const SealedLoad& load, const SendOptions& options,
                const std::vector<std::shared_ptr<grpc::Channel>>& channels) {
  Source source{load, options};
  std::vector<std::unique_ptr<Lane>> lanes;
  for (const auto& channel : channels) {
    channel->WaitForConnected(absl::ToChronoTime(absl::Now() + absl::Seconds(20)));
    lanes.push_back(std::make_unique<Lane>(&source, channel));
  }
  std::vector<std::thread> threads;
  const absl::Time start = absl::Now();
  for (size_t i = 0; i < lanes.size(); ++i) {
    threads.emplace_back([&, i] {
      if (options.rate > 0) {
        lanes[i]->RunOpen(ShareOf(source.calls(), i, lanes.size()));
      } else {
        lanes[i]->RunClosed(static_cast<int>(ShareOf(options.in_flight, i, lanes.size())));
      }
    });
  }
  if (options.rate > 0) StartOnTime(source, Schedule(start, options.rate), lanes);
  for (std::thread& thread : threads) thread.join();
  SendResult result;
  result.took = absl::Now() - start;
  for (const auto& lane : lanes) lane->AddTo(&result);
  return result;
}

}  // namespace tombola::bench
