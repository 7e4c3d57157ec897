#include "collector/ingest/intake.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "collector/ingest/cover.h"
#include "common/base/status_macros.h"
#include "common/crypto/ed25519_verify.h"
#include "common/log/log.h"

namespace tombola::collector {
namespace {

constexpr size_t kMaxChunkBytes = 1 << 20;

// The target holds for the submissions that hid each other less the dishonest share, and they are
// as many as no batch may have fewer of: reports that do not open hide nobody. A stream's target
// holds if every node leaves with the honest submissions that its noise is sized for.
absl::StatusOr<BatchState> Judge(const Task& task, uint64_t part, int64_t users) {
  if (users < task.SmallestBatchOf(part)) return BatchState::kQuarantined;
  const int64_t honest = task.Honest(users);
  if (honest < 1) return BatchState::kQuarantined;
  if (task.nodes() != nullptr) {
    return honest >= (*task.nodes())[part].honest ? BatchState::kCounted : BatchState::kQuarantined;
  }
  const absl::StatusOr<double> delta = task.scheme()->Delta(honest, task.target().epsilon);
  // Nothing is proven for so few.
  if (absl::IsFailedPrecondition(delta.status())) return BatchState::kQuarantined;
  TOMBOLA_RETURN_IF_ERROR(delta.status());
  return *delta <= task.target().delta ? BatchState::kCounted : BatchState::kQuarantined;
}

// How many submissions the good reports stand for: with one report each that is plain.
void CountSubmissions(const Task& task, const Manifest& manifest, BatchRecord* record) {
  record->tally.fakes = manifest.fakes;
  if (task.SchemeOf(manifest.of.part).max_reports_per_submission() == 1) {
    record->tally.submissions = std::max<int64_t>(0, record->good - manifest.fakes);
    record->users = record->tally.submissions;
  } else {
    record->tally.submissions = manifest.submissions;
    record->users = CoveredSubmissions(task, manifest, record->good, record->rejected.total());
  }
}

absl::Duration Since(std::chrono::steady_clock::time_point began) {
  return absl::FromChrono(std::chrono::steady_clock::now() - began);
}

}  // namespace

void Intake::Note(const Delivery& delivery, const BatchRecord& record) const {
  const absl::Duration took = Since(delivery.began);
  metrics_.Stored(record, took);
  catalog_->NothingHeld(record.of.task);
  const bool counted = record.state == BatchState::kCounted;
  log::Write(counted ? log::Level::kInfo : log::Level::kWarning, "batch_stored",
             {{"task", ToHex(record.of.task)},
              {"batch", ToHex(record.batch)},
              {"period", static_cast<int64_t>(record.of.part)},
              {"state", NameOf(record.state)},
              {"submissions", record.tally.submissions},
              {"good", record.good},
              {"bad", record.rejected.total()},
              {"seconds", absl::ToDoubleSeconds(took)}});
}

absl::Status Intake::Refuse(absl::string_view cause, absl::Status status) const {
  metrics_.Refused(cause);
  return status;
}

absl::Status Intake::CheckCounts(const Task& task, const Manifest& manifest) const {
  if (!task.HasPart(manifest.of.part)) {
    return Refuse("manifest", absl::InvalidArgumentError(absl::StrCat(
                                  "manifest.part is ", manifest.of.part, ", and the task has ",
                                  task.periods().has_value()
                                      ? absl::StrCat("periods 1 to ", task.periods()->count())
                                      : std::string("no periods"))));
  }
  const mechanism::Scheme& scheme = task.SchemeOf(manifest.of.part);
  if (manifest.fakes != scheme.fakes()) {
    return Refuse("manifest", absl::InvalidArgumentError(absl::StrCat(
                                  "manifest.fakes is ", manifest.fakes, "; the task's mechanism, ",
                                  scheme.name(), ", has ", scheme.fakes())));
  }
  const int64_t most = scheme.max_reports_per_submission();
  if (manifest.reports_in > manifest.submissions * most) {
    return Refuse("manifest", absl::InvalidArgumentError(absl::StrCat(
                                  "manifest.reports_in must be at most ", most, " a submission")));
  }
  // The gate of an honest shuffler lets none through; that of another is not asked.
  const int64_t smallest = task.SmallestBatchOf(manifest.of.part);
  if (manifest.submissions < smallest) {
    return Refuse("small_batch", absl::InvalidArgumentError(
                                     absl::StrCat("manifest.submissions is ", manifest.submissions,
                                                  "; the task's smallest_batch is ", smallest)));
  }
  return absl::OkStatus();
}

absl::StatusOr<Intake::Begun> Intake::Begin(const std::string& manifest,
                                            const std::string& signature,
                                            const Admit& admit) const {
  Delivery delivery;
  absl::StatusOr<Manifest> parsed = Manifest::Parse(manifest);
  if (!parsed.ok()) return Refuse("manifest", parsed.status());
  delivery.manifest = *std::move(parsed);
  const absl::StatusOr<CatalogEntry> found = catalog_->Find(delivery.manifest.of.task);
  if (!found.ok()) return Refuse("unknown_task", found.status());
  const CatalogEntry& entry = *found;
  if (!crypto::VerifyEd25519(entry.task->shuffler_key(), kManifestContext, manifest, signature)) {
    return Refuse("signature",
                  absl::UnauthenticatedError("header.signature must be by the task's shuffler"));
  }
  TOMBOLA_RETURN_IF_ERROR(CheckCounts(*entry.task, delivery.manifest));
  delivery.task = entry.task;
  delivery.manifest_digest = crypto::Sha256(manifest);
  Begun begun;
  TOMBOLA_ASSIGN_OR_RETURN(begun.known, ledger_->Find(delivery.manifest.batch));
  if (begun.known.has_value()) {
    if (begun.known->manifest_digest != delivery.manifest_digest) {
      return Refuse("other_manifest", absl::AlreadyExistsError(
                                          "batch_id was delivered before with another manifest"));
    }
    return begun;
  }
  TOMBOLA_RETURN_IF_ERROR(admit(*delivery.task));
  const auto private_key =
      keys_->PrivateKeyFor(*delivery.task, delivery.manifest.of.part, delivery.manifest.of.key);
  if (absl::IsInvalidArgument(private_key.status())) {
    return Refuse("manifest", private_key.status());
  }
  if (absl::IsFailedPrecondition(private_key.status())) {
    TOMBOLA_ASSIGN_OR_RETURN(begun.known, Expire(delivery));
    return begun;
  }
  if (!private_key.ok()) return Refuse("unknown_key", private_key.status());
  const auto& key = *private_key;
  TOMBOLA_ASSIGN_OR_RETURN(delivery.opening,
                           Opening::Create(delivery.task, delivery.manifest.of, *key, workers_));
  begun.delivery = std::move(delivery);
  return begun;
}

absl::StatusOr<BatchRecord> Intake::Expire(const Delivery& delivery) const {
  BatchRecord record;
  record.batch = delivery.manifest.batch;
  record.of = delivery.manifest.of;
  record.state = BatchState::kExpired;
  record.manifest_digest = delivery.manifest_digest;
  record.tally = {.submissions = delivery.manifest.submissions, .fakes = delivery.manifest.fakes};
  record.finished = clock_->Now();
  TOMBOLA_ASSIGN_OR_RETURN(AddedBatch added, ledger_->Add(record));
  if (added.fresh) Note(delivery, added.record);
  return std::move(added.record);
}

absl::Status Intake::CheckChunk(Delivery* delivery, absl::string_view sealed_reports) const {
  const size_t sealed_bytes = delivery->task->sealed_bytes();
  if (sealed_reports.empty() || sealed_reports.size() > kMaxChunkBytes ||
      sealed_reports.size() % sealed_bytes != 0) {
    return Refuse("reports", absl::InvalidArgumentError(
                                 absl::StrCat("sealed_reports must be whole records of ",
                                              sealed_bytes, " bytes, at most 1 MiB a chunk")));
  }
  delivery->reports_received += static_cast<int64_t>(sealed_reports.size() / sealed_bytes);
  if (delivery->reports_received > delivery->manifest.reports_out) {
    return Refuse("reports", absl::InvalidArgumentError(absl::StrCat(
                                 "the batch must have manifest.reports_out = ",
                                 delivery->manifest.reports_out, " reports, and has more")));
  }
  return absl::OkStatus();
}

void Intake::Open(Delivery& delivery, absl::string_view sealed_reports, int worker) const {
  const auto began = std::chrono::steady_clock::now();
  delivery.opening->Open(sealed_reports, worker);
  metrics_.Opened(Since(began));
}

absl::StatusOr<BatchRecord> Intake::Finish(Delivery& delivery) const {
  OpenedBatch opened = delivery.opening->Finish();
  if (opened.reports != delivery.manifest.reports_out) {
    return Refuse("reports",
                  absl::InvalidArgumentError(absl::StrCat(
                      "the batch must have manifest.reports_out = ", delivery.manifest.reports_out,
                      " reports, and has ", opened.reports)));
  }
  if (opened.digest_sum != delivery.manifest.digest_sum) {
    return Refuse("reports",
                  absl::InvalidArgumentError("the batch must have the manifest's digest_sum"));
  }
  BatchRecord record;
  record.batch = delivery.manifest.batch;
  record.of = delivery.manifest.of;
  record.manifest_digest = delivery.manifest_digest;
  record.good = opened.good;
  record.rejected = opened.rejected;
  CountSubmissions(*delivery.task, delivery.manifest, &record);
  TOMBOLA_ASSIGN_OR_RETURN(record.state, Judge(*delivery.task, record.of.part, record.users));
  record.duplicates = delivery.manifest.duplicates;
  if (record.state == BatchState::kCounted) {
    record.counts = std::move(opened.counts);
  }
  record.finished = clock_->Now();
  TOMBOLA_ASSIGN_OR_RETURN(AddedBatch added, ledger_->Add(record));
  if (added.fresh) Note(delivery, added.record);
  return std::move(added.record);
}

}  // namespace tombola::collector
