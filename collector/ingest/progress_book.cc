#include "collector/ingest/progress_book.h"

#include "common/base/status_macros.h"
#include "common/crypto/ed25519_verify.h"
#include "common/task/progress.h"

namespace tombola::collector {
namespace {

constexpr absl::Duration kFar = absl::Minutes(10);

}  // namespace

absl::Status ProgressBook::Take(const std::string& progress, const std::string& signature) {
  TOMBOLA_ASSIGN_OR_RETURN(const Progress told, Progress::Parse(progress));
  TOMBOLA_ASSIGN_OR_RETURN(const CatalogEntry entry, catalog_->Find(told.task));
  if (!crypto::VerifyEd25519(entry.task->shuffler_key(), kProgressContext, progress, signature)) {
    return absl::UnauthenticatedError("signature must be by the task's shuffler");
  }
  TOMBOLA_ASSIGN_OR_RETURN(const absl::Time now, clock_->SureNow());
  if (absl::AbsDuration(told.time - now) > kFar) {
    return absl::FailedPreconditionError(
        "progress.time is more than ten minutes away from the collector's clock");
  }
  MutexLock lock(mutex_);
  const auto last = last_.try_emplace(told.task, absl::InfinitePast()).first;
  // A time further ahead than this is of a clock that was wrong, and could not be taken now.
  if (told.time <= last->second && last->second <= now + kFar) {
    return absl::FailedPreconditionError("this progress, or a later one, was told before");
  }
  TOMBOLA_RETURN_IF_ERROR(catalog_->SetProgress(told.task, told.held_percent, told.expired));
  last->second = told.time;
  return absl::OkStatus();
}

}  // namespace tombola::collector
