#include "collector/query/answers.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "collector/query/asked_periods.h"
#include "collector/query/envelope.h"
#include "collector/query/quality.h"
#include "collector/query/stream_nodes.h"
#include "collector/query/string_search.h"
#include "common/base/status_macros.h"
#include "common/kind/kind.h"
#include "common/kind/strings.h"

namespace tombola::collector {
namespace {

constexpr int64_t kEnvelopeBytes = int64_t{1} << 16;  // more than it takes

// What the counts of a batch take in memory.
int64_t CountBytes(const Task& task) {
  int64_t bytes = 0;
  for (size_t i = 0; i < task.kind().tables().size(); ++i) {
    if (task.kind().tables()[i]->sparse()) continue;  // no answer adds them up by itself
    bytes += task.kind().tables()[i]->domain_size() * static_cast<int64_t>(sizeof(int64_t));
  }
  return bytes;
}

// What its guarantee depends on. Where there are periods a device has at most one submission in
// each; one at least is in a batch that was counted, else it is not in the answer.
Answered AnsweredOf(const Task& task, const TaskTotals& totals,
                    const std::optional<PartRange>& asked, absl::Time now) {
  Answered answered{.smallest_batch = totals.smallest_batch,
                    .submissions = task.submissions_per_device(),
                    .made = task.submissions_per_device(),
                    .smallest_quarantined = totals.smallest_quarantined};
  const auto at_most = [](int64_t submissions, uint64_t periods) {
    return static_cast<int64_t>(std::min(static_cast<uint64_t>(submissions), periods));
  };
  if (task.periods().has_value()) {
    answered.made = at_most(answered.made, BegunPeriods(*task.periods(), asked, totals.parts, now));
    answered.submissions = at_most(answered.submissions, totals.opened_parts.Count());
    answered.quarantined = at_most(answered.submissions - 1, totals.quarantined_parts.Count());
  } else if (!totals.quarantined_parts.empty()) {
    answered.quarantined = answered.submissions - 1;
  }
  return answered;
}

absl::Status Left() { return absl::CancelledError("nobody waits for the answer any more"); }

}  // namespace

absl::Status Answers::CheckAnswerable(const Task& task) const {
  const Answerer& answerer = answerers_->Of(task.kind().name());
  v1::GetAnswerRequest least;
  answerer.AskLeast(&least);
  TOMBOLA_ASSIGN_OR_RETURN(const int64_t bytes, answerer.Bytes(task, least, AnswerForm::kMessage));
  const int64_t needed = kEnvelopeBytes + bytes;
  const int64_t most = budget_->limits().bytes;
  if (needed <= most) return absl::OkStatus();
  int64_t cells = 0;
  for (size_t i = 0; i < task.kind().tables().size(); ++i) {
    cells += task.kind().tables()[i]->domain_size();
  }
  constexpr int64_t kMiB = int64_t{1} << 20;
  return absl::InvalidArgumentError(absl::StrCat(
      "the task counts ", cells, " cells, of which the smallest answer takes ",
      (needed + kMiB - 1) / kMiB, " MiB; all answers together may take ", most / kMiB,
      " (the collector's --max-answers-mib): ask for fewer values, bins or questions"));
}

absl::StatusOr<FairShare::Ticket> Answers::Admit(const v1::GetAnswerRequest& request,
                                                 AnswerForm form) const {
  absl::StatusOr<FairShare::Ticket> ticket = Enter(request, form);
  if (!ticket.ok()) metrics_->Refused(ticket.status());
  return ticket;
}

absl::Status Answers::Fill(const v1::GetAnswerRequest& request, v1::Answer* answer,
                           const std::function<bool()>& left) {
  const auto began = std::chrono::steady_clock::now();
  absl::Status status = Compute(request, answer, left);
  if (status.ok()) status = SetCaption(request, answer);
  if (status.ok()) {
    metrics_->Took(absl::FromChrono(std::chrono::steady_clock::now() - began));
  } else if (!absl::IsCancelled(status)) {
    metrics_->Refused(status);
  }
  return status;
}

absl::StatusOr<FairShare::Ticket> Answers::Enter(const v1::GetAnswerRequest& request,
                                                 AnswerForm form) const {
  TOMBOLA_ASSIGN_OR_RETURN(const TaskId id, RequireId<TaskId>("task_id", request.task_id()));
  TOMBOLA_ASSIGN_OR_RETURN(const CatalogEntry entry, catalog_->Find(id));
  TOMBOLA_ASSIGN_OR_RETURN(const Answerer* const answerer,
                           answerers_->For(entry.task->kind().name(), request));
  TOMBOLA_ASSIGN_OR_RETURN(const int64_t bytes, answerer->Bytes(*entry.task, request, form));
  TOMBOLA_ASSIGN_OR_RETURN(const auto asked, AskedPeriods(*entry.task, request));
  // The sum over some periods, or a node, is made for this answer alone, beside one batch of them.
  const bool sums = asked.has_value() || entry.task->nodes() != nullptr;
  const int64_t summed = sums ? 2 * CountBytes(*entry.task) : 0;
  return budget_->Enter(id, kEnvelopeBytes + bytes + summed);
}

absl::Status Answers::Compute(const v1::GetAnswerRequest& request, v1::Answer* answer,
                              const std::function<bool()>& left) {
  TOMBOLA_ASSIGN_OR_RETURN(const TaskId id, RequireId<TaskId>("task_id", request.task_id()));
  TOMBOLA_ASSIGN_OR_RETURN(const CatalogEntry entry, catalog_->Find(id));
  const Task& task = *entry.task;
  TOMBOLA_ASSIGN_OR_RETURN(const Answerer* const answerer,
                           answerers_->For(task.kind().name(), request));
  TOMBOLA_ASSIGN_OR_RETURN(const Postprocess postprocess, CheckRequest(request));
  TOMBOLA_ASSIGN_OR_RETURN(const auto asked, AskedPeriods(task, request));
  if (task.nodes() != nullptr) {
    return OfNodes(entry, *answerer, {asked, postprocess}, request, left, answer);
  }
  if (task.kind().tables()[0]->sparse()) {
    return OfStrings(entry, *answerer, {asked, postprocess}, request, answer);
  }
  std::shared_ptr<const TaskTotals> totals = ledger_->Totals(id);
  if (asked.has_value() && !totals->opened_parts.Within(*asked)) {
    TOMBOLA_ASSIGN_OR_RETURN(TaskTotals sum, ledger_->Sum(id, *asked, left));
    totals = std::make_shared<const TaskTotals>(std::move(sum));
  }
  if (totals->counted_batches == 0) {
    return absl::FailedPreconditionError(
        NothingCounted(entry, asked, catalog_->RestoresOf(id), clock_->Now()));
  }
  if (left()) return Left();
  TOMBOLA_RETURN_IF_ERROR(answerer->Fill({.task = task,
                                          .counts = totals->counts,
                                          .tally = totals->tally,
                                          .batches = totals->counted_batches},
                                         request, postprocess, answer));
  if (left()) return Left();
  return FillAround(task, *totals, asked, answer);
}

absl::Status Answers::FillAround(const Task& task, const TaskTotals& totals,
                                 const std::optional<PartRange>& asked, v1::Answer* answer) {
  const Answered answered = AnsweredOf(task, totals, asked, clock_->Now());
  if (task.periods().has_value()) {
    *answer->mutable_periods() =
        DescribePeriods(*task.periods(), asked, totals.parts, clock_->Now());
  }
  TOMBOLA_ASSIGN_OR_RETURN(const Guarantee guarantee, guarantees_.For(task, answered));
  FillEnvelope(task, totals, guarantee, QualityOf(task, totals), catalog_->RestoresOf(task.id()),
               answer);
  return absl::OkStatus();
}

absl::Status Answers::SetCaption(const v1::GetAnswerRequest& request, v1::Answer* answer) const {
  TOMBOLA_ASSIGN_OR_RETURN(const TaskId id, RequireId<TaskId>("task_id", request.task_id()));
  TOMBOLA_ASSIGN_OR_RETURN(const CatalogEntry entry, catalog_->Find(id));
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<BatchRecord> newest,
                           ledger_->Newest(entry.task->id(), 1));
  v1::Caption& caption = *answer->mutable_caption();
  caption.set_name(entry.task->name());
  if (!newest.empty() && newest[0].finished.has_value()) {
    caption.set_as_of(absl::ToUnixSeconds(*newest[0].finished));
  }
  caption.set_confidence(request.confidence());
  caption.set_postprocess(request.postprocess());
  if (entry.task->supersedes().has_value()) {
    caption.set_supersedes(std::string(AsView(*entry.task->supersedes())));
  }
  if (entry.superseded_by.has_value()) {
    caption.set_superseded_by(std::string(AsView(*entry.superseded_by)));
  }
  return absl::OkStatus();
}

