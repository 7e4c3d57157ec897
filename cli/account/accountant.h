// What the accountants say of one batch, by mechanism and numbers instead of by a task.
#ifndef TOMBOLA_CLI_ACCOUNT_ACCOUNTANT_H_
#define TOMBOLA_CLI_ACCOUNT_ACCOUNTANT_H_

#include <cstdint>
#include <functional>
#include <optional>

#include "absl/status/statusor.h"
#include "cli/account/question.h"
#include "common/accounting/submission_loss.h"

namespace tombola::cli {

// One submission of a question in its batch.
struct Accountant {
  // The epsilon that holds at a delta, and the delta at an epsilon.
  std::function<absl::StatusOr<double>(double delta)> epsilon_at;
  std::function<absl::StatusOr<double>(double epsilon)> delta_at;
  // Its loss, for several of them; null: only pairs are known, as of published forms.
  std::function<absl::StatusOr<accounting::SubmissionLoss>(double negligible)> loss;
  // Whether a message by itself is randomised, and how many of one device are.
  bool local = false;
  int64_t messages = 1;
  // Where the responses say it and not the question: of one message, and of several by one memo.
  std::optional<double> local_epsilon;
  std::function<MemoBudget(int64_t reports)> memo;
};

// Of the question's mechanism, among so many honest submissions. InvalidArgument names the flag
// that is missing or out of range.
absl::StatusOr<Accountant> AccountantOf(const AccountQuestion& question, int64_t honest);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_ACCOUNT_ACCOUNTANT_H_
