#include "collector/totals/trusted_totals.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "collector/estimate/total_interval.h"
#include "collector/totals/totals_question.h"
#include "common/base/status_macros.h"
#include "common/base/time_text.h"
#include "common/crypto/key_file.h"
#include "common/disk/directory.h"
#include "common/log/log.h"

namespace tombola::collector {
namespace {

constexpr absl::Duration kLongestWait = absl::Hours(1);

// What a directory or a key says of itself is for the log: those who ask are told no paths.
constexpr char kTrouble[] =
    "these totals cannot go on: the collector's log says why (totals_failed)";

absl::Status NoneOf(Quantity quantity, const std::vector<CatalogRestore>& restores) {
  std::string text =
      absl::StrCat("the task has no trusted totals of ", NameOf(quantity),
                   ": it must ask for them when it is made (tombola task create --trusted-totals)");
  if (!restores.empty()) {
    absl::StrAppend(&text, "; what it had before the collector was brought back from a copy on ",
                    TimeText(restores.back().restored), " is in no copy");
  }
  return absl::FailedPreconditionError(text);
}

absl::Status NotYet(const Task& task, uint64_t period) {
  return absl::FailedPreconditionError(
      absl::StrCat("the total of period ", period, " has not been published: it is due ",
                   TimeText(task.periods()->Closes(period) + TotalsWait(task))));
}

}  // namespace

absl::Duration TotalsWait(const Task& task) {
  return std::min(task.batch_policy().interval, kLongestWait);
}

absl::StatusOr<std::unique_ptr<TrustedTotals>> TrustedTotals::Open(const Parts& parts) {
  std::unique_ptr<TrustedTotals> opened(new TrustedTotals(parts));
  MutexLock lock(opened->mutex_);
  TOMBOLA_RETURN_IF_ERROR(opened->Load());
  return opened;
}

std::string TrustedTotals::DirectoryOfTask(const TaskId& task) const {
  return absl::StrCat(parts_.directory, "/", ToHex(task));
}

std::string TrustedTotals::DirectoryOf(const TaskId& task, Quantity quantity) const {
  return absl::StrCat(DirectoryOfTask(task), "/", NameOf(quantity));
}

absl::Status TrustedTotals::Load() {
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<std::string> names, ListDirectory(parts_.directory));
  for (const std::string& name : names) {
    const std::optional<TaskId> id = IdFromHex<TaskId>(name);
    if (!id.has_value()) continue;
    TOMBOLA_RETURN_IF_ERROR(LoadTask(*id));
  }
  return absl::OkStatus();
}

absl::Status TrustedTotals::LoadTask(const TaskId& id) {
  const absl::StatusOr<CatalogEntry> entry = parts_.catalog->Find(id);
  if (absl::IsNotFound(entry.status())) return Erase(id);
  TOMBOLA_RETURN_IF_ERROR(entry.status());
  OfTask of_task{.task = entry->task};
  TOMBOLA_ASSIGN_OR_RETURN(of_task.needed, NeededSubmissions(*of_task.task));
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                           ListDirectory(DirectoryOfTask(id)));
  for (const Quantity quantity : kQuantities) {
    if (std::find(names.begin(), names.end(), NameOf(quantity)) == names.end()) continue;
    // What fails is tried again, and said, by the first step.
    OpenSeries(quantity, of_task, of_task.series[quantity]).IgnoreError();
  }
  if (!of_task.series.empty()) tasks_.emplace(id, std::move(of_task));
  return absl::OkStatus();
}

// A key that is missing is not made anew while there is something that it seals.
absl::Status TrustedTotals::NeedKey(bool make) {
  if (key_.has_value()) return absl::OkStatus();
  TOMBOLA_RETURN_IF_ERROR(crypto::CheckDirectoryOfSecret(parts_.key_file));
  auto bytes = crypto::ReadSecretFile(parts_.key_file);
  if (absl::IsNotFound(bytes.status()) && make) {
    crypto::SealingKey drawn = crypto::SealingKey::Draw(*parts_.random);
    TOMBOLA_RETURN_IF_ERROR(
        crypto::WriteSecretFile(parts_.key_file, drawn.bytes(), crypto::ExistingFile::kRefuse));
    key_ = std::move(drawn);
    return absl::OkStatus();
  }
  TOMBOLA_RETURN_IF_ERROR(bytes.status());
  TOMBOLA_ASSIGN_OR_RETURN(key_, crypto::SealingKey::FromBytes(*std::move(bytes)));
  return absl::OkStatus();
}

bool TrustedTotals::AnySealed() const {
  return std::any_of(tasks_.begin(), tasks_.end(), [](const auto& of_id) {
    const auto& series = of_id.second.series;
    return std::any_of(series.begin(), series.end(), [](const auto& of_quantity) {
      const auto& totals = of_quantity.second.totals;
      return totals == nullptr || !totals->ended();
    });
  });
}

