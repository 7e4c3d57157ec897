#include "shuffler/embedded/committer.h"

#include <algorithm>
#include <chrono>

#include "absl/strings/str_cat.h"
#include "common/base/retry_after.h"
#include "common/base/status_macros.h"
#include "common/log/log.h"

namespace tombola::shuffler {
namespace {

// Room in the queue that is made in advance.
constexpr size_t kMostReserved = 1024;

bool OfOneLog(const SubmitBatch& a, const SubmitBatch& b) {
  return a.of == b.of &&
         std::equal(a.groups.begin(), a.groups.end(), b.groups.begin(), b.groups.end(),
                    [](const SubmitGroup& x, const SubmitGroup& y) { return x.of == y.of; });
}

std::vector<NodeKey> NodesOf(const SubmitBatch& call) {
  std::vector<NodeKey> nodes;
  for (const SubmitGroup& group : call.groups) nodes.push_back(group.of);
  return nodes;
}

void AddToFrame(const Entry& entry, const EntrySubmission& submission, FrameBuilder& frame) {
  const Digest& id = entry.digests[submission.first_digest];
  if (entry.call.groups.empty()) {
    frame.Add(id, entry.call.window, static_cast<uint16_t>(submission.reports), submission.sealed);
    return;
  }
  frame.Begin(id, entry.call.window);
  for (const EntryGroup& group : entry.GroupsOf(submission)) {
    frame.AddGroup(group.reports, group.sealed);
  }
}

// A caller can retry: the cause is the disk's, whatever the call was that failed. The operator is
// told which file it was, a device is not.
absl::Status AsRefusal(const absl::Status& status) {
  if (absl::IsResourceExhausted(status)) {
    return Refusal("disk_full", "the disk is full: nothing of this call was stored", std::nullopt);
  }
  return WithCause("disk",
                   absl::UnavailableError("the disk failed: nothing of this call is acknowledged"));
}

}  // namespace

Committer::Committer(CommitterOptions options, DigestIndex index, Inventory& inventory)
    : options_(std::move(options)), inventory_(inventory), index_(std::move(index)) {
  for (const auto& [task, digests] : index_) digests_ += digests.size();
  shown_digests_ = digests_;
  thread_ = std::thread([this] { Run(); });
}

Committer::~Committer() {
  {
    MutexLock lock(mutex_);
    stop_ = true;
  }
  changed_.NotifyAll();
  thread_.join();
}

void Committer::Accept(const SubmitBatch& call, AcceptDone done) {
  Entry entry;
  entry.call = call;
  entry.done = std::move(done);
  const absl::Status admitted = Admit(entry);
  if (!admitted.ok()) {
    entry.done(admitted);
    return;
  }
  DigestEntry(entry);
  {
    MutexLock lock(mutex_);
    queue_.push_back(std::move(entry));
  }
  changed_.NotifyAll();
}

void Committer::AfterEachCommit(std::function<void(absl::Duration)> tell) {
  MutexLock lock(mutex_);
  tell_ = std::move(tell);
}

absl::Status Committer::Admit(Entry& entry) {
  TOMBOLA_ASSIGN_OR_RETURN(entry.shape, inventory_.Shape(entry.call.of.task));
  TOMBOLA_RETURN_IF_ERROR(CheckLengths(entry.call, entry.shape));
  entry.bytes = QueuedBytes(entry.call, entry.shape);
  MutexLock lock(mutex_);
  if (queued_bytes_ + entry.bytes > options_.queue_limit_bytes) {
    return Refusal(
        "queue",
        absl::StrCat("the queue is full: its limit is ", options_.queue_limit_bytes, " bytes"),
        absl::Milliseconds(250));
  }
  queued_bytes_ += entry.bytes;
  return absl::OkStatus();
}

void Committer::Run() {
  size_t last = 0;
  while (true) {
    std::vector<Entry> entries;
    // What comes during a commit is about as many again.
    entries.reserve(std::min(last, kMostReserved));
    std::vector<std::function<void()>> work;
    std::function<void(absl::Duration)> tell;
    {
      MutexLock lock(mutex_);
      while (queue_.empty() && work_.empty() && !stop_) changed_.Wait(mutex_);
      if (queue_.empty() && work_.empty()) break;
      entries.swap(queue_);
      work.swap(work_);
      tell = tell_;
    }
    last = entries.size();
    if (!entries.empty()) {
      const absl::Duration took = TimedCommit(std::move(entries));
      if (tell) tell(took);
    }
    for (const std::function<void()>& item : work) item();
    shown_digests_.store(digests_, std::memory_order_relaxed);
  }
  EndLogs();
}

void Committer::OnThread(const std::function<void()>& work) {
  bool finished = false;
  MutexLock lock(mutex_);
  work_.push_back([&] {
    work();
    MutexLock inner(mutex_);
    finished = true;
    // Under the lock: the waiter's frame, where this lambda's captures live, goes away after it.
    changed_.NotifyAll();
  });
  changed_.NotifyAll();
  while (!finished) changed_.Wait(mutex_);
}

absl::StatusOr<Leaving> Committer::Detach(const BatchKey& of) {
  absl::StatusOr<Leaving> result;
  OnThread([&] { result = DetachOnThread(of, /*for_period=*/false); });
  return result;
}

absl::StatusOr<Leaving> Committer::DetachPeriod(const BatchKey& of) {
  absl::StatusOr<Leaving> result;
  OnThread([&] {
    result = DetachOnThread(of, /*for_period=*/true);
    if (result.ok()) scattered_.insert(of);
  });
  return result;
}

absl::StatusOr<Leaving> Committer::DetachOnThread(const BatchKey& of, bool for_period) {
  const auto begin = open_.lower_bound({of, {}});
  auto end = begin;
  std::vector<LogInfo> open;
  for (; end != open_.end() && end->first.first == of; ++end) {
    const LogWriter& writer = *end->second.writer;
    if (writer.broken()) {
      return absl::FailedPreconditionError(absl::StrCat(
          writer.info().path, " is in doubt after a failed sync: reopen the store to recover it"));
    }
    // A task is a stream or it is not, and so are all of its open logs.
    if (writer.info().header.of_period() == for_period) open.push_back(writer.info());
  }
  TOMBOLA_RETURN_IF_ERROR(inventory_.CanDetach(of, for_period));
  if (!open.empty()) open_.erase(begin, end);
  return inventory_.Detach(of, for_period, open);
}

void Committer::ForgetWindowsBefore(const TaskId& task, uint32_t window) {
  OnThread([&] {
    TaskDigests& known = index_[task];
    digests_ -= known.size();
    known.ForgetBefore(window);
    digests_ += known.size();
  });
}

uint32_t Committer::OldestWindow(const TaskId& task) {
  uint32_t oldest = 0;
  OnThread([&] { oldest = index_[task].oldest(); });
  return oldest;
}

absl::Duration Committer::TimedCommit(std::vector<Entry> entries) {
  const auto began = std::chrono::steady_clock::now();
  Commit(std::move(entries));
  return absl::FromChrono(std::chrono::steady_clock::now() - began);
}

void Committer::Commit(std::vector<Entry> entries) {
  std::map<LogKey, Group> groups;
  std::vector<Group*> group_of(entries.size(), nullptr);  // none: refused before
  std::vector<absl::Status> statuses(entries.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    const SubmitBatch& call = entries[i].call;
    statuses[i] = CheckTask(entries[i]);
    if (!statuses[i].ok()) continue;
    // Most calls are of the same task and key as the one before.
    const bool same = i > 0 && group_of[i - 1] != nullptr && OfOneLog(entries[i - 1].call, call);
    group_of[i] = same ? group_of[i - 1] : &groups[{call.of, NodesOf(call)}];
    statuses[i] = Sort(entries[i], *group_of[i]);
  }
  pending_.clear();
  all_pending_ = {};
  bool failed = false;
  for (auto& [of, group] : groups) {
    const auto sealed_bytes = inventory_.Shape(of.first.task)->sealed_bytes;
    group.status = Write(of, sealed_bytes, group);
    failed |= !group.status.ok();
  }
  int64_t bytes = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    bytes += entries[i].bytes;
    if (failed) Fail(group_of[i], entries[i], statuses[i]);
  }
  {
    MutexLock lock(mutex_);
    queued_bytes_ -= bytes;
  }
  // Before the answers: who has one finds itself counted.
  shown_digests_.store(digests_, std::memory_order_relaxed);
  answers_.Give({std::move(entries), std::move(statuses)});
}

