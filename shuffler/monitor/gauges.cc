#include "shuffler/monitor/gauges.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "common/metrics/process.h"
#include "common/task/task.h"

namespace tombola::shuffler {
namespace {

double Number(int64_t value) { return static_cast<double>(value); }
double Number(size_t value) { return static_cast<double>(value); }
double Number(absl::Time time) { return absl::ToDoubleSeconds(time - absl::UnixEpoch()); }

absl::string_view StateOf(const CatalogEntry& entry, absl::Time now) {
  return tombola::StateOf(*entry.task, entry.closed, now);
}

// How many of all that can be said with a few words.
class Tally {
 public:
  Tally(std::initializer_list<const char*> words) {
    for (const char* word : words) counts_.emplace_back(word, 0);
  }
  void Add(absl::string_view word) {
    for (auto& [known, count] : counts_) count += known == word;
  }
  void Read(const std::string& name, const std::string& help, Readings& out) const {
    for (const auto& [word, count] : counts_) {
      out.Gauge(name, help, Number(count), {{"state", word}});
    }
  }

 private:
  std::vector<std::pair<std::string, int64_t>> counts_;
};

struct TaskLine {
  CatalogEntry entry;
  std::shared_ptr<const Gate> gate;
  int64_t held = 0;
  bool waits_in_nodes = false;  // a stream, for later periods
};

void ReadTasks(const GaugeParts& parts, absl::Time now, Readings& out) {
  Tally tasks{"not_begun", "open", "closed", "ended"};
  absl::flat_hash_map<TaskId, TaskLine> lines;
  for (const CatalogEntry& entry : parts.catalog->Tasks()) {
    tasks.Add(StateOf(entry, now));
    const auto gate = parts.gates->For(entry.task);
    if (!gate.ok()) continue;
    lines[entry.task->id()] = {.entry = entry, .gate = *gate};
  }
  tasks.Read("tombola_shuffler_tasks", "Tasks of the catalogue, by state.", out);

  Tally batches{"filling", "enough", "full"};
  int64_t submissions = 0, nodes = 0, node_submissions = 0;
  for (const HeldInfo& held : parts.store->Held()) {
    const auto line = lines.find(held.of.task);
    if (line == lines.end()) {
      submissions += held.submissions;
      continue;
    }
    const Task& task = *line->second.entry.task;
    if (task.nodes() != nullptr && !held.for_period) {
      ++nodes;
      node_submissions += held.submissions;
      line->second.waits_in_nodes = true;
    } else {
      submissions += held.submissions;
      line->second.held += held.submissions;
    }
    const int64_t planned = task.batch_policy().planned_submissions;
    batches.Add(held.submissions < line->second.gate->NeededIn(held.of.part) ? "filling"
                : held.submissions < planned                                 ? "enough"
                                                                             : "full");
  }
  batches.Read("tombola_shuffler_held_batches",
               "Batches that are held: too few for the guarantee, enough, or as many as planned.",
               out);
  out.Gauge("tombola_shuffler_held_submissions",
            "Submissions that wait for their batch; of a stream, for the end of their period.",
            Number(submissions));
  out.Gauge("tombola_shuffler_held_nodes",
            "Nodes of streams that hold something of periods that are over.", Number(nodes));
  out.Gauge("tombola_shuffler_held_node_submissions",
            "What they hold: a submission once in each of them.", Number(node_submissions));

  std::vector<TaskLine> shown;
  for (auto& [id, line] : lines) {
    if (line.held > 0 || line.waits_in_nodes || StateOf(line.entry, now) == "open") {
      shown.push_back(std::move(line));
    }
  }
  std::sort(shown.begin(), shown.end(), [](const TaskLine& a, const TaskLine& b) {
    return a.held != b.held ? a.held > b.held : a.entry.task->id() < b.entry.task->id();
  });
  const size_t most = std::min(shown.size(), kMostTasksShown);
  out.Gauge("tombola_shuffler_tasks_without_gauges", "Tasks beyond those shown one by one.",
            Number(shown.size() - most));
  for (size_t i = 0; i < most; ++i) {
    const Task& task = *shown[i].entry.task;
    const Readings::Labels labels = {{"task", ToHex(task.id())}, {"name", task.name()}};
    out.Gauge("tombola_shuffler_task_held_submissions",
              "Submissions of a task that are held; of a stream, for periods that are not over.",
              Number(shown[i].held), labels);
    out.Gauge("tombola_shuffler_task_needed_submissions",
              "The smallest batch of a task that may leave; of a stream, in the present period's "
              "node.",
              Number(shown[i].gate->NeededIn(task.PartAt(now))), labels);
    out.Gauge(
        "tombola_shuffler_task_planned_submissions",
        "Planned submissions of a batch: it leaves with so many, unless the task has periods.",
        Number(task.batch_policy().planned_submissions), labels);
  }
}

void ReadStore(const GaugeParts& parts, Readings& out) {
  const Load load = parts.store->Kept();
  const std::vector<Manifest> outbox = parts.store->Outbox();
  int64_t waiting = 0;
  for (const Manifest& batch : outbox) waiting += batch.submissions;
  out.Gauge("tombola_shuffler_outbox_batches", "Batches that the collector has not taken yet.",
            Number(outbox.size()));
  out.Gauge("tombola_shuffler_outbox_submissions", "Submissions in them.", Number(waiting));

  const StoreLimits& limits = parts.limits;
  const struct {
    const char* of;
    int64_t used, limit;
  } kept[] = {{"held_reports", load.reports, limits.held_reports},
              {"held_bytes", load.bytes, limits.held_bytes},
              {"outbox_bytes", load.outbox_bytes, limits.outbox_bytes},
              {"digests", parts.store->Digests(), limits.digests}};
  for (const auto& [of, used, limit] : kept) {
    out.Gauge(absl::StrCat("tombola_shuffler_", of), "Used of what a limit of this name allows.",
              Number(used));
    out.Gauge(absl::StrCat("tombola_shuffler_", of, "_limit"),
              "Beyond it new submissions are asked to wait.", Number(limit));
  }
  for (const char* part : {"held", "outbox", "seen", "counters"}) {
    out.Gauge("tombola_shuffler_store_bytes", "Files of the store, by folder.",
              Number(BytesBelow(absl::StrCat(parts.store_directory, "/", part))), {{"part", part}});
  }
}

void ReadKeys(const GaugeParts& parts, absl::Time now, Readings& out) {
  const std::optional<KeyList> keys = parts.catalog->Keys();
  out.Gauge("tombola_shuffler_catalog_version", "Grows with every change; 0: there is none yet.",
            static_cast<double>(parts.catalog->version()));
  out.Gauge("tombola_shuffler_key_list_serial",
            "Of the collector's key list, grows with every change; 0: there is none yet.",
            keys.has_value() ? static_cast<double>(keys->serial()) : 0);
  const auto active = keys.has_value() ? keys->ActiveAt(now) : absl::NotFoundError("no list");
  out.Gauge("tombola_shuffler_active_key_begin_timestamp_seconds",
            "When devices began to seal to the present HPKE key; 0: there is none.",
            active.ok() ? Number(active->not_before) : 0);
  out.Gauge("tombola_shuffler_active_key_end_timestamp_seconds",
            "When they seal to the next one; 0: there is no present one.",
            active.ok() ? Number(active->not_after) : 0);
}

}  // namespace

void AddGauges(const GaugeParts& parts, Metrics& metrics) {
  metrics.AddLook([parts](Readings& out) {
    const absl::Time now = parts.clock->Now();
    ReadTasks(parts, now, out);
    ReadStore(parts, out);
    ReadKeys(parts, now, out);
    out.Gauge("tombola_shuffler_calls_in_flight", "Calls of devices that are being answered.",
              Number(parts.submissions->calls() + parts.lookups->calls()));
    out.Gauge("tombola_shuffler_calls_in_flight_bytes", "Memory that they hold.",
              Number(parts.submissions->bytes() + parts.lookups->bytes()));
  });
}

}  // namespace tombola::shuffler
