#include "cli/account/question.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "cli/account/accountant.h"
#include "common/accounting/blanket.h"
#include "common/accounting/composition.h"
#include "common/accounting/search.h"
#include "common/accounting/submission_loss.h"
#include "common/base/status_macros.h"
#include "common/task/task.h"

namespace tombola::cli {
namespace {

using accounting::EpsilonDelta;

constexpr int64_t kMostItems = 4096;
// Of the total delta, for losses that are beyond what is looked at of one submission.
constexpr double kNegligibleShare = 1e-3;

absl::Status Refuse(absl::string_view flag, absl::string_view bound) {
  return absl::InvalidArgumentError(absl::StrCat(flag, " must be ", bound));
}

absl::Status CheckSeveral(const AccountQuestion& question) {
  if (question.submissions < 1 || question.submissions > 1000) {
    return Refuse("--submissions", absl::StrCat("in [1, 1000], is ", question.submissions));
  }
  if (question.total_delta.has_value()) {
    if (!(*question.total_delta > 0 && *question.total_delta < 1)) {
      return Refuse("--total-delta", absl::StrCat("in (0, 1), is ", *question.total_delta));
    }
    if (question.submissions == 1)
      return Refuse("--total-delta", "with --submissions of 2 or more");
  }
  if (question.items < 1 || question.items > kMostItems) {
    return Refuse("--items", absl::StrCat("in [1, ", kMostItems, "], is ", question.items));
  }
  if (question.items > 1 && question.method == "published") {
    return Refuse("--items", "1 with --method published: the papers count one value of a device");
  }
  const int64_t sent = question.sent.value_or(question.items);
  if (sent < 1 || sent > question.items || question.items % sent != 0) {
    return Refuse("--sent", absl::StrCat("at least 1 and divide --items, is ", sent));
  }
  return absl::OkStatus();
}

absl::Status Check(const AccountQuestion& question) {
  if (question.method != "tight" && question.method != "published") {
    return Refuse("--method", absl::StrCat("tight or published, is ", question.method));
  }
  if (question.users < 1 || question.users > accounting::kLargestBatch) {
    return Refuse("--users", absl::StrCat("in [1, 2^40], is ", question.users));
  }
  if (!(question.colluding >= 0 && question.colluding < 1)) {
    return Refuse("--colluding", absl::StrCat("in [0, 1), is ", question.colluding));
  }
  TOMBOLA_RETURN_IF_ERROR(CheckSeveral(question));
  TOMBOLA_RETURN_IF_ERROR(accounting::ValidateDelta(question.delta));
  return question.epsilon.has_value() ? accounting::ValidateEpsilon(*question.epsilon)
                                      : absl::OkStatus();
}

// In batches of their own, by the pair alone.
absl::StatusOr<EpsilonDelta> PairsApart(const AccountQuestion& question, const EpsilonDelta& one) {
  const double delta =
      question.total_delta.value_or(accounting::Times(question.submissions, one.delta));
  if (delta >= 1) return EpsilonDelta{.epsilon = 0, .delta = 1};
  TOMBOLA_ASSIGN_OR_RETURN(const double epsilon,
                           accounting::ComposedEpsilon(one, question.submissions, delta));
  return EpsilonDelta{.epsilon = epsilon, .delta = delta};
}

// The same by the loss, or by what a message says of itself.
absl::StatusOr<EpsilonDelta> Apart(const AccountQuestion& question, const Accountant& accountant,
                                   const AccountAnswer& one) {
  if (!accountant.loss) return PairsApart(question, {one.epsilon, one.delta});
  const double delta = question.total_delta.value_or(question.delta);
  const auto submissions = static_cast<double>(question.submissions);
  absl::StatusOr<double> epsilon;
  const auto loss = accountant.loss(kNegligibleShare * delta / submissions);
  epsilon = loss.ok() ? accounting::EpsilonOver(*loss, question.submissions, delta) : loss.status();
  if (one.local_epsilon.has_value()) {
    const double local = accounting::Times(question.submissions, *one.local_epsilon);
    if (!epsilon.ok() || *epsilon > local) epsilon = local;
  }
  TOMBOLA_RETURN_IF_ERROR(epsilon.status());
  return EpsilonDelta{.epsilon = *epsilon, .delta = delta};
}

}  // namespace

absl::StatusOr<AccountAnswer> AnswerAccount(const AccountQuestion& question) {
  TOMBOLA_RETURN_IF_ERROR(Check(question));
  const int64_t honest = HonestOf(question.users, question.colluding);
  if (honest < 1) return Refuse("--colluding", "such that it leaves at least one of --users");
  TOMBOLA_ASSIGN_OR_RETURN(const Accountant accountant, AccountantOf(question, honest));
  AccountAnswer answer{.epsilon = question.epsilon.value_or(0),
                       .delta = question.delta,
                       .users = question.users,
                       .honest = honest,
                       .method = question.method};
  if (question.epsilon.has_value()) {
    TOMBOLA_ASSIGN_OR_RETURN(answer.delta, accountant.delta_at(*question.epsilon));
  } else {
    TOMBOLA_ASSIGN_OR_RETURN(answer.epsilon, accountant.epsilon_at(question.delta));
  }
  if (accountant.local && question.local_epsilon.has_value()) {
    answer.local_epsilon = accounting::Times(accountant.messages, *question.local_epsilon);
  }
  if (accountant.local_epsilon.has_value()) answer.local_epsilon = accountant.local_epsilon;
  if (accountant.memo) {
    answer.memo = accountant.memo(question.submissions);
    return answer;
  }
  if (question.submissions > 1) {
    answer.several.emplace();
    answer.several->together =
        accounting::GroupPrivacy({answer.epsilon, answer.delta}, question.submissions);
    TOMBOLA_ASSIGN_OR_RETURN(answer.several->apart, Apart(question, accountant, answer));
  }
  return answer;
}

}  // namespace tombola::cli
