#include "client/session/session.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/encode/memo.h"
#include "client/policy/check.h"
#include "common/base/retry_after.h"
#include "common/base/status_macros.h"
#include "common/crypto/sha256.h"
#include "common/kind/kind.h"

namespace tombola::client {
namespace {

constexpr size_t kSubmissionsPerCall = 1000;
// Half of what the shuffler takes in one call.
constexpr size_t kBytesPerCall = size_t{4} << 20;

// So many that their reports fit into a call, even if every submission has the most it may have.
size_t SubmissionsPerCall(const Task& task) {
  const size_t most =
      static_cast<size_t>(task.scheme()->max_reports_per_submission()) * task.sealed_bytes();
  return std::clamp<size_t>(kBytesPerCall / most, 1, kSubmissionsPerCall);
}

std::optional<TokenDigest> DigestOf(const std::string& token) {
  if (token.empty()) return std::nullopt;
  return crypto::Sha256(token);
}

SubmissionId DrawId(RandomSource& random) {
  SubmissionId id;
  random.Fill(absl::MakeSpan(id));
  return id;
}

v1::SubmitRequest RequestFor(const Task& task, const Pending& pending) {
  SubmitCall call(task, pending.part, pending.window);
  call.Add(pending.id, pending.groups);
  return call.request();
}

// What a ledger holds that fits the task.
absl::Status CheckMemos(const Task& task, const Memos& memos) {
  if (memos.drawn.empty()) return absl::OkStatus();
  const size_t bytes = MemoEncoder(task.kind().tables()[0]).bytes();
  const auto cells = static_cast<uint64_t>(task.kind().tables()[0]->domain_size());
  const bool fit = std::all_of(memos.drawn.begin(), memos.drawn.end(), [&](const Memo& memo) {
    return memo.cell < cells && memo.memo.size() == bytes;
  });
  const bool few = static_cast<int64_t>(memos.drawn.size()) <= task.kind().memo_values();
  if (fit && few) return absl::OkStatus();
  return absl::DataLossError("the device's ledger has memos that the task does not ask for");
}

RecordView ViewOf(const Record& record) {
  return std::visit([](const auto& held) { return RecordView(held); }, record);
}

}  // namespace

Session::Turn::Turn(Session& session) : session_(session) {
  MutexLock lock(session_.mutex_);
  while (session_.turn_taken_) session_.turn_free_.Wait(session_.mutex_);
  session_.turn_taken_ = true;
}

Session::Turn::~Turn() {
  MutexLock lock(session_.mutex_);
  session_.turn_taken_ = false;
  session_.turn_free_.NotifyOne();
}

absl::StatusOr<std::unique_ptr<Session>> Session::Create(const SessionOptions& options,
                                                         SessionParts parts) {
  TOMBOLA_RETURN_IF_ERROR(CheckPolicy(options.policy));
  std::unique_ptr<Session> session(new Session(options, std::move(parts)));
  TOMBOLA_RETURN_IF_ERROR(session->Start());
  return session;
}

absl::Status Session::Start() {
  const auto random = parts_.make_random();
  std::string bytes;
  TOMBOLA_RETURN_IF_ERROR(Retry(options_.retry, *parts_.clock, *random, parts_.pause,
                                [&](absl::Duration timeout) -> absl::Status {
                                  TOMBOLA_ASSIGN_OR_RETURN(
                                      bytes, parts_.transport->GetTask(options_.task, timeout));
                                  return absl::OkStatus();
                                }));
  TOMBOLA_ASSIGN_OR_RETURN(task_, Task::Parse(std::move(bytes)));
  if (task_->id() != options_.task) {
    return absl::UnauthenticatedError(
        "the shuffler's task does not have the id that was asked for");
  }
  TOMBOLA_RETURN_IF_ERROR(CheckTask(*task_, options_.policy));
  placer_ = Placers::BuiltIn().Make(task_);
  {
    MutexLock lock(mutex_);
    TOMBOLA_ASSIGN_OR_RETURN(ledger_, Ledger::Open(options_.ledger_directory, task_->id()));
    TOMBOLA_RETURN_IF_ERROR(CheckMemos(*task_, ledger_->memos()));
  }
  // Of a stream there are keys for its own time alone; what waits may still go out, or hear that
  // it comes too late.
  if (task_->nodes() != nullptr && !CheckOpen().ok()) return absl::OkStatus();
  TOMBOLA_ASSIGN_OR_RETURN(const Recipient recipient, CurrentRecipient(*random));
  return CheckPromise(recipient.part);
}

absl::Status Session::CheckOpen() const {
  const absl::Time now = parts_.clock->Now();
  if (now < task_->not_before() || now >= task_->not_after()) {
    return absl::FailedPreconditionError("the task is not open at this time");
  }
  return absl::OkStatus();
}

absl::StatusOr<Recipient> Session::RecipientOf(const KeyList& keys, const KeyListVersion& seen,
                                               absl::Time now) const {
  TOMBOLA_RETURN_IF_ERROR(CheckAge(keys, *task_, now));
  Recipient recipient{.part = task_->PartAt(now), .keys = {}};
  TOMBOLA_ASSIGN_OR_RETURN(recipient.keys, KeysFor(*task_, keys, recipient.part, now));
  TOMBOLA_RETURN_IF_ERROR(CheckKeys(keys, recipient.keys, seen, *task_));
  return recipient;
}

absl::Status Session::CheckPromise(uint64_t part) {
  {
    MutexLock lock(mutex_);
    if (kept_promise_ == part) return absl::OkStatus();
  }
  TOMBOLA_RETURN_IF_ERROR(CheckPeriod(*task_, part));
  MutexLock lock(mutex_);
  kept_promise_ = part;
  return absl::OkStatus();
}

KeyListVersion Session::SeenKeys() const {
  const bool newer = keys_.has_value() && keys_->serial() >= ledger_->key_list().serial;
  return newer ? keys_->version() : ledger_->key_list();
}

absl::StatusOr<Recipient> Session::CachedRecipient(absl::Time now) const {
  if (!keys_.has_value() || now - keys_fetched_ >= options_.key_list_age) {
    return absl::NotFoundError("the key list is to be fetched");
  }
  return RecipientOf(*keys_, SeenKeys(), now);
}

absl::StatusOr<KeyList> Session::FetchKeys(RandomSource& random) {
  v1::SignedKeyList wire;
  TOMBOLA_RETURN_IF_ERROR(Retry(options_.retry, *parts_.clock, random, parts_.pause,
                                [&](absl::Duration timeout) -> absl::Status {
                                  TOMBOLA_ASSIGN_OR_RETURN(wire,
                                                           parts_.transport->GetKeyList(timeout));
                                  return absl::OkStatus();
                                }));
  return KeyList::Verify(wire.key_list(), wire.signature(), task_->collector_key());
}

absl::StatusOr<Recipient> Session::CurrentRecipient(RandomSource& random) {
  KeyListVersion seen;
  absl::Time now = parts_.clock->Now();
  {
    MutexLock lock(mutex_);
    absl::StatusOr<Recipient> cached = CachedRecipient(now);
    if (cached.ok()) return cached;
    seen = SeenKeys();
  }
  TOMBOLA_ASSIGN_OR_RETURN(KeyList fetched, FetchKeys(random));
  now = parts_.clock->Now();
  TOMBOLA_ASSIGN_OR_RETURN(const Recipient recipient, RecipientOf(fetched, seen, now));
  MutexLock lock(mutex_);
  // Another call may have fetched a newer list since: then ours was overtaken, not rolled back.
  if (keys_.has_value() && keys_->serial() > fetched.serial()) {
    return RecipientOf(*keys_, SeenKeys(), now);
  }
  // Or another one of this serial.
  TOMBOLA_RETURN_IF_ERROR(CheckSuccessor(SeenKeys(), fetched.version()));
  TOMBOLA_RETURN_IF_ERROR(ledger_->NoteKeyList(fetched.version()));
  keys_ = std::move(fetched);
  keys_fetched_ = now;
  return recipient;
}

absl::StatusOr<Pending> Session::Prepare(const mechanism::Cells& cells, const Recipient& recipient,
                                         const std::optional<TokenDigest>& token,
                                         RandomSource& random, std::optional<Memos>* memos) const {
  Pending pending;
  pending.id = DrawId(random);
  pending.part = recipient.part;
  pending.window = task_->WindowAt(parts_.clock->Now());
  TOMBOLA_ASSIGN_OR_RETURN(SubmissionSealer sealer, SubmissionSealer::Create(*task_, recipient));
  if (task_->kind().memo_values() > 0) {
    *memos = CopyMemos();
    const std::string report = ReportByMemo(cells.front().index, random, &**memos);
    TOMBOLA_RETURN_IF_ERROR(sealer.SealReport(report, random, &pending.groups));
  } else {
    TOMBOLA_RETURN_IF_ERROR(sealer.Seal(cells, random, &pending.groups));
  }
  pending.token = token;
  return pending;
}

std::string Session::ReportByMemo(uint64_t cell, RandomSource& random, Memos* memos) const {
  const MemoEncoder encoder(task_->kind().tables()[0]);
  if (const std::optional<size_t> place = memos->Find(cell)) {
    memos->last = *place;
  } else if (static_cast<int64_t>(memos->drawn.size()) < task_->kind().memo_values()) {
    memos->last = memos->drawn.size();
    memos->drawn.push_back({.cell = cell, .memo = encoder.Draw(cell, random)});
  }
  return encoder.Say(memos->drawn[memos->last].memo, random);
}

absl::Status Session::SubmitWithRetry(const v1::SubmitRequest& request, RandomSource& random,
                                      v1::SubmitResponse* response) {
  const absl::Status status =
      Retry(options_.retry, *parts_.clock, random, parts_.pause,
            [&](absl::Duration timeout) -> absl::Status {
              TOMBOLA_ASSIGN_OR_RETURN(*response, parts_.transport->Submit(request, timeout));
              return absl::OkStatus();
            });
  if (absl::IsFailedPrecondition(status)) {
    // It may be for the key's sake: the next submission is sealed to one of a fresh list.
    MutexLock lock(mutex_);
    keys_fetched_ = absl::InfinitePast();
  }
  TOMBOLA_RETURN_IF_ERROR(status);
  const size_t submissions = request.submission_ids().size() / sizeof(SubmissionId);
  if (static_cast<size_t>(response->outcomes_size()) != submissions) {
    return absl::InternalError("the shuffler's answer does not have an outcome a submission");
  }
  return absl::OkStatus();
}

std::optional<Pending> Session::CopyPending() const {
  MutexLock lock(mutex_);
  return ledger_->pending();
}

std::optional<Ending> Session::EndingOf(const TokenDigest& token) const {
  MutexLock lock(mutex_);
  return ledger_->EndingOf(token);
}

absl::Status Session::CheckBudget(uint64_t part) const {
  MutexLock lock(mutex_);
  if (ledger_->submissions() >= task_->submissions_per_device()) {
    return absl::FailedPreconditionError(absl::StrCat("this device has made all of its ",
                                                      task_->submissions_per_device(),
                                                      " submission(s) for the task"));
  }
  // One that was begun counts, whatever became of it. The others are free in whatever order they
  // come: a clock that was far ahead for a while cost one period and not all before it.
  if (task_->periods().has_value() && ledger_->BegunIn(part)) {
    return absl::FailedPreconditionError(
        absl::StrCat("this device has made its submission of period ", part,
                     " already, and may make the next in another"));
  }
  return absl::OkStatus();
}

absl::Status Session::Begin(const Pending& pending, const std::optional<Memos>& memos) {
  MutexLock lock(mutex_);
  return ledger_->Begin(pending, memos);
}

Memos Session::CopyMemos() const {
  MutexLock lock(mutex_);
  return ledger_->memos();
}

absl::Status Session::Deliver(const Pending& pending, RandomSource& random) {
  v1::SubmitResponse response;
  const absl::Status status = SubmitWithRetry(RequestFor(*task_, pending), random, &response);
  // Whatever may pass is kept and sent again later; a refusal is final.
  if (IsTransient(status)) return status;
  const bool delivered = status.ok() && (response.outcomes(0) == v1::OUTCOME_ACCEPTED ||
                                         response.outcomes(0) == v1::OUTCOME_DUPLICATE);
  {
    MutexLock lock(mutex_);
    TOMBOLA_RETURN_IF_ERROR(ledger_->End(delivered ? Ending::kDelivered : Ending::kRefused));
  }
  TOMBOLA_RETURN_IF_ERROR(status);
  return delivered ? absl::OkStatus()
                   : absl::FailedPreconditionError("the shuffler refused the submission");
}

std::optional<absl::Status> Session::Known(const TokenDigest& token, RandomSource& random) {
  const std::optional<Pending> waiting = CopyPending();
  if (waiting.has_value() && waiting->token == token) return Deliver(*waiting, random);
  const std::optional<Ending> ending = EndingOf(token);
  if (!ending.has_value()) return std::nullopt;
  if (*ending == Ending::kDelivered) return absl::OkStatus();
  return absl::FailedPreconditionError("the shuffler refused the submission of this token");
}

absl::Status Session::MakeRoom(RandomSource& random) {
  const std::optional<Pending> waiting = CopyPending();
  if (!waiting.has_value()) return CheckBudget(task_->PartAt(parts_.clock->Now()));
  const absl::Status status = Deliver(*waiting, random);
  if (CopyPending().has_value()) {
    return WithMessage(absl::StrCat("an earlier submission waits to be delivered, and this one was "
                                    "not begun: ",
                                    status.message()),
                       status);
  }
  const absl::Status budget = CheckBudget(task_->PartAt(parts_.clock->Now()));
  if (budget.ok()) return budget;
  return WithMessage(
      absl::StrCat(budget.message(), status.ok() ? "; the one that waited is delivered now"
                                                 : "; the one that waited was refused"),
      budget);
}

// Nothing before Prepare may look at the record, but for whether it is one of the task's: what is
// sent, and how often, must not depend on it.
absl::Status Session::Report(const RecordView& record, const ReportOptions& options) {
  const std::optional<TokenDigest> token = DigestOf(options.token);
  const auto random = parts_.make_random();
  const Turn turn(*this);
  if (token.has_value()) {
    if (std::optional<absl::Status> outcome = Known(*token, *random)) return *std::move(outcome);
  }
  TOMBOLA_RETURN_IF_ERROR(CheckOpen());
  if (task_->kind().memo_values() > 0 && options_.ledger_directory.empty()) {
    return absl::FailedPreconditionError(
        "a task with memos needs a ledger directory: a memo that is forgotten would be drawn anew, "
        "and say more");
  }
  const absl::Status room = MakeRoom(*random);
  TOMBOLA_ASSIGN_OR_RETURN(const mechanism::Cells cells, placer_->Place(record, *random));
  TOMBOLA_RETURN_IF_ERROR(room);
  TOMBOLA_ASSIGN_OR_RETURN(const Recipient recipient, CurrentRecipient(*random));
  TOMBOLA_RETURN_IF_ERROR(CheckBudget(recipient.part));
  TOMBOLA_RETURN_IF_ERROR(CheckPromise(recipient.part));
  std::optional<Memos> memos;
  TOMBOLA_ASSIGN_OR_RETURN(const Pending pending,
                           Prepare(cells, recipient, token, *random, &memos));
  TOMBOLA_RETURN_IF_ERROR(Begin(pending, memos));
  return Deliver(pending, *random);
}

bool Session::Delivered(const std::string& token) const {
  const std::optional<TokenDigest> digest = DigestOf(token);
  return digest.has_value() && EndingOf(*digest) == Ending::kDelivered;
}

absl::Status Session::Flush() {
  const auto random = parts_.make_random();
  const Turn turn(*this);
  const std::optional<Pending> waiting = CopyPending();
  return waiting.has_value() ? Deliver(*waiting, *random) : absl::OkStatus();
}

absl::Status Session::SendMany(absl::Span<const mechanism::Cells> submissions, RandomSource& random,
                               BulkOutcome* outcome) {
  TOMBOLA_ASSIGN_OR_RETURN(const Recipient recipient, CurrentRecipient(random));
  TOMBOLA_RETURN_IF_ERROR(CheckPromise(recipient.part));
  TOMBOLA_ASSIGN_OR_RETURN(SubmissionSealer sealer, SubmissionSealer::Create(*task_, recipient));
  SubmitCall call(*task_, recipient.part, task_->WindowAt(parts_.clock->Now()));
  std::vector<SealedGroup> groups;
  for (const mechanism::Cells& cells : submissions) {
    TOMBOLA_RETURN_IF_ERROR(sealer.Seal(cells, random, &groups));
    call.Add(DrawId(random), groups);
  }
  v1::SubmitResponse response;
  TOMBOLA_RETURN_IF_ERROR(SubmitWithRetry(call.request(), random, &response));
  for (const int result : response.outcomes()) {
    if (result == v1::OUTCOME_ACCEPTED) {
      ++outcome->accepted;
    } else if (result == v1::OUTCOME_DUPLICATE) {
      ++outcome->duplicates;
    } else {
      ++outcome->rejected;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<BulkOutcome> Session::ReportMany(absl::Span<const std::string> values) {
  return ReportEach(values.size(),
                    [&](size_t place) -> RecordView { return absl::string_view(values[place]); });
}

absl::StatusOr<BulkOutcome> Session::ReportRecords(absl::Span<const Record> records) {
  return ReportEach(records.size(), [&](size_t place) { return ViewOf(records[place]); });
}

absl::StatusOr<BulkOutcome> Session::ReportEach(size_t count,
                                                absl::FunctionRef<RecordView(size_t)> record_at) {
  TOMBOLA_RETURN_IF_ERROR(CheckOpen());
  const auto random = parts_.make_random();
  BulkOutcome outcome;
  std::vector<mechanism::Cells> known;
  const size_t per_call = SubmissionsPerCall(*task_);
  for (size_t at = 0; at < count; at += per_call) {
    known.clear();
    const size_t end = std::min(count, at + per_call);
    for (size_t place = at; place < end; ++place) {
      auto cells = placer_->Place(record_at(place), *random);
      if (cells.ok()) {
        known.push_back(*std::move(cells));
      } else {
        ++outcome.rejected;
        outcome.outside.push_back(place);
        outcome.why.emplace_back(cells.status().message());
      }
    }
    if (!known.empty()) TOMBOLA_RETURN_IF_ERROR(SendMany(known, *random, &outcome));
  }
  return outcome;
}

}  // namespace tombola::client
