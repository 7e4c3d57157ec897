#include "shuffler/accept/shuffler_service.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/retry_after.h"
#include "common/base/status_macros.h"
#include "common/rpc/admitted_call.h"
#include "common/rpc/peer.h"
#include "common/rpc/status.h"
#include "shuffler/accept/submit_door.h"

namespace tombola::shuffler {
namespace {

constexpr char kSubmissions[] = "tombola_shuffler_submissions_total";
constexpr char kSubmissionsHelp[] = "Submissions answered, by outcome.";

// The memory of a call beside its request and answer: gRPC's and ours.
constexpr int64_t kCallBytes = 8 << 10;
constexpr size_t kMostReasonBytes = 512;  // of a refusal: labels may be long

// What a Submit holds from here to its answer: the request, and its entry in the store's queue.
absl::StatusOr<int64_t> SubmitBytes(const v1::SubmitRequest& request, const SubmitBatch& call,
                                    const Store& store) {
  TOMBOLA_ASSIGN_OR_RETURN(const int64_t queued, store.QueuedBytes(call));
  // As SpaceUsedLong() would say, which looks at every field by reflection.
  size_t request_bytes =
      sizeof(request) + request.task_id().capacity() + request.key_id().capacity() +
      request.submission_ids().capacity() + request.sealed_reports().capacity() +
      request.report_counts().SpaceUsedExcludingSelfLong() +
      request.GetReflection()->GetUnknownFields(request).SpaceUsedExcludingSelfLong();
  for (const v1::NodeGroup& group : request.groups()) request_bytes += group.SpaceUsedLong();
  return kCallBytes + queued + static_cast<int64_t>(request_bytes);
}

absl::Status Starting() {
  absl::Status status = absl::UnavailableError("starting: what is held is being looked at");
  SetRetryAfter(absl::Seconds(1), &status);
  return WithCause("starting", std::move(status));
}

v1::Outcome ToProto(Outcome outcome) {
  switch (outcome) {
    case Outcome::kAccepted:
      return v1::OUTCOME_ACCEPTED;
    case Outcome::kDuplicate:
      return v1::OUTCOME_DUPLICATE;
    case Outcome::kRejected:
      return v1::OUTCOME_REJECTED;
  }
  return v1::OUTCOME_UNSPECIFIED;
}

}  // namespace

ShufflerService::ShufflerService(Parts parts)
    : parts_(std::move(parts)),
      accepted_(parts_.metrics->Counter(kSubmissions, kSubmissionsHelp, {{"outcome", "accepted"}})),
      duplicates_(
          parts_.metrics->Counter(kSubmissions, kSubmissionsHelp, {{"outcome", "duplicate"}})),
      rejected_(
          parts_.metrics->Counter(kSubmissions, kSubmissionsHelp, {{"outcome", "rejected"}})) {
  SetMessageAllocatorFor_Submit(&submit_messages_);
}

absl::Status ShufflerService::CheckRole(const grpc::CallbackServerContext& context) const {
  return rpc::RequireDevice(*context.auth_context(), parts_.revocation);
}

grpc::ServerUnaryReactor* ShufflerService::Refuse(grpc::CallbackServerContext* context,
                                                  const absl::Status& status) {
  parts_.refusals->Count(status);
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(rpc::ToGrpc(status));
  return reactor;
}

grpc::ServerUnaryReactor* ShufflerService::GetTask(grpc::CallbackServerContext* context,
                                                   const v1::GetTaskRequest* request,
                                                   v1::GetTaskResponse* response) {
  if (const absl::Status role = CheckRole(*context); !role.ok()) return Refuse(context, role);
  const absl::StatusOr<TaskId> id = RequireId<TaskId>("task_id", request->task_id());
  if (!id.ok()) return Refuse(context, id.status());
  const auto entry = parts_.catalog->Find(*id);
  if (!entry.has_value()) {
    const absl::Status why = parts_.catalog->WhyNot(*id);
    if (why.ok()) {
      return Refuse(context, absl::NotFoundError("task_id names no task of this shuffler"));
    }
    return Refuse(context, absl::FailedPreconditionError(
                               absl::StrCat("this shuffler does not serve the task: ",
                                            why.message().substr(0, kMostReasonBytes))));
  }
  auto seat = parts_.lookup_seats->Enter(*context);
  if (!seat.ok()) return Refuse(context, seat.status());
  const auto bytes = static_cast<int64_t>(entry->task->bytes().size());
  // Twice: the message, and its bytes on their way.
  auto ticket = parts_.lookups->Enter(*id, kCallBytes + 2 * bytes);
  if (!ticket.ok()) return Refuse(context, ticket.status());
  response->set_task(entry->task->bytes());
  auto* const call =
      new rpc::AdmittedCall(*std::move(ticket), parts_.lookup_watch, context, *std::move(seat));
  call->Answer(grpc::Status::OK, bytes);
  return call;
}

grpc::ServerUnaryReactor* ShufflerService::GetKeyList(grpc::CallbackServerContext* context,
                                                      const v1::GetKeyListRequest*,
                                                      v1::SignedKeyList* response) {
  if (const absl::Status role = CheckRole(*context); !role.ok()) return Refuse(context, role);
  auto seat = parts_.lookup_seats->Enter(*context);
  if (!seat.ok()) return Refuse(context, seat.status());
  auto keys = parts_.catalog->SignedKeys();
  if (!keys.ok()) return Refuse(context, WithCause("no_keys", keys.status()));
  // No task's: they share as one. Streams make the list long.
  const auto bytes = static_cast<int64_t>(keys->ByteSizeLong());
  auto ticket = parts_.lookups->Enter(TaskId{}, kCallBytes + 2 * bytes);
  if (!ticket.ok()) return Refuse(context, ticket.status());
  *response = *std::move(keys);
  auto* const call =
      new rpc::AdmittedCall(*std::move(ticket), parts_.lookup_watch, context, *std::move(seat));
  // Whoever does not read it holds it back from everybody: there is little patience, as for short
  // answers.
  call->Answer(grpc::Status::OK, std::min(bytes, kCallBytes));
  return call;
}

grpc::ServerUnaryReactor* ShufflerService::Submit(grpc::CallbackServerContext* context,
                                                  const v1::SubmitRequest* request,
                                                  v1::SubmitResponse*) {
  if (const absl::Status role = CheckRole(*context); !role.ok()) return Refuse(context, role);
  // By a clock in doubt a device would be told for good what is true for a moment only.
  const auto now = parts_.clock->SureNow();
  if (!now.ok()) return Refuse(context, now.status());
  if (!parts_.looked()) return Refuse(context, Starting());
  const auto batch = CheckSubmit(*request, *parts_.catalog, *now);
  if (!batch.ok()) return Refuse(context, batch.status());
  const auto bytes = SubmitBytes(*request, *batch, *parts_.store);
  if (!bytes.ok()) return Refuse(context, bytes.status());
  auto ticket = parts_.submissions->Enter(batch->of.task, *bytes);
  if (!ticket.ok()) return Refuse(context, ticket.status());
  SubmitMessages& messages = SubmitMessages::Of(context);
  grpc::ServerUnaryReactor* const reactor =
      messages.Admit(*std::move(ticket), parts_.watch, context);
  // Two pointers: a callback that needs no memory of its own.
  parts_.store->Accept(*batch,
                       [this, &messages](const absl::StatusOr<std::vector<Outcome>>& outcomes) {
                         Answer(outcomes, messages.response());
                         messages.Finish(rpc::ToGrpc(outcomes.status()));
                       });
  return reactor;
}

void ShufflerService::Answer(const absl::StatusOr<std::vector<Outcome>>& outcomes,
                             v1::SubmitResponse* response) {
  if (!outcomes.ok()) {
    parts_.refusals->Count(outcomes.status());
    return;
  }
  int64_t accepted = 0, duplicates = 0, rejected = 0;
  for (const Outcome outcome : *outcomes) {
    response->add_outcomes(ToProto(outcome));
    accepted += outcome == Outcome::kAccepted;
    duplicates += outcome == Outcome::kDuplicate;
    rejected += outcome == Outcome::kRejected;
  }
  if (accepted > 0) accepted_.Increment(static_cast<double>(accepted));
  if (duplicates > 0) duplicates_.Increment(static_cast<double>(duplicates));
  if (rejected > 0) rejected_.Increment(static_cast<double>(rejected));
}

}  // namespace tombola::shuffler
