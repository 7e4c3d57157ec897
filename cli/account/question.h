// What a batch guarantees, asked by mechanism and numbers instead of by a task.
#ifndef TOMBOLA_CLI_ACCOUNT_QUESTION_H_
#define TOMBOLA_CLI_ACCOUNT_QUESTION_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "common/accounting/composition.h"

namespace tombola::cli {

// The flags of `tombola account`. Which of the optional ones a mechanism needs is checked by
// AnswerAccount.
struct AccountQuestion {
  std::string mechanism;
  int64_t users = 0;  // submissions in the batch
  double delta = 0;
  std::optional<double> epsilon;  // given: the delta at this epsilon is asked for
  std::optional<int64_t> domain;  // values
  std::optional<int64_t> range;   // hash buckets
  std::optional<double> local_epsilon;
  // Expected dummies for one value, sent by all devices together.
  std::optional<double> dummies;
  std::optional<int64_t> fakes;  // uniform messages that the shuffler adds
  std::optional<double> noise_epsilon, shape, flood;
  std::optional<int64_t> hashes;            // bits that a value sets
  std::optional<double> prr, irr_p, irr_q;  // accounting::Rappor
  double colluding = 0;     // share of the submissions that are the observer's own, [0, 1)
  int64_t submissions = 1;  // of one device, over all batches; 1 to 1000
  // At which several submissions are to be stated; none: at `delta`.
  std::optional<double> total_delta;
  int64_t items = 1;            // cells that a device holds, each once
  std::optional<int64_t> sent;  // of them; none: all
  std::string method = "tight";
};

// What several submissions of a device amount to.
struct Several {
  // All in one batch: group privacy. It covers every other way to spread them too. A delta of 1
  // says nothing.
  accounting::EpsilonDelta together;
  // Each in another batch: the product of their losses, at the total delta asked for. Of published
  // forms the optimal composition of the pair, at so many times its delta unless one is asked for.
  accounting::EpsilonDelta apart;
};

// What reports of one memo say to who sees them all, whatever hides them: of a value that stays.
struct MemoBudget {
  int64_t reports = 1;
  double after = 0;  // so many
  double limit = 0;  // any number
};

struct AccountAnswer {
  double epsilon = 0;
  double delta = 0;
  std::optional<double> local_epsilon;  // none: nothing is left if the shuffler colludes
  int64_t users = 0;
  int64_t honest = 0;  // submissions that hide each other
  std::string method;
  std::optional<MemoBudget> memo;  // of rappor
  // Never of a memo: another report of it is none of its own.
  std::optional<Several> several;  // if more than one submission was asked for
};

// A pure function. What colluding devices send hides nobody: the rest is a batch of fewer
// submissions, and noise that devices add in shares shrinks by honest/users. The shuffler's fakes
// stay. "generic" is any randomiser of the local epsilon. The local epsilon asked for is of one
// message, the one answered of all that a device sends. InvalidArgument names the flag that is
// missing or out of range; FailedPrecondition says why no epsilon, or no published form, holds.
absl::StatusOr<AccountAnswer> AnswerAccount(const AccountQuestion& question);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_ACCOUNT_QUESTION_H_
