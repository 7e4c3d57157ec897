// tombola account
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cli/account/question.h"
#include "cli/command/command.h"
#include "common/base/decimal.h"
#include "common/base/status_macros.h"
#include "common/mechanism/every.h"

namespace tombola::cli {
namespace {

constexpr int kAccountDigits = 6;

struct AccountOptions {
  AccountQuestion question;
  bool json = false;
};

void PrintTable(const AccountQuestion& question, const AccountAnswer& answer) {
  const std::string local =
      answer.local_epsilon.has_value() ? RoundedUp(*answer.local_epsilon, kAccountDigits) : "none";
  std::cout << absl::StrFormat("mechanism      %s\n", question.mechanism)
            << absl::StrFormat("epsilon        %s\n", RoundedUp(answer.epsilon, kAccountDigits))
            << absl::StrFormat("delta          %s\n", RoundedUp(answer.delta, kAccountDigits))
            << absl::StrFormat("local epsilon  %s (if the shuffler colludes)\n", local)
            << absl::StrFormat("users          %d, of which %d hide each other\n", answer.users,
                               answer.honest)
            << absl::StrFormat("method         %s\n", answer.method);
  if (question.items > 1) {
    std::cout << absl::StrFormat("cells          %d of the %d that a device holds are sent\n",
                                 question.sent.value_or(question.items), question.items);
  }
  if (answer.memo.has_value()) {
    std::cout << absl::StrFormat(
        "%d reports by one memo, if its value stays\n"
        "  seen together          epsilon %s, delta 0\n"
        "  any number of them     epsilon %s, delta 0; each further value as much again\n",
        answer.memo->reports, RoundedUp(answer.memo->after, kAccountDigits),
        RoundedUp(answer.memo->limit, kAccountDigits));
  }
  if (!answer.several.has_value()) return;
  std::cout << absl::StrFormat(
      "%d submissions of a device\n"
      "  perhaps in one batch   epsilon %s, delta %s%s\n"
      "  in as many batches     epsilon %s, delta %s\n",
      question.submissions, RoundedUp(answer.several->together.epsilon, kAccountDigits),
      RoundedUp(answer.several->together.delta, kAccountDigits),
      answer.several->together.delta < 1 ? "" : " (says nothing)",
      RoundedUp(answer.several->apart.epsilon, kAccountDigits),
      RoundedUp(answer.several->apart.delta, kAccountDigits));
}

absl::Status RunAccount(const AccountOptions& options) {
  const absl::StatusOr<AccountAnswer> asked = AnswerAccount(options.question);
  // Whatever is refused, other numbers would mend it: bad input.
  if (!asked.ok()) return absl::InvalidArgumentError(asked.status().message());
  const AccountAnswer& answer = *asked;
  if (!options.json) {
    PrintTable(options.question, answer);
    return absl::OkStatus();
  }
  Json json{{"mechanism", options.question.mechanism},
            {"epsilon", answer.epsilon},
            {"delta", answer.delta},
            {"local_epsilon", nullptr},
            {"users", answer.users},
            {"honest", answer.honest},
            {"method", answer.method}};
  if (options.question.items > 1) {
    json["items"] = options.question.items;
    json["sent"] = options.question.sent.value_or(options.question.items);
  }
  if (answer.local_epsilon.has_value()) json["local_epsilon"] = *answer.local_epsilon;
  if (answer.memo.has_value()) {
    json["memo"] = {{"reports", answer.memo->reports},
                    {"epsilon", answer.memo->after},
                    {"limit", answer.memo->limit}};
  }
  if (answer.several.has_value()) {
    const auto pair = [](const accounting::EpsilonDelta& total) {
      return Json{{"epsilon", total.epsilon}, {"delta", total.delta}};
    };
    json["submissions"] = options.question.submissions;
    json["total_epsilon"] = answer.several->apart.epsilon;
    json["total_delta"] = answer.several->apart.delta;
    json["composed"] = pair(answer.several->apart);
    json["group"] = pair(answer.several->together);
  }
  Print(json);
  return absl::OkStatus();
}

}  // namespace

void AddAccount(CLI::App& app, const Choose& choose) {
  auto options = std::make_shared<AccountOptions>();
  AccountQuestion& question = options->question;
  CLI::App* account = app.add_subcommand("account", "What a batch of a mechanism guarantees");
  account
      ->add_option("--mechanism", question.mechanism,
                   absl::StrCat(absl::StrJoin(mechanism::MechanismNames(), ", "),
                                ", or generic: any randomiser of the local epsilon"))
      ->required();
  account->add_option("--users", question.users, "Submissions in the batch")->required();
  account->add_option("--delta", question.delta, "The delta at which epsilon is asked for")
      ->required();
  account->add_option("--epsilon", question.epsilon, "Ask for the delta at this epsilon instead");
  account->add_option("--domain", question.domain, "Number of values");
  account->add_option("--range", question.range, "Number of hash buckets");
  account->add_option("--local-epsilon", question.local_epsilon, "Of one message by itself");
  account->add_option("--dummies", question.dummies,
                      "Expected dummies for one value in the whole batch");
  account->add_option("--fakes", question.fakes, "Uniform messages that the shuffler adds");
  account->add_option("--noise-epsilon", question.noise_epsilon,
                      "correlated: of the noise that stays in the estimate");
  account->add_option("--shape", question.shape, "correlated: shape of the flood");
  account->add_option("--flood", question.flood, "correlated: success probability of the flood");
  account->add_option("--hashes", question.hashes, "rappor: bits that a value sets [1]");
  account->add_option("--prr", question.prr, "rappor: f, how often a bit of the memo is a coin");
  account->add_option("--irr-p", question.irr_p,
                      "rappor: how often a report's bit is 1 where the memo's is 0");
  account->add_option("--irr-q", question.irr_q, "rappor: and where it is 1");
  account
      ->add_option("--colluding", question.colluding,
                   "Share of the submissions that are the observer's own")
      ->capture_default_str();
  account
      ->add_option("--submissions", question.submissions,
                   "State also what so many submissions of a device amount to; of rappor, so many "
                   "reports by one memo")
      ->capture_default_str();
  account->add_option("--total-delta", question.total_delta,
                      "The delta at which those in as many batches are stated [--delta]");
  account
      ->add_option("--items", question.items,
                   "aue, pure_dump, correlated, grr: distinct cells that a device holds; --domain "
                   "counts all cells")
      ->capture_default_str();
  account->add_option("--sent", question.sent,
                      "pure_dump, grr: how many of them, drawn by chance, it sends [all]");
  account->add_option("--method", question.method, "tight, or published: the papers' closed forms")
      ->check(CLI::IsMember({"tight", "published"}))
      ->capture_default_str();
  account->add_flag("--json", options->json, "One JSON object on standard output");
  account->callback([options, choose] { choose([options] { return RunAccount(*options); }); });
}

}  // namespace tombola::cli