void Committer::Fail(const Group* group, const Entry& entry, absl::Status& status) {
  if (group == nullptr) return;
  if (!group->status.ok()) {
    if (status.ok()) status = group->status;
    Undo(entry);
    return;
  }
  const bool has_duplicates =
      std::count(entry.outcomes.begin(), entry.outcomes.end(), Outcome::kDuplicate) > 0;
  if (status.ok() && has_duplicates) {
    status = WithCause(
        "disk", absl::UnavailableError("another call of the same commit could not be stored"));
  }
}

absl::Status Committer::CheckTask(const Entry& entry) {
  if (in_doubt_.contains(entry.call.of.task)) {
    return WithCause(
        "disk", absl::UnavailableError("a log of the task is in doubt after a failed sync: the "
                                       "store must be reopened"));
  }
  const uint32_t oldest = index_[entry.call.of.task].oldest();
  if (entry.call.window < oldest) {
    return WithCause("window_over",
                     absl::FailedPreconditionError(absl::StrCat(
                         "window is ", entry.call.window, ", the oldest remembered is ", oldest)));
  }
  if (!entry.call.groups.empty() && scattered_.contains(entry.call.of)) {
    return WithCause("period_over", absl::FailedPreconditionError(
                                        absl::StrCat("period ", entry.call.of.part,
                                                     " is over; the submission is not retried")));
  }
  return absl::OkStatus();
}