absl::Status Answers::OfStrings(const CatalogEntry& entry, const Answerer& answerer,
                                const Checked& checked, const v1::GetAnswerRequest& request,
                                v1::Answer* answer) {
  const Task& task = *entry.task;
  if (decodings_ == nullptr) return absl::UnimplementedError("strings are not searched for here");
  const auto nothing = [&] {
    return absl::FailedPreconditionError(
        NothingCounted(entry, checked.asked, catalog_->RestoresOf(task.id()), clock_->Now()));
  };
  const int64_t counted = ledger_->Totals(task.id())->counted_batches;
  if (counted == 0) return nothing();
  const absl::StatusOr<Decodings::State> state = AskForStrings(
      {.task = entry.task, .ledger = ledger_, .periods = checked.asked, .counted_batches = counted},
      request.strings(), decodings_);
  if (absl::IsFailedPrecondition(state.status())) return nothing();
  TOMBOLA_RETURN_IF_ERROR(state.status());
  answer->set_task_id(std::string(AsView(task.id())));
  if (state->found == nullptr) {
    v1::Decoding* const decoding = answer->mutable_strings()->mutable_decoding();
    const auto& kind = static_cast<const StringsKind&>(task.kind());
    const DecodeProgress& progress = state->progress;
    decoding->set_ahead(static_cast<uint32_t>(state->ahead));
    decoding->set_level(static_cast<uint32_t>(progress.level + 1));
    decoding->set_levels(static_cast<uint32_t>(kind.shape().levels()));
    decoding->set_share(progress.all == 0 ? 0
                                          : static_cast<double>(progress.tests) /
                                                static_cast<double>(progress.all));
    return absl::OkStatus();
  }
  const TaskTotals& totals = state->found->totals;
  TOMBOLA_RETURN_IF_ERROR(answerer.Fill({.task = task,
                                         .counts = totals.counts,
                                         .tally = totals.tally,
                                         .strings = &state->found->decoded},
                                        request, checked.postprocess, answer));
  return FillAround(task, totals, checked.asked, answer);
}

