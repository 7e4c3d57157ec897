#include "collector/query/envelope.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "collector/answer/noise.h"
#include "collector/query/quality.h"
#include "common/json/answer.h"
#include "common/task/whole_life.h"

namespace tombola::collector {
namespace {

void FillGuarantee(const Guarantee& guarantee, const Task& task, int64_t batches,
                   v1::Guarantee* wire) {
  wire->set_epsilon(guarantee.all.epsilon);
  wire->set_delta(guarantee.all.delta);
  if (std::isfinite(guarantee.local_epsilon)) wire->set_local_epsilon(guarantee.local_epsilon);
  wire->set_users(static_cast<uint64_t>(guarantee.users));
  wire->set_method(guarantee.method);
  wire->set_batches(static_cast<uint64_t>(batches));
  wire->set_submissions_per_device(static_cast<uint32_t>(guarantee.submissions));
  wire->set_batch_epsilon(guarantee.one.epsilon);
  wire->set_batch_delta(guarantee.one.delta);
  wire->set_dishonest_share(task.batch_policy().dishonest_share);
  wire->set_epsilon_foreign_10(guarantee.foreign_10.epsilon);
  wire->set_delta_foreign_10(guarantee.foreign_10.delta);
  wire->set_epsilon_foreign_50(guarantee.foreign_50.epsilon);
  wire->set_delta_foreign_50(guarantee.foreign_50.delta);
  wire->set_warning(WholeLifeWarning(guarantee.all, guarantee.submissions));
  wire->set_reason(guarantee.reason);
  wire->set_accounted_users(static_cast<uint64_t>(guarantee.accounted_users));
  const accounting::EpsilonDelta total = WholeLife(task);
  wire->set_total_epsilon(total.epsilon);
  wire->set_total_delta(total.delta);
  wire->set_total_submissions(static_cast<uint32_t>(MostSubmissions(task)));
}

void FillQuality(const Quality& quality, v1::Quality* wire) {
  wire->set_duplicates(static_cast<uint64_t>(quality.duplicates));
  wire->set_shift_per_dishonest(quality.shift_per_dishonest);
  wire->set_dishonest(static_cast<uint64_t>(quality.dishonest));
  wire->set_shift_at_dishonest_share(quality.shift_at_dishonest_share);
  for (const Warning& warning : quality.warnings) {
    v1::QualityWarning* added = wire->add_warnings();
    added->set_kind(warning.kind);
    added->set_text(warning.text);
  }
}

Warning WarningOf(const CatalogRestore& restore) {
  constexpr char kFormat[] = "%Y-%m-%d %H:%M UTC";
  return {.kind = "restored",
          .text = absl::StrCat("the collector was restored on ",
                               absl::FormatTime(kFormat, restore.restored, absl::UTCTimeZone()),
                               " from a copy of ",
                               absl::FormatTime(kFormat, restore.taken, absl::UTCTimeZone()),
                               ": batches that it counted in between may be missing")};
}

}  // namespace

absl::StatusOr<Postprocess> CheckRequest(const v1::GetAnswerRequest& request) {
  if (!(request.confidence() > 0 && request.confidence() < 1)) {
    return absl::InvalidArgumentError("confidence must be in (0, 1)");
  }
  switch (request.postprocess()) {
    case v1::POSTPROCESS_POP:
      return Postprocess::kPop;
    case v1::POSTPROCESS_NONE:
      return Postprocess::kNone;
    case v1::POSTPROCESS_NORM_SUB:
      return Postprocess::kNormSub;
    case v1::POSTPROCESS_BASE_CUT:
      return Postprocess::kBaseCut;
    case v1::POSTPROCESS_EM:
      return Postprocess::kEm;
    case v1::POSTPROCESS_CLIP:
      return Postprocess::kClip;
    default:
      return absl::InvalidArgumentError(
          absl::StrCat("postprocess must be ", absl::StrJoin(PostprocessNames(), ", ")));
  }
}

v1::Rejected ToWire(const RejectedReports& rejected) {
  v1::Rejected wire;
  wire.set_unopened(static_cast<uint64_t>(rejected.unopened));
  wire.set_malformed(static_cast<uint64_t>(rejected.malformed));
  wire.set_out_of_range(static_cast<uint64_t>(rejected.out_of_range));
  return wire;
}

void FillEnvelope(const Task& task, const TaskTotals& totals, const Guarantee& guarantee,
                  Quality quality, const std::vector<CatalogRestore>& restores,
                  v1::Answer* answer) {
  answer->set_task_id(std::string(AsView(task.id())));
  answer->set_reports(static_cast<uint64_t>(totals.tally.submissions));
  answer->set_messages(static_cast<uint64_t>(totals.good));
  answer->set_fakes(static_cast<uint64_t>(totals.tally.fakes));
  *answer->mutable_rejected() = ToWire(totals.rejected);
  FillGuarantee(guarantee, task, totals.counted_batches, answer->mutable_guarantee());
  std::string noise = MostlyNoise(task, *answer);
  if (!noise.empty()) quality.warnings.push_back({.kind = "noise", .text = std::move(noise)});
  for (const CatalogRestore& restore : restores) quality.warnings.push_back(WarningOf(restore));
  FillQuality(quality, answer->mutable_quality());
}

}  // namespace tombola::collector
