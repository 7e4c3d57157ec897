// tombola audit
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cli/audit/question.h"
#include "cli/command/command.h"
#include "cli/simulation/generator.h"
#include "common/base/decimal.h"
#include "common/base/status_macros.h"
#include "common/mechanism/every.h"
#include "common/random/secure_random.h"

namespace tombola::cli {
namespace {

constexpr int kAuditDigits = 6;

struct AuditFlags {
  AuditQuestion question;
  std::optional<uint64_t> seed;
  bool json = false;
};

Json HitsJson(const Hits& hits) { return {{"hits", hits.hits}, {"trials", hits.trials}}; }

void PrintJson(const AuditQuestion& question, const AuditAnswer& answer) {
  Json json{{"claimed", answer.claimed},
            {"lower_bound", answer.finding.lower_bound},
            {"samples", answer.samples},
            {"confidence", question.confidence},
            {"mechanism", question.parameters.mechanism},
            {"scope", answer.scope},
            {"refuted", answer.refuted()},
            {"event",
             {{"likelier_value", answer.finding.first_likelier ? 0 : 1},
              {"likely", HitsJson(answer.finding.likely)},
              {"unlikely", HitsJson(answer.finding.unlikely)}}}};
  if (answer.scope == "batch") {
    json["delta"] = question.delta;
    json["users"] = question.parameters.users;
  }
  if (answer.scope == "memo") json["reports"] = question.reports;
  if (!question.plant.empty()) json["planted"] = question.plant;
  Print(json);
}

void PrintTable(const AuditQuestion& question, const AuditAnswer& answer) {
  const bool batch = answer.scope == "batch";
  const Hits& likely = answer.finding.likely;
  const Hits& unlikely = answer.finding.unlikely;
  std::cout << absl::StrFormat("mechanism    %s%s\n", question.parameters.mechanism,
                               question.plant.empty() ? "" : ", planted: " + question.plant);
  if (batch) {
    std::cout << absl::StrFormat("scope        batches of %d devices, delta %s\n",
                                 question.parameters.users,
                                 RoundedUp(question.delta, kAuditDigits));
  } else if (answer.scope == "memo") {
    std::cout << absl::StrFormat("scope        %d reports of one device by one memo, all seen\n",
                                 question.reports);
  } else {
    std::cout << "scope        one submission, seen by a shuffler that colludes\n";
  }
  std::cout
      << absl::StrFormat("claimed      epsilon <= %s\n", RoundedUp(answer.claimed, kAuditDigits))
      << absl::StrFormat("lower bound  epsilon >= %s (confidence %s)\n",
                         RoundedDown(answer.finding.lower_bound, kAuditDigits),
                         RoundedDown(question.confidence, kAuditDigits))
      << absl::StrFormat("samples      %d; the event came %d times against %d in %d\n",
                         answer.samples, likely.hits, unlikely.hits, likely.trials)
      << (answer.refuted()
              ? ""
              : "verdict      the claim is not refuted; that proves nothing beyond the bound\n");
}

absl::Status RunAudit(const AuditFlags& options) {
  std::unique_ptr<RandomSource> random;
  if (options.seed.has_value()) {
    random = std::make_unique<simulation::Generator>(*options.seed);
  } else {
    random = std::make_unique<SecureRandom>();
  }
  TOMBOLA_ASSIGN_OR_RETURN(const AuditAnswer answer, AnswerAudit(options.question, *random));
  if (options.json) {
    PrintJson(options.question, answer);
  } else {
    PrintTable(options.question, answer);
  }
  if (!answer.refuted()) return absl::OkStatus();
  return absl::InternalError(absl::StrFormat(
      "AUDIT FAILED: %s leaks at least epsilon %s, more than the %s it claims (confidence %s). "
      "Do not use it.",
      options.question.parameters.mechanism, RoundedDown(answer.finding.lower_bound, kAuditDigits),
      RoundedUp(answer.claimed, kAuditDigits),
      RoundedDown(options.question.confidence, kAuditDigits)));
}

void AddMechanismFlags(CLI::App& audit, AuditParameters& parameters) {
  audit
      .add_option("--mechanism", parameters.mechanism,
                  absl::StrCat("One of ", absl::StrJoin(mechanism::MechanismNames(), ", ")))
      ->required();
  const auto add = [&](const char* flag, auto& value, const char* help) {
    audit.add_option(flag, value, help)->capture_default_str();
  };
  add("--domain", parameters.domain, "Number of values");
  add("--range", parameters.range, "Number of hash buckets: a prime or a power of two");
  add("--local-epsilon", parameters.local_epsilon, "Of one message by itself");
  add("--users", parameters.users, "Devices in a batch");
  add("--dummies", parameters.dummies, "Expected dummies for one value in the whole batch");
  add("--fakes", parameters.fakes, "Uniform messages that the shuffler adds");
  add("--noise-epsilon", parameters.noise_epsilon,
      "correlated: of the noise that stays in the estimate");
  add("--shape", parameters.shape, "correlated: shape of the flood");
  add("--flood", parameters.flood, "correlated: success probability of the flood");
  add("--bits", parameters.bits, "rappor: bits of a report");
  add("--hashes", parameters.hashes, "rappor: bits that a value sets");
  add("--prr", parameters.prr, "rappor: f, how often a bit of the memo is a coin");
  add("--irr-p", parameters.irr_p, "rappor: how often a report's bit is 1 where the memo's is 0");
  add("--irr-q", parameters.irr_q, "rappor: and where it is 1");
}

}  // namespace

void AddAudit(CLI::App& app, const Choose& choose) {
  auto options = std::make_shared<AuditFlags>();
  AuditQuestion& question = options->question;
  CLI::App* audit = app.add_subcommand(
      "audit", "An empirical lower bound on epsilon from the real encoder, beside the claim");
  AddMechanismFlags(*audit, question.parameters);
  audit
      ->add_option("--scope", question.scope,
                   "local: one submission; batch: a whole one; memo: reports by one memo of "
                   "rappor. Default: local where there is a local epsilon")
      ->check(CLI::IsMember({"local", "batch", "memo"}));
  audit->add_option("--reports", question.reports, "Of one memo, with --scope memo")
      ->capture_default_str();
  audit->add_option("--delta", question.delta, "At which a batch's epsilon is claimed")
      ->capture_default_str();
  audit->add_option("--samples", question.samples,
                    absl::StrFormat("Submissions, or batches, for each of two values. Default: %d, "
                                    "or %d",
                                    kLocalSamples, kBatchSamples));
  audit
      ->add_option("--confidence", question.confidence,
                   "The probability that the lower bound is one")
      ->capture_default_str();
  audit->add_option("--seed", options->seed, "Reproducible. Default: secure randomness");
  audit
      ->add_option(
          "--plant", question.plant,
          "Audit a faulty encoder instead, to see it fail. step3: local_hash by the "
          "published Algorithm 2; fresh_memo: rappor with a memo drawn anew for each report")
      ->check(CLI::IsMember({"step3", "fresh_memo"}));
  audit->add_flag("--json", options->json, "One JSON object on standard output");
  audit->callback([options, choose] { choose([options] { return RunAudit(*options); }); });
}

}  // namespace tombola::cli
