#include "collector/monitor/gauges.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/metrics/process.h"
#include "common/task/task.h"

namespace tombola::collector {
namespace {

double Number(int64_t value) { return static_cast<double>(value); }

void ReadTask(const CatalogEntry& entry, const TaskTotals& totals, Readings& out) {
  const Task& task = *entry.task;
  const Readings::Labels labels = {{"task", ToHex(task.id())}, {"name", task.name()}};
  const auto batches = [&](const char* state, int64_t count) {
    Readings::Labels with_state = labels;
    with_state["state"] = state;
    out.Gauge("tombola_collector_task_batches", "Batches of a task on disk, by state.",
              Number(count), with_state);
  };
  batches("counted", totals.counted_batches);
  batches("quarantined", totals.quarantined_batches);
  batches("expired", totals.expired_batches);
  out.Gauge("tombola_collector_task_messages", "Good messages in a task's counted batches.",
            Number(totals.good), labels);
  out.Gauge("tombola_collector_task_smallest_batch_users",
            "Submissions of the smallest counted batch, which decides epsilon.",
            Number(totals.smallest_batch), labels);
  out.Gauge("tombola_collector_task_held_ratio",
            "What the shuffler holds of the planned batch, in steps of 0.05.",
            entry.held_percent / 100.0, labels);
}

void ReadTasks(const GaugeParts& parts, absl::Time now, Readings& out) {
  const std::vector<CatalogEntry> entries = parts.catalog->Tasks();
  std::map<std::string, int64_t> states = {
      {"not_begun", 0}, {"open", 0}, {"closed", 0}, {"ended", 0}};
  for (const CatalogEntry& entry : entries) ++states[StateOf(*entry.task, entry.closed, now)];
  for (const auto& [state, count] : states) {
    out.Gauge("tombola_collector_tasks", "Tasks, by state.", Number(count), {{"state", state}});
  }
  const size_t shown = std::min(entries.size(), kMostTasksShown);
  out.Gauge("tombola_collector_tasks_without_gauges", "Tasks older than those shown one by one.",
            static_cast<double>(entries.size() - shown));
  for (size_t i = entries.size() - shown; i < entries.size(); ++i) {
    ReadTask(entries[i], *parts.ledger->Totals(entries[i].task->id()), out);
  }
}

void ReadKeys(const KeyRing& keys, Readings& out) {
  const v1::KeyInfo info = keys.Describe();
  std::map<std::string, int64_t> states = {
      {"pending", 0}, {"active", 0}, {"retired", 0}, {"destroyed", 0}};
  int64_t begin = 0, end = 0;
  absl::flat_hash_set<std::string> of_nodes;
  for (const v1::HpkeKey& key : info.keys().keys()) {
    if (!key.task_id().empty()) of_nodes.insert(key.key_id());
  }
  for (const v1::KeyHistory& key : info.history()) {
    if (of_nodes.contains(key.key_id())) continue;
    switch (key.state()) {
      case v1::KEY_STATE_PENDING:
        ++states["pending"];
        break;
      case v1::KEY_STATE_ACTIVE:
        ++states["active"];
        begin = key.not_before();
        end = key.not_after();
        break;
      case v1::KEY_STATE_RETIRED:
        ++states["retired"];
        break;
      default:
        ++states["destroyed"];
    }
  }
  for (const auto& [state, count] : states) {
    out.Gauge("tombola_collector_hpke_keys", "HPKE keys there ever were, by state.", Number(count),
              {{"state", state}});
  }
  out.Gauge("tombola_collector_hpke_node_keys",
            "HPKE keys of nodes of streams that are not destroyed, which are in no other gauge.",
            static_cast<double>(of_nodes.size()));
  out.Gauge("tombola_collector_hpke_active_key_begin_timestamp_seconds",
            "When devices began to seal to the present HPKE key; 0: there is none.", Number(begin));
  out.Gauge("tombola_collector_hpke_active_key_end_timestamp_seconds",
            "When they seal to the next one; 0: there is no present one.", Number(end));
  out.Gauge("tombola_collector_key_list_serial", "Grows with every key list that is signed.",
            static_cast<double>(info.keys().serial()));
}

void ReadDatabases(const std::string& directory, Readings& out) {
  const std::pair<const char*, const char*> databases[] = {
      {"catalog", "catalog.db"}, {"keys", "keys/keys.db"}, {"batches", "batches.db"}};
  for (const auto& [name, file] : databases) {
    const std::string path = absl::StrCat(directory, "/", file);
    out.Gauge("tombola_collector_database_bytes", "A database and its write-ahead log on disk.",
              Number(BytesOf(path) + BytesOf(absl::StrCat(path, "-wal"))), {{"database", name}});
  }
}

}  // namespace

void AddGauges(const GaugeParts& parts, Metrics& metrics) {
  metrics.AddLook([parts](Readings& out) {
    ReadTasks(parts, parts.clock->Now(), out);
    ReadKeys(*parts.keys, out);
    ReadDatabases(parts.directory, out);
    out.Gauge("tombola_collector_answers_in_flight", "Answers being computed or sent.",
              Number(parts.answers->calls()));
    out.Gauge("tombola_collector_answers_in_flight_bytes", "Memory set aside for them.",
              Number(parts.answers->bytes()));
  });
}

}  // namespace tombola::collector
