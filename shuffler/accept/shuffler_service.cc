#include "shuffler/accept/shuffler_service.h"

#include <utility>

#include "common/rpc/status.h"
#include "shuffler/accept/submit_door.h"

namespace tombola::shuffler {
namespace {

constexpr char kSubmissions[] = "tombola_shuffler_submissions_total";
constexpr char kSubmissionsHelp[] = "Submissions answered, by outcome.";

grpc::ServerUnaryReactor* FinishNow(grpc::CallbackServerContext* context,
                                    const absl::Status& status) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(rpc::ToGrpc(status));
  return reactor;
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
      rejected_(parts_.metrics->Counter(kSubmissions, kSubmissionsHelp, {{"outcome", "rejected"}})),
      refused_calls_(parts_.metrics->Counter("tombola_shuffler_calls_refused_total",
                                             "Submit calls that were refused as a whole.")) {}

grpc::ServerUnaryReactor* ShufflerService::GetTask(grpc::CallbackServerContext* context,
                                                   const v1::GetTaskRequest* request,
                                                   v1::GetTaskResponse* response) {
  const auto id = IdFromBytes<TaskId>(request->task_id());
  if (!id.has_value()) {
    return FinishNow(context, absl::InvalidArgumentError("task_id must be 32 bytes"));
  }
  const auto entry = parts_.catalog->Find(*id);
  if (!entry.has_value()) {
    parts_.unknown_task();
    return FinishNow(context, absl::NotFoundError("task_id names no task of this shuffler"));
  }
  response->set_task(entry->task->bytes());
  return FinishNow(context, absl::OkStatus());
}

grpc::ServerUnaryReactor* ShufflerService::GetKeyList(grpc::CallbackServerContext* context,
                                                      const v1::GetKeyListRequest*,
                                                      v1::SignedKeyList* response) {
  auto keys = parts_.catalog->SignedKeys();
  if (keys.ok()) *response = *std::move(keys);
  return FinishNow(context, keys.status());
}

grpc::ServerUnaryReactor* ShufflerService::Submit(grpc::CallbackServerContext* context,
                                                  const v1::SubmitRequest* request,
                                                  v1::SubmitResponse* response) {
  const auto call = CheckSubmit(*request, *parts_.catalog, parts_.clock->Now());
  if (!call.ok()) {
    refused_calls_.Increment();
    return FinishNow(context, call.status());
  }
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  parts_.store->Accept(*call,
                       [this, reactor, response](absl::StatusOr<std::vector<Outcome>> outcomes) {
                         Answer(outcomes, response);
                         reactor->Finish(rpc::ToGrpc(outcomes.status()));
                       });
  return reactor;
}

void ShufflerService::Answer(const absl::StatusOr<std::vector<Outcome>>& outcomes,
                             v1::SubmitResponse* response) {
  if (!outcomes.ok()) {
    refused_calls_.Increment();
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
  if (accepted > 0) parts_.accepted();
}

}  // namespace tombola::shuffler
