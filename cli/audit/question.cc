#include "cli/audit/question.h"

#include <cmath>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/audit/planted.h"
#include "cli/audit/trial.h"
#include "client/encode/encoder.h"
#include "common/base/status_macros.h"
#include "common/mechanism/mechanism.h"
#include "common/mechanism/rappor.h"

namespace tombola::cli {
namespace {

using MechanismPtr = std::shared_ptr<const mechanism::Mechanism>;
using EncoderPtr = std::shared_ptr<const client::Encoder>;

absl::StatusOr<std::string> ScopeOf(const AuditQuestion& question,
                                    const mechanism::Mechanism& mechanism) {
  const bool has_local = std::isfinite(mechanism.local_epsilon());
  if (question.scope.empty()) return std::string(has_local ? "local" : "batch");
  if (question.scope != "local" && question.scope != "batch" && question.scope != "memo") {
    return absl::InvalidArgumentError(
        absl::StrCat("--scope must be local, batch or memo, is ", question.scope));
  }
  if (question.scope == "memo" && mechanism.bloom() == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("--scope memo is for rappor, not for ", question.parameters.mechanism));
  }
  if (question.scope == "local" && !has_local) {
    return absl::InvalidArgumentError(
        absl::StrCat(question.parameters.mechanism, " claims no local epsilon; use --scope batch"));
  }
  return question.scope;
}

absl::StatusOr<EncoderPtr> EncoderOf(const AuditQuestion& question, const MechanismPtr& mechanism) {
  if (question.plant.empty() || (question.plant == "fresh_memo" && question.scope == "memo")) {
    return EncoderPtr(client::MakeEncoder(mechanism));
  }
  if (question.plant == "fresh_memo") {
    return absl::InvalidArgumentError("--plant fresh_memo is for --scope memo");
  }
  if (question.plant == "step3" && mechanism->hashing() != nullptr) {
    return EncoderPtr(std::make_shared<const Step3Encoder>(mechanism));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--plant ", question.plant, " is for mechanisms that hash; fresh_memo is for rappor"));
}

}  // namespace

absl::StatusOr<AuditAnswer> AnswerAudit(const AuditQuestion& question, RandomSource& random) {
  TOMBOLA_ASSIGN_OR_RETURN(const MechanismPtr mechanism, MakeAudited(question.parameters));
  TOMBOLA_ASSIGN_OR_RETURN(const EncoderPtr encoder, EncoderOf(question, mechanism));
  AuditAnswer answer;
  TOMBOLA_ASSIGN_OR_RETURN(answer.scope, ScopeOf(question, *mechanism));
  AuditOptions options{.confidence = question.confidence};
  std::unique_ptr<Trial> trial;
  if (answer.scope == "local") {
    answer.claimed = mechanism->local_epsilon();
    options.samples = question.samples.value_or(kLocalSamples);
    trial = std::make_unique<LocalTrial>(mechanism, encoder);
  } else if (answer.scope == "memo") {
    if (question.reports < 1 || question.reports > 1000) {
      return absl::InvalidArgumentError(
          absl::StrCat("--reports must be in [1, 1000], is ", question.reports));
    }
    const auto& rappor = static_cast<const mechanism::Rappor&>(*mechanism);
    answer.claimed = mechanism::BudgetOfReports(rappor.responses(), question.reports);
    options.samples = question.samples.value_or(kMemoSamples);
    trial = std::make_unique<MemoTrial>(mechanism, question.reports,
                                        /*drawn_anew=*/question.plant == "fresh_memo");
  } else {
    const int64_t users = question.parameters.users;
    options.delta = question.delta;
    TOMBOLA_ASSIGN_OR_RETURN(answer.claimed, mechanism->EpsilonAt(users, question.delta));
    options.samples = question.samples.value_or(kBatchSamples);
    trial = std::make_unique<BatchTrial>(mechanism, encoder, users);
  }
  answer.samples = options.samples;
  TOMBOLA_ASSIGN_OR_RETURN(answer.finding, Audit(*trial, options, random));
  return answer;
}

}  // namespace tombola::cli
