// What EmbeddedStore::Open does with what it finds.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/base/status_macros.h"
#include "common/disk/directory.h"
#include "common/disk/whole_file.h"
#include "common/log/log.h"
#include "shuffler/digests/digest_index.h"
#include "shuffler/embedded/digest_loader.h"
#include "shuffler/embedded/embedded_store.h"
#include "shuffler/log/log_reader.h"

namespace tombola::shuffler {
namespace {

using SequencesByTask = std::map<TaskId, std::set<uint64_t>>;

// A log whose header says that it belongs where it is.
absl::Status CheckPlace(const LogInfo& log, const std::string& task_name, const std::string& name) {
  if (ToHex(log.header.of.task) == task_name &&
      LogName(log.header.of, log.header.sequence) == name) {
    return absl::OkStatus();
  }
  return absl::DataLossError(absl::StrCat(log.path, " has the header of another log"));
}

// Reads a log and remembers the digests of what it holds; of a node's the seen files remember them.
absl::StatusOr<LogInfo> LoadLog(const std::string& path, const LogHeader& header,
                                const std::string& task_name, const std::string& name,
                                DigestLoader& loader) {
  TOMBOLA_ASSIGN_OR_RETURN(LogInfo log, RecoverLogChunks(path, [&](FrameChunk& chunk) {
                             if (!header.of_node()) loader.AddHeld(header, chunk);
                             return absl::OkStatus();
                           }));
  TOMBOLA_RETURN_IF_ERROR(CheckPlace(log, task_name, name));
  if (log.cut > 0) {
    log::Warning("held_log_cut", {{"path", path}, {"offset", log.end}, {"bytes", log.cut}});
  }
  if (log.amounts.submissions > 0) EndLog(log);
  return log;
}

// The sequence number in a log's name.
std::optional<uint64_t> SequenceOf(absl::string_view name) {
  const size_t dash = name.rfind('-');
  uint64_t sequence;
  if (!absl::ConsumeSuffix(&name, ".log") || dash == absl::string_view::npos ||
      !absl::SimpleAtoi(name.substr(dash + 1), &sequence)) {
    return std::nullopt;
  }
  return sequence;
}

// Of the logs of one task, the headers of those that are not `gone`, which are removed.
absl::StatusOr<std::map<std::string, LogHeader>> HeadersOf(const std::string& directory,
                                                           const std::set<uint64_t>& gone) {
  std::map<std::string, LogHeader> headers;
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<std::string> names, ListWithoutDrafts(directory));
  for (const std::string& name : names) {
    const std::string path = absl::StrCat(directory, "/", name);
    const std::optional<uint64_t> sequence = SequenceOf(name);
    if (!sequence.has_value()) {
      return absl::FailedPreconditionError(absl::StrCat(path, " does not belong here"));
    }
    if (gone.contains(*sequence)) {
      TOMBOLA_RETURN_IF_ERROR(RemoveFile(path));
      continue;
    }
    TOMBOLA_ASSIGN_OR_RETURN(headers[name], ReadLogHeader(path));
  }
  return headers;
}

// The sequence numbers of logs that hold a period: what was made of them does not count.
std::set<uint64_t> PeriodsIn(const std::map<std::string, LogHeader>& headers) {
  std::set<uint64_t> periods;
  for (const auto& [name, header] : headers) {
    if (header.of_period()) periods.insert(header.sequence);
  }
  return periods;
}

// Loads the logs of one task, but removes those that are `gone`: released, scattered or over.
absl::Status LoadTask(const std::string& directory, const std::string& task_name,
                      const SequencesByTask& gone, DigestLoader& loader, Inventory& inventory) {
  const std::optional<TaskId> task = IdFromHex<TaskId>(task_name);
  if (!task.has_value()) {
    return absl::FailedPreconditionError(absl::StrCat(directory, " does not belong here"));
  }
  const auto gone_here = gone.find(*task);
  TOMBOLA_ASSIGN_OR_RETURN(
      const auto headers,
      HeadersOf(directory, gone_here == gone.end() ? std::set<uint64_t>() : gone_here->second));
  const std::set<uint64_t> periods = PeriodsIn(headers);
  for (const auto& [name, header] : headers) {
    const std::string path = absl::StrCat(directory, "/", name);
    const auto is_held = [&](uint64_t source) { return periods.contains(source); };
    if (std::any_of(header.sources.begin(), header.sources.end(), is_held)) {
      TOMBOLA_RETURN_IF_ERROR(RemoveFile(path));
      continue;
    }
    TOMBOLA_ASSIGN_OR_RETURN(const LogInfo log, LoadLog(path, header, task_name, name, loader));
    if (log.amounts.submissions == 0) {
      TOMBOLA_RETURN_IF_ERROR(RemoveFile(path));
      continue;
    }
    TOMBOLA_RETURN_IF_ERROR(inventory.RecoverLog(log));
  }
  return SyncDirectory(directory);
}

bool IsOver(const BatchRecord& record, const std::set<uint64_t>& ended) {
  return !record.sources.empty() && ended.contains(record.sources.front());
}

}  // namespace

absl::Status EmbeddedStore::Recover() {
  SequencesByTask gone;
  TOMBOLA_ASSIGN_OR_RETURN(auto counters, counters_files_.Load());
  for (auto& [task, record] : counters) {
    gone[task] = record.ended;
    inventory_.RecoverCounters(task, record);
  }
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<BatchRecord> batches, outbox_.Recover());
  for (const BatchRecord& record : batches) {
    const TaskId& task = record.totals.of.task;
    if (IsOver(record, counters[task].ended)) {
      TOMBOLA_RETURN_IF_ERROR(outbox_.Remove(record.totals.batch));
      continue;
    }
    gone[task].insert(record.sources.begin(), record.sources.end());
    inventory_.RecoverBatch(record);
  }
  DigestIndex index;
  for (const auto& [task, record] : counters) index[task].ForgetBefore(record.oldest_window);
  DigestLoader loader(threads_, index);
  const std::string held = absl::StrCat(options_.directory, "/held");
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<std::string> tasks, ListDirectory(held));
  for (const std::string& name : tasks) {
    TOMBOLA_RETURN_IF_ERROR(
        LoadTask(absl::StrCat(held, "/", name), name, gone, loader, inventory_));
  }
  // All of them are gone now.
  for (const auto& [task, record] : counters) {
    inventory_.Removed(task, {record.ended.begin(), record.ended.end()});
  }
  TOMBOLA_RETURN_IF_ERROR(
      seen_files_.Load([&](const TaskId& task, uint32_t window, absl::Span<const Digest> digests) {
        loader.AddSeen(task, window, digests);
      }));
  loader.Finish();
  committer_ = std::make_unique<Committer>(
      CommitterOptions{held, options_.queue_limit_bytes, options_.limits, options_.log_salt,
                       options_.fault},
      std::move(index), inventory_);
  return absl::OkStatus();
}

}  // namespace tombola::shuffler