absl::Status Committer::Sort(Entry& entry, Group& group) {
  TaskDigests& known = index_[entry.call.of.task];
  for (const EntrySubmission& submission : entry.submissions) {
    entry.outcomes[submission.index] = Judge(entry.DigestsOf(submission), entry.call.window, known);
  }
  const absl::Status room = CheckRoom(entry);
  if (!room.ok()) {
    Undo(entry);
    std::fill(entry.outcomes.begin(), entry.outcomes.end(), Outcome::kRejected);
    return room;
  }
  Load added;
  for (const EntrySubmission& submission : entry.submissions) {
    const Outcome outcome = entry.outcomes[submission.index];
    if (outcome == Outcome::kDuplicate) ++group.duplicates;
    if (outcome != Outcome::kAccepted) continue;
    AddToFrame(entry, submission, group.frame);
    added += {.reports = submission.reports, .bytes = entry.BytesOf(submission)};
  }
  pending_[entry.call.of.task] += added;
  all_pending_ += added;
  return absl::OkStatus();
}

absl::Status Committer::CheckRoom(const Entry& entry) const {
  Addition addition;
  for (const EntrySubmission& submission : entry.submissions) {
    if (entry.outcomes[submission.index] != Outcome::kAccepted) continue;
    addition.reports += submission.reports;
    addition.bytes += entry.BytesOf(submission);
    addition.digests += submission.reports + 1;
  }
  if (addition.reports == 0) return absl::OkStatus();
  Load task = inventory_.LoadOf(entry.call.of.task), all = inventory_.LoadOfAll();
  if (const auto pending = pending_.find(entry.call.of.task); pending != pending_.end()) {
    task += pending->second;
  }
  all += all_pending_;
  // The digests of this call are in the index already.
  return CheckLimits(options_.limits, task, all,
                     index_.at(entry.call.of.task).size() - addition.digests,
                     digests_ - addition.digests, addition);
}

