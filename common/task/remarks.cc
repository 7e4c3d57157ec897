#include "common/task/remarks.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/base/decimal.h"
#include "common/base/half_width.h"
#include "common/kind/histogram.h"
#include "common/kind/number.h"
#include "common/kind/records.h"

namespace tombola {
namespace {

constexpr int kDeltaDigits = 4;
// Of a share: beyond it only the largest can be told apart.
constexpr double kPoorHalfWidth = 0.1;
// By which a guess of the middle is off at most.
constexpr double kGuess = 0.5;

bool Dithered(const Task& task) {
  return task.kind().name() == NumberKind::kName &&
         static_cast<const NumberKind&>(task.kind()).cells().levels.has_value();
}

std::string DeltaRemark(const Task& task) {
  const auto users = static_cast<double>(task.batch_policy().planned_submissions);
  if (task.target().delta * users < 1) return "";
  return absl::StrCat("delta ", RoundedUp(task.target().delta, kDeltaDigits),
                      " is not below 1/users: it allows a device to be exposed outright");
}

// What a guarantee of each value by itself says nothing of.
std::string MemoRemark(const Task& task) {
  if (!task.scheme()->memoised() || task.kind().memo_values() < 2) return "";
  return "the guarantee is for devices whose values change at the same times: who can link a "
         "device's reports sees "
         "whether and when its value changes, whatever epsilon is";
}

std::string IntervalRemark(const Task& task) {
  const absl::Duration interval = task.batch_policy().interval;
  const absl::Duration life = task.not_after() - task.not_before();
  if (interval <= life) return "";
  return absl::StrCat("the interval of ", absl::FormatDuration(interval),
                      " is longer than the lifetime of ", absl::FormatDuration(life),
                      ": there is one, cut to that");
}

std::string ErrorRemark(const Task& task, const PredictedErrors& errors) {
  const double half = HalfWidth95(errors.planned_mse);
  const auto values = static_cast<double>(task.domain().size());
  if (task.kind().name() == RecordsKind::kName) {
    if (half <= kPoorHalfWidth) return "";
    return absl::StrFormat(
        "the count of a cell will be off by up to %.3g records (95 %% half-width)",
        half * static_cast<double>(task.batch_policy().planned_submissions));
  }
  if (task.kind().name() == NumberKind::kName && std::sqrt(errors.planned_mse) >= kGuess) {
    return absl::StrFormat(
        "%s will be off by up to %.3g %% (95 %% half-width), and a guess of the middle never by "
        "more "
        "than 50 %%: there is nothing to be seen with so few users",
        ErrorIsOf(task), 100 * half);
  }
  // All zeros are at most this far off on average over the domain where shares sum to one.
  if (task.kind().name() == Histogram::kName && errors.planned_mse * values >= 1) {
    return absl::StrFormat(
        "a share will be off by up to %.3g %% (95 %% half-width), more than an answer of all "
        "zeros: "
        "there is nothing to be seen with so few users",
        100 * half);
  }
  if (half <= kPoorHalfWidth) return "";
  return absl::StrFormat("%s will be off by up to %.3g %% (95 %% half-width)", ErrorIsOf(task),
                         100 * half);
}

}  // namespace

absl::string_view ErrorIsOf(const Task& task) {
  if (task.kind().name() == RecordsKind::kName) return "a cell's records, of the devices";
  if (task.kind().name() != NumberKind::kName) return "a share";
  return Dithered(task) ? "the mean, of the range" : "the share of a range";
}

std::vector<std::string> Remarks(const Task& task, const PredictedErrors& errors) {
  std::vector<std::string> remarks;
  std::string error = ErrorRemark(task, errors);
  if (!error.empty()) {
    absl::StrAppend(&error, "; tombola plan says what more devices or a larger epsilon would give");
  }
  for (std::string remark : {DeltaRemark(task), IntervalRemark(task), MemoRemark(task), error}) {
    if (!remark.empty()) remarks.push_back(std::move(remark));
  }
  return remarks;
}

}  // namespace tombola