absl::Status TrustedTotals::OpenSeries(Quantity quantity, const OfTask& of_task, Series& series) {
  const absl::Status key = NeedKey(/*make=*/false);
  auto opened =
      PublishedTotals::Open(DirectoryOf(of_task.task->id(), quantity), key.ok() ? &*key_ : nullptr,
                            of_task.task->submissions_per_device(), *parts_.random);
  if (!opened.ok()) return key.ok() ? opened.status() : key;
  series.totals = *std::move(opened);
  return absl::OkStatus();
}

absl::Status TrustedTotals::Erase(const TaskId& task) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                           ListDirectory(DirectoryOfTask(task)));
  for (const Quantity quantity : kQuantities) {
    const std::string directory = DirectoryOf(task, quantity);
    if (std::find(names.begin(), names.end(), NameOf(quantity)) == names.end()) continue;
    TOMBOLA_RETURN_IF_ERROR(crypto::DestroySecretFile(directory + "/stream"));
    TOMBOLA_RETURN_IF_ERROR(RemoveDirectory(directory));
  }
  TOMBOLA_RETURN_IF_ERROR(RemoveDirectory(DirectoryOfTask(task)));
  return SyncDirectory(parts_.directory);
}

absl::Status TrustedTotals::Begin(const v1::TrustedTotalsRequest& request,
                                  std::shared_ptr<const Task> task) {
  TOMBOLA_RETURN_IF_ERROR(CheckTotals(request, *task));
  TOMBOLA_ASSIGN_OR_RETURN(const TotalsQuestion question, ReadTotalsQuestion(request, *task));
  OfTask of_task{.task = task};
  TOMBOLA_ASSIGN_OR_RETURN(of_task.needed, NeededSubmissions(*task));
  MutexLock lock(mutex_);
  TOMBOLA_RETURN_IF_ERROR(NeedKey(/*make=*/!AnySealed()));
  TOMBOLA_RETURN_IF_ERROR(MakeDirectory(parts_.directory));
  TOMBOLA_RETURN_IF_ERROR(MakeDirectory(DirectoryOfTask(task->id())));
  for (const Quantity quantity : question.quantities) {
    auto begun = PublishedTotals::Begin(DirectoryOf(task->id(), quantity), *key_,
                                        question.OptionsOf(quantity),
                                        task->submissions_per_device(), *parts_.random);
    if (!begun.ok()) {
      of_task.series.clear();           // and their locks
      Erase(task->id()).IgnoreError();  // by the next start, else
      return begun.status();
    }
    of_task.series[quantity].totals = *std::move(begun);
  }
  tasks_.emplace(task->id(), std::move(of_task));
  return absl::OkStatus();
}

void TrustedTotals::Discard(const TaskId& task) {
  MutexLock lock(mutex_);
  if (tasks_.erase(task) == 0) return;
  Erase(task).IgnoreError();  // by the next start, else
}

void TrustedTotals::Step(absl::Time now) {
  MutexLock lock(mutex_);
  for (auto& [id, of_task] : tasks_) {
    const absl::StatusOr<CatalogEntry> entry = parts_.catalog->Find(id);
    if (entry.ok()) StepTask(*entry, now, of_task);  // else it is about to be added
  }
}

void TrustedTotals::StepTask(const CatalogEntry& entry, absl::Time now, OfTask& of_task) {
  const Periods& periods = *of_task.task->periods();
  if (entry.closed && !of_task.closed_in.has_value()) of_task.closed_in = periods.At(now);
  const uint64_t last = of_task.closed_in.value_or(periods.count());
  const uint64_t due = std::min(last, periods.LastClosed(now - TotalsWait(*of_task.task)));
  std::optional<std::vector<BatchRecord>> batches;
  for (auto& [quantity, series] : of_task.series) {
    absl::Status status;
    if (series.totals == nullptr) status = OpenSeries(quantity, of_task, series);
    if (status.ok() && !series.totals->ended() && series.totals->released().size() < due &&
        !batches.has_value()) {
      auto newest = parts_.ledger->Newest(of_task.task->id(), std::numeric_limits<int64_t>::max());
      status = newest.status();
      if (newest.ok()) batches = *std::move(newest);
    }
    if (status.ok()) {
      status = StepSeries(
          quantity, of_task, due, due == last,
          batches.has_value() ? absl::MakeConstSpan(*batches) : absl::Span<const BatchRecord>(),
          series);
    }
    if (!status.ok() && status != series.state) {
      log::Error("totals_failed", {{"task", ToHex(of_task.task->id())},
                                   {"of", NameOf(quantity)},
                                   {"status", status.ToString()}});
    }
    series.state = status;
  }
}