absl::Status Answers::OfNodes(const CatalogEntry& entry, const Answerer& answerer,
                              const Checked& checked, const v1::GetAnswerRequest& request,
                              const std::function<bool()>& left, v1::Answer* answer) {
  const Task& task = *entry.task;
  const absl::Time now = clock_->Now();
  const std::vector<CatalogRestore> restores = catalog_->RestoresOf(task.id());
  StreamNodes nodes({.task = &task,
                     .ledger = ledger_,
                     .totals = ledger_->Totals(task.id()),
                     .now = now,
                     .left = left},
                    checked.asked);
  if (nodes.covered().empty()) {
    return absl::FailedPreconditionError(NothingCounted(entry, checked.asked, restores, now));
  }
  const NodeEvidence evidence = nodes.Evidence();
  TOMBOLA_RETURN_IF_ERROR(
      answerer.Fill({.task = task, .counts = {}, .tally = {}, .nodes = &evidence}, request,
                    checked.postprocess, answer));
  if (left()) return Left();
  *answer->mutable_periods() =
      DescribePeriods(*task.periods(), nodes.range(), nodes.covered(), now);
  TOMBOLA_ASSIGN_OR_RETURN(const Guarantee guarantee, guarantees_.For(task, nodes.AnsweredOf()));
  FillEnvelope(task, nodes.Totals(), guarantee, nodes.QualityOf(), restores, answer);
  return absl::OkStatus();
}

}  // namespace tombola::collector
