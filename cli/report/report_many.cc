#include "cli/report/report_many.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "common/base/mutex.h"
#include "common/base/status_macros.h"

namespace tombola::cli {
namespace {

constexpr size_t kValuesPerCall = 1000;

struct Shared {
  Mutex mutex;
  absl::Status failure ABSL_GUARDED_BY(mutex);
  ManyOutcome outcome ABSL_GUARDED_BY(mutex);
};

void Add(const BulkOutcome& sent, const Devices& devices, ManyOutcome* outcome) {
  outcome->accepted += sent.accepted;
  outcome->duplicates += sent.duplicates;
  outcome->rejected += sent.rejected;
  if (devices.lines.empty()) return;
  for (size_t i = 0; i < sent.outside.size(); ++i) {
    outcome->outside.push_back({.line = devices.lines[sent.outside[i]], .why = sent.why[i]});
  }
  std::sort(outcome->outside.begin(), outcome->outside.end(),
            [](const Complaint& a, const Complaint& b) { return a.line < b.line; });
  outcome->outside.resize(std::min(outcome->outside.size(), kMostComplaints));
}

void RunClient(Client& client, const NextDevices& next, Progress* progress, Shared* shared) {
  while (true) {
    Devices devices;
    {
      MutexLock lock(shared->mutex);
      if (!shared->failure.ok()) return;
      devices = next(kValuesPerCall);
    }
    if (devices.values.empty()) return;
    const auto sent = client.ReportRecords(devices.values);
    MutexLock lock(shared->mutex);
    if (!sent.ok()) {
      if (shared->failure.ok()) shared->failure = sent.status();
      return;
    }
    Add(*sent, devices, &shared->outcome);
    progress->Add(static_cast<int64_t>(devices.values.size()));
  }
}

}  // namespace

absl::StatusOr<Clients> CreateClients(const ClientOptions& options, int number) {
  Clients clients;
  for (int i = 0; i < number; ++i) {
    TOMBOLA_ASSIGN_OR_RETURN(auto client, Client::Create(options));
    clients.push_back(std::move(client));
  }
  return clients;
}

absl::Status ReportMany(const Clients& clients, const NextDevices& next, Progress* progress,
                        ManyOutcome* outcome) {
  Shared shared;
  std::vector<std::thread> running;
  running.reserve(clients.size());
  for (const auto& client : clients) {
    running.emplace_back([&] { RunClient(*client, next, progress, &shared); });
  }
  for (std::thread& thread : running) thread.join();
  MutexLock lock(shared.mutex);
  *outcome = shared.outcome;
  return shared.failure;
}

}  // namespace tombola::cli
