#include "cli/task/limit_choice.h"

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "common/plan/plan.h"
#include "common/task/task.h"

namespace tombola::cli {
namespace {

using mechanism::LimitChoice;
using mechanism::RecordLimit;

constexpr uint64_t kMostUsers = uint64_t{1} << 40;

std::string ErrorAt(const RecordLimit& limit) {
  return absl::StrFormat("by %.3g %% with %d", 100 * limit.error, limit.max_records);
}

}  // namespace

absl::StatusOr<LimitChoice> ChooseMaxRecords(const v1::CreateTaskRequest& request,
                                             const mechanism::RecordSizes& sizes) {
  if (request.users() < 2 || request.users() > kMostUsers) {
    return absl::InvalidArgumentError("--users must be between 2 and 2^40");
  }
  const uint64_t smallest = request.smallest_batch();
  if (smallest < 2 || smallest > request.users()) {
    return absl::InvalidArgumentError("--min-batch must be between 2 and --users");
  }
  // Written so that NaN is refused too.
  if (!(request.dishonest_share() >= 0 && request.dishonest_share() < 1)) {
    return absl::InvalidArgumentError("--dishonest must be in [0, 1)");
  }
  mechanism::PlanRequest plan;
  plan.honest = HonestOf(static_cast<int64_t>(smallest), request.dishonest_share());
  plan.submissions = static_cast<int64_t>(request.users());
  plan.epsilon = request.epsilon();
  plan.delta = request.delta();
  if (request.has_max_local_epsilon()) plan.max_local_epsilon = request.max_local_epsilon();
  if (request.has_max_messages()) plan.max_messages = request.max_messages();
  if (request.has_dummies()) plan.dummies = request.dummies();
  if (plan.honest < 1) {
    return absl::InvalidArgumentError("--dishonest must leave an honest submission");
  }
  absl::StatusOr<LimitChoice> choice =
      mechanism::PlanLimit(request.records(), sizes, plan, request.mechanism());
  if (absl::IsFailedPrecondition(choice.status())) {
    return absl::InvalidArgumentError(choice.status().message());
  }
  return choice;
}

std::string Describe(const LimitChoice& choice, const AnsweredSizes& sizes,
                     absl::string_view source) {
  const RecordLimit& chosen = choice.chosen();
  std::vector<std::string> beside;
  if (choice.best > 0) beside.push_back(ErrorAt(choice.tried[choice.best - 1]));
  if (choice.best + 1 < choice.tried.size()) {
    beside.push_back(ErrorAt(choice.tried[choice.best + 1]));
  }
  std::string text = absl::StrFormat(
      "max_records %d: by %s %.3g %% of all records are beyond it and not counted, and with the "
      "noise a usual count is off by %.3g %%%s\n",
      chosen.max_records, source, 100 * chosen.cut, 100 * chosen.error,
      beside.empty() ? "" : absl::StrCat(" (", absl::StrJoin(beside, ", "), ")"));
  const double uncertain = sizes.sizes.CutError(chosen.max_records);
  if (uncertain > chosen.error) {
    absl::StrAppendFormat(&text,
                          "! what is beyond it is known to %.2g %% of all records only: more "
                          "devices or a larger epsilon would have told more\n",
                          100 * uncertain);
  }
  if (sizes.beyond > 0) {
    absl::StrAppendFormat(&text,
                          "! %.2g %% of the devices have %d records or more, and are taken to have "
                          "no more: what they have beyond is not in these figures\n",
                          100 * sizes.beyond, *sizes.open);
  }
  if (chosen.error >= 1) {
    absl::StrAppend(&text,
                    "! counts are off by more than what they count: more devices, a larger "
                    "epsilon or fewer questions would help\n");
  }
  return text;
}

}  // namespace tombola::cli
