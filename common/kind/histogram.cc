#include "common/kind/histogram.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/mechanism/registry.h"
#include "common/scheme/memo_scheme.h"

namespace tombola {
namespace {

absl::Status RefuseHistogram(absl::string_view field, absl::string_view bound) {
  return absl::InvalidArgumentError(absl::StrCat("task.", field, " must be ", bound));
}

absl::Status CheckLongitudinal(const v1::Task& task) {
  if (!task.has_longitudinal()) return absl::OkStatus();
  const v1::Longitudinal& longitudinal = task.longitudinal();
  const bool memo = longitudinal.mode() == v1::LONGITUDINAL_MODE_MEMO;
  if (!memo && longitudinal.mode() != v1::LONGITUDINAL_MODE_FRESH) {
    return RefuseHistogram(
        "longitudinal.mode",
        absl::StrCat("LONGITUDINAL_MODE_FRESH (1) or LONGITUDINAL_MODE_MEMO (2), is ",
                     static_cast<int>(longitudinal.mode())));
  }
  if (task.batch_policy().interval() == 0 || task.batch_policy().merge_periods()) {
    return RefuseHistogram("batch_policy.interval",
                           "there, without merge_periods, where it is longitudinal");
  }
  if (task.submissions_per_device() < 2) {
    return RefuseHistogram("submissions_per_device", "2 or more where it is longitudinal");
  }
  if (!memo && longitudinal.values() != 0)
    return RefuseHistogram("longitudinal.values", "0 but for memos");
  if (memo &&
      (longitudinal.values() < 1 || longitudinal.values() > task.submissions_per_device())) {
    return RefuseHistogram(
        "longitudinal.values",
        absl::StrCat("between 1 and submissions_per_device, ", task.submissions_per_device(),
                     ", is ", longitudinal.values()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Kind>> Histogram::Read(const v1::Task& task) {
  if (task.has_items() || task.has_levels() || task.has_numbers() || task.has_records()) {
    return absl::InvalidArgumentError(
        "task.items, levels, numbers and records must be absent for a histogram");
  }
  TOMBOLA_RETURN_IF_ERROR(CheckLongitudinal(task));
  const bool memo = task.longitudinal().mode() == v1::LONGITUDINAL_MODE_MEMO;
  if (task.mechanism().has_rappor() && task.submissions_per_device() > 1 && !memo) {
    return absl::InvalidArgumentError(
        "task.submissions_per_device must be 1 for rappor without longitudinal memo: further "
        "reports would say more of the same memo");
  }
  TOMBOLA_ASSIGN_OR_RETURN(
      auto mechanism,
      mechanism::FromProto(task.mechanism(), static_cast<int64_t>(task.domain().size())));
  if (!memo) return std::make_shared<const Histogram>(std::move(mechanism));
  if (!mechanism->memo_epsilon().has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("task.mechanism must be grr, local_hash on a plane or rappor for memos: ",
                     mechanism->name(), " has nothing that a device could keep"));
  }
  return std::make_shared<const Histogram>(std::move(mechanism), task.longitudinal().values());
}

Histogram::Histogram(std::shared_ptr<const mechanism::Mechanism> mechanism, int64_t memo_values)
    : mechanism_(std::move(mechanism)), memo_values_(memo_values), tables_({mechanism_}) {
  scheme_ = mechanism_;
  if (memo_values == 0) return;
  TOMBOLA_CHECK(mechanism_->memo_epsilon().has_value());
  scheme_ = std::make_shared<const mechanism::MemoScheme>(mechanism_, *mechanism_->memo_epsilon(),
                                                          memo_values);
}

}  // namespace tombola