absl::Status TrustedTotals::StepSeries(Quantity quantity, const OfTask& of_task, uint64_t due,
                                       bool last, absl::Span<const BatchRecord> batches,
                                       Series& series) {
  PublishedTotals& totals = *series.totals;
  if (totals.ended()) return absl::OkStatus();
  const size_t published = totals.released().size();
  absl::Status status;
  if (published < due) {
    const std::vector<int64_t> exact = TotalsOf(*of_task.task, of_task.needed, batches, quantity);
    status = totals.Publish(absl::MakeSpan(exact).subspan(published, due - published));
  }
  if (status.ok() && last && totals.released().size() >= due) {
    status = totals.End();
    if (status.ok()) {
      log::Info("totals_ended", {{"task", ToHex(of_task.task->id())},
                                 {"of", NameOf(quantity)},
                                 {"periods", static_cast<int64_t>(totals.released().size())}});
    }
  }
  // What is not surely on disk is read from there.
  if (!status.ok()) series.totals = nullptr;
  return status;
}

v1::TotalsInfo TrustedTotals::InfoOf(const OfTask& of_task, Quantity quantity) const {
  v1::TotalsInfo info;
  info.set_of(WireOf(quantity));
  info.set_submissions_per_device(static_cast<uint32_t>(of_task.task->submissions_per_device()));
  info.set_periods(of_task.task->periods()->count());
  const Series& series = of_task.series.at(quantity);
  if (series.totals == nullptr) {
    info.set_trouble(kTrouble);
    return info;
  }
  const TotalsTerms& terms = series.totals->terms();
  info.set_structure(terms.structure);
  info.set_epsilon(terms.epsilon);
  info.set_delta(terms.delta);
  info.set_submission_epsilon(terms.submission_epsilon);
  info.set_sensitivity(static_cast<uint64_t>(terms.sensitivity));
  info.set_published(series.totals->released().size());
  info.set_ended(series.totals->ended());
  info.set_mean_variance(terms.mean_variance);
  return info;
}

std::vector<v1::TotalsInfo> TrustedTotals::Describe(const TaskId& task) const {
  MutexLock lock(mutex_);
  std::vector<v1::TotalsInfo> infos;
  const auto it = tasks_.find(task);
  if (it == tasks_.end()) return infos;
  for (const auto& [quantity, series] : it->second.series) {
    infos.push_back(InfoOf(it->second, quantity));
  }
  return infos;
}

absl::StatusOr<v1::Totals> TrustedTotals::Get(const v1::GetTotalsRequest& request) const {
  TOMBOLA_ASSIGN_OR_RETURN(const TaskId id, RequireId<TaskId>("task_id", request.task_id()));
  TOMBOLA_ASSIGN_OR_RETURN(const Quantity quantity, QuantityOf(request.of()));
  if (!(request.confidence() > 0 && request.confidence() < 1)) {
    return absl::InvalidArgumentError("confidence must be in (0, 1)");
  }
  TOMBOLA_RETURN_IF_ERROR(parts_.catalog->Find(id).status());
  MutexLock lock(mutex_);
  const auto it = tasks_.find(id);
  if (it == tasks_.end() || !it->second.series.contains(quantity)) {
    return NoneOf(quantity, parts_.catalog->RestoresOf(id));
  }
  const OfTask& of_task = it->second;
  const Task& task = *of_task.task;
  const Series& series = of_task.series.at(quantity);
  if (series.totals == nullptr) return absl::DataLossError(kTrouble);
  const std::vector<stream::NoisyTotal>& released = series.totals->released();
  const uint64_t first = std::max<uint64_t>(1, request.first_period());
  const uint64_t last = request.last_period() == 0 ? std::max<uint64_t>(first, released.size())
                                                   : request.last_period();
  if (!task.periods()->Has(first) || !task.periods()->Has(last) || first > last) {
    return absl::InvalidArgumentError(
        absl::StrCat("first_period and last_period must be between 1 and ", task.periods()->count(),
                     ", as the task has them, in this order"));
  }
  if (last > released.size()) {
    if (!series.totals->ended())
      return NotYet(task, std::max<uint64_t>(first, released.size() + 1));
    return absl::FailedPreconditionError(
        absl::StrCat("the totals have ended with period ", released.size()));
  }
  v1::Totals totals;
  totals.set_task_id(std::string(AsView(id)));
  *totals.mutable_info() = InfoOf(of_task, quantity);
  totals.set_first(first);
  const double deviations =
      DeviationsOf(request.confidence(),
                   series.totals->terms().gaussian ? NoiseKind::kGaussian : NoiseKind::kAny);
  for (uint64_t period = first; period <= last; ++period) {
    const stream::NoisyTotal& total = released[period - 1];
    const TotalInterval interval = IntervalOf(total, deviations);
    totals.add_totals(total.total);
    totals.add_standard_errors(std::sqrt(total.variance));
    totals.add_low(interval.low);
    totals.add_high(interval.high);
  }
  return totals;
}

}  // namespace tombola::collector