Outcome Committer::Judge(absl::Span<const Digest> digests, uint32_t window, TaskDigests& known) {
  size_t inserted = 0;
  while (inserted < digests.size() && known.Insert(window, digests[inserted])) ++inserted;
  if (inserted == digests.size()) {
    digests_ += static_cast<int64_t>(inserted);
    return Outcome::kAccepted;
  }
  const absl::Span<const Digest> own = digests.first(inserted);
  for (const Digest& digest : own) known.Remove(window, digest);
  // Known from itself: malformed, and an answer that it was taken before would be a lie.
  const bool twice = std::find(own.begin(), own.end(), digests[inserted]) != own.end();
  return twice ? Outcome::kRejected : Outcome::kDuplicate;
}

void Committer::Undo(const Entry& entry) {
  TaskDigests& known = index_[entry.call.of.task];
  for (const EntrySubmission& submission : entry.submissions) {
    if (entry.outcomes[submission.index] != Outcome::kAccepted) continue;
    for (const Digest& digest : entry.DigestsOf(submission)) {
      known.Remove(entry.call.window, digest);
    }
    digests_ -= submission.reports + 1;
  }
}

absl::Status Committer::Write(const LogKey& of, int64_t sealed_bytes, Group& group) {
  if (group.frame.submissions() > 0) {
    TOMBOLA_RETURN_IF_ERROR(Append(of, sealed_bytes, group));
  } else if (const auto open = open_.find(of); open != open_.end()) {
    open->second.unsaved_duplicates += group.duplicates;
  }
  inventory_.Committed(of.first, of.second.size(),
                       {group.frame.submissions(), group.frame.reports(), group.duplicates});
  return absl::OkStatus();
}

absl::Status Committer::Append(const LogKey& of, int64_t sealed_bytes, Group& group) {
  const TaskId& task = of.first.task;
  auto open = open_.find(of);
  if (open == open_.end()) {
    const LogHeader header = {.of = of.first,
                              .sealed_bytes = sealed_bytes,
                              .sequence = inventory_.NextSequence(task),
                              .salt = options_.log_salt,
                              .nodes = of.second};
    const std::string directory = absl::StrCat(options_.held_directory, "/", ToHex(task));
    absl::StatusOr<std::unique_ptr<LogWriter>> writer =
        LogWriter::Create(directory, header, options_.fault);
    if (!writer.ok()) return Failed(writer.status());
    open = open_.emplace(of, OpenLog{*std::move(writer), 0}).first;
  }
  OpenLog& log = open->second;
  const absl::Status status =
      log.writer->Append(group.frame, log.unsaved_duplicates + group.duplicates);
  if (log.writer->broken()) in_doubt_.insert(task);
  if (!status.ok()) return Failed(status);
  failure_.clear();
  log.unsaved_duplicates = 0;
  return absl::OkStatus();
}

absl::Status Committer::Failed(const absl::Status& status) {
  // Once for each cause, not once for each commit.
  if (std::string text = status.ToString(); text != failure_) {
    log::Error("commit_failed", {{"status", text}});
    failure_ = std::move(text);
  }
  return AsRefusal(status);
}

void Committer::EndLogs() {
  for (auto& [of, log] : open_) {
    if (log.writer->broken()) continue;
    // Nobody waits for these; a crash may lose them too. An empty frame ends the log (EndLog).
    if (log.unsaved_duplicates > 0) {
      FrameBuilder duplicates;
      if (!log.writer->Append(duplicates, log.unsaved_duplicates).ok()) continue;
    }
    FrameBuilder end;
    log.writer->Append(end, 0).IgnoreError();
  }
}

}  // namespace tombola::shuffler
