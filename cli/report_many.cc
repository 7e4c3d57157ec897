#include "cli/report_many.h"

#include <memory>
#include <thread>

#include "common/base/mutex.h"
#include "common/base/status_macros.h"

namespace tombola::cli {
namespace {

constexpr size_t kValuesPerCall = 1000;

struct Shared {
  Mutex mutex;
  absl::Status failure ABSL_GUARDED_BY(mutex);
  BulkOutcome outcome ABSL_GUARDED_BY(mutex);
};

void RunClient(Client& client, const NextValues& next, Progress* progress, Shared* shared) {
  while (true) {
    std::vector<std::string> values;
    {
      MutexLock lock(shared->mutex);
      if (!shared->failure.ok()) return;
      values = next(kValuesPerCall);
    }
    if (values.empty()) return;
    const auto sent = client.ReportMany(values);
    MutexLock lock(shared->mutex);
    if (!sent.ok()) {
      if (shared->failure.ok()) shared->failure = sent.status();
      return;
    }
    shared->outcome.accepted += sent->accepted;
    shared->outcome.duplicates += sent->duplicates;
    shared->outcome.rejected += sent->rejected;
    progress->Add(static_cast<int64_t>(values.size()));
  }
}

}  // namespace

absl::Status ReportMany(const ClientOptions& options, int threads, const NextValues& next,
                        Progress* progress, BulkOutcome* outcome) {
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < threads; ++i) {
    TOMBOLA_ASSIGN_OR_RETURN(auto client, Client::Create(options));
    clients.push_back(std::move(client));
  }
  Shared shared;
  std::vector<std::thread> running;
  for (auto& client : clients) {
    running.emplace_back([&] { RunClient(*client, next, progress, &shared); });
  }
  for (std::thread& thread : running) thread.join();
  MutexLock lock(shared.mutex);
  *outcome = shared.outcome;
  return shared.failure;
}

}  // namespace tombola::cli
