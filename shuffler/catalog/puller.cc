#include "shuffler/catalog/puller.h"

#include <utility>

#include "absl/time/time.h"
#include "common/base/time_text.h"
#include "common/log/log.h"
#include "common/task/shuffler_time.h"

namespace tombola::shuffler {
namespace {

// What was counted between the two was erased here, and is lost.
void SayRestored(const v1::CollectorRestore& restore) {
  const auto text = [](int64_t seconds) { return TimeText(absl::FromUnixSeconds(seconds)); };
  log::Warning("collector_restored",
               {{"taken", text(restore.taken())}, {"restored", text(restore.restored())}});
}

}  // namespace

CatalogPuller::CatalogPuller(Parts parts)
    : parts_(std::move(parts)),
      failures_(parts_.metrics->Counter("tombola_shuffler_catalog_failures_total",
                                        "Failed looks at the collector's catalogue.")),
      last_fetch_(parts_.metrics->Gauge(
          "tombola_shuffler_catalog_last_fetch_timestamp_seconds",
          "When the collector last answered with its catalogue; 0: not yet.")) {}

std::optional<v1::SignedTime> CatalogPuller::Testimony() const {
  const std::optional<absl::Time> now = parts_.clock->Testimony();
  if (!now.has_value()) return std::nullopt;
  const crypto::SigningKey& key = *parts_.signing_key;
  v1::SignedTime time;
  time.set_time(ShufflerTime{.shuffler_key = key.public_key(), .time = *now}.Serialise());
  time.set_signature(key.Sign(kShufflerTimeContext, time.time()));
  return time;
}

void CatalogPuller::Step() {
  const absl::Duration asked = parts_.steady->Now();
  const auto fresh = parts_.link->GetCatalog(parts_.catalog->version(), Testimony(), patience_);
  if (!fresh.ok()) return Failed(fresh.status());
  std::optional<absl::Time> told;
  if (fresh->time() != 0) told = absl::FromUnixSeconds(fresh->time());
  parts_.clock->Heard(told, parts_.steady->Now() - asked);
  last_fetch_.Set(static_cast<double>(absl::ToUnixSeconds(parts_.clock->Now())));
  if (std::exchange(link_failed_, false)) {
    log::Info("collector_back");
    parts_.link_is_back();
  }
  if (fresh->version() != parts_.catalog->version()) Update(*fresh);
}

void CatalogPuller::Failed(const absl::Status& status) {
  patience_ = PatienceAfter(status, patience_);
  failures_.Increment();
  // Once when it begins, not every second.
  if (std::exchange(link_failed_, true)) return;
  log::Warning("collector_away", {{"cause", absl::StatusCodeToString(status.code())}});
}

void CatalogPuller::Update(const v1::Catalog& fresh) {
  Catalog& catalog = *parts_.catalog;
  const size_t restores = catalog.Restores().size();
  const absl::Status status = catalog.Update(fresh);
  for (size_t i = restores; i < catalog.Restores().size(); ++i) SayRestored(catalog.Restores()[i]);
  if (!status.ok()) log::Warning("catalog_incomplete", {{"status", status.ToString()}});
  log::Info("catalog_updated", {{"version", static_cast<int64_t>(catalog.version())},
                                {"tasks", static_cast<int64_t>(catalog.Tasks().size())}});
  parts_.changed();
}

}  // namespace tombola::shuffler
