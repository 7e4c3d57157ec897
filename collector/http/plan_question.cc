#include "collector/http/plan_question.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "collector/http/parameters.h"
#include "common/base/status_macros.h"
#include "common/kind/histogram.h"
#include "common/kind/key_value.h"
#include "common/kind/set.h"
#include "common/table/domain_size.h"

namespace tombola::collector {
namespace {

constexpr size_t kMostEpsilons = 16;
// Beyond it, and beyond 2^32 users, a plan takes many seconds; the command line has the time.
constexpr double kLeastDelta = 1e-30;
// The same for sets and key-value pairs.
constexpr int64_t kMostItems = 256;
constexpr int64_t kMostWork = int64_t{1} << 22;

absl::Status OnlyFor(absl::string_view name, absl::string_view kinds) {
  return absl::InvalidArgumentError(absl::StrCat(name, " is for kind ", kinds));
}

struct ItemParameters {
  std::optional<int64_t> held;
  std::optional<int64_t> levels;
  std::optional<double> frequency;
};

// How many cells a device fills, and of how many: those of the values, or of their levels, and
// pads.
absl::Status SetItems(const ItemParameters& given, PlanQuestion& question) {
  mechanism::PlanRequest& plan = question.request;
  const bool pairs = question.kind == KeyValueKind::kName;
  if (given.levels.has_value() && !pairs) return OnlyFor("levels", KeyValueKind::kName);
  if (question.kind == Histogram::kName) {
    if (given.held.has_value()) return OnlyFor("max_items", "set and key_value");
    if (given.frequency.has_value()) return OnlyFor("frequency", "set and key_value");
    return absl::OkStatus();
  }
  if (!given.held.has_value()) {
    return absl::InvalidArgumentError("max_items must be given for kind set and key_value");
  }
  const int64_t held = *given.held;
  if (held > plan.domain_size) {
    return absl::InvalidArgumentError("max_items must be at most domain");
  }
  plan.frequency = given.frequency.value_or(0);
  if (!(plan.frequency >= 0 && plan.frequency <= 1)) {
    return absl::InvalidArgumentError("frequency must be in [0, 1]");
  }
  if (pairs) question.options.levels = given.levels.value_or(kUsualLevels);
  plan.domain_size = plan.domain_size * std::max<int64_t>(1, question.options.levels) + held;
  if (plan.domain_size > mechanism::kLargestDomain) {
    return absl::InvalidArgumentError(
        absl::StrCat("domain times levels, and max_items, must be at most ",
                     mechanism::kLargestDomainText, " together"));
  }
  plan.filling = {.held = held, .sent = held};
  plan.most_work = kMostWork;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PlanQuestion> ReadPlanQuestion(const http::Request& request) {
  Parameters parameters(request);
  PlanQuestion question;
  mechanism::PlanRequest& plan = question.request;
  const auto users = parameters.Integer("users", 1, int64_t{1} << 32);
  const auto domain =
      parameters.Integer("domain", mechanism::kSmallestDomain, mechanism::kLargestDomain);
  const auto delta = parameters.Number("delta");
  question.epsilons = parameters.Numbers("epsilon");
  plan.max_local_epsilon = parameters.Number("max_local_epsilon").value_or(plan.max_local_epsilon);
  plan.max_messages = parameters.Number("max_messages").value_or(plan.max_messages);
  question.options.min_honest = parameters.Number("min_honest").value_or(1);
  question.options.min_batch = parameters.OneOf("min_batch", {"true", "false"}) == "true";
  question.kind = parameters.OneOf("kind", {Histogram::kName, Set::kName, KeyValueKind::kName});
  const ItemParameters items{.held = parameters.Integer("max_items", 1, kMostItems),
                             .levels = parameters.Integer("levels", 2, kMostLevels),
                             .frequency = parameters.Number("frequency")};
  TOMBOLA_RETURN_IF_ERROR(parameters.Finish());
  if (!users.has_value() || !domain.has_value() || !delta.has_value()) {
    return absl::InvalidArgumentError("users, domain and delta must be given");
  }
  if (question.epsilons.empty() || question.epsilons.size() > kMostEpsilons) {
    return absl::InvalidArgumentError(
        absl::StrCat("epsilon must be given 1 to ", kMostEpsilons, " times"));
  }
  for (const double epsilon : question.epsilons) {
    if (!(epsilon > 0)) return absl::InvalidArgumentError("epsilon must be positive");
  }
  if (!(*delta >= kLeastDelta && *delta < 1)) {
    return absl::InvalidArgumentError("delta must be in [1e-30, 1)");
  }
  const double min_honest = question.options.min_honest;
  if (!(min_honest > 0 && min_honest <= 1)) {
    return absl::InvalidArgumentError("min_honest must be in (0, 1]");
  }
  plan.submissions = *users;
  question.values = *domain;
  plan.domain_size = *domain;
  TOMBOLA_RETURN_IF_ERROR(SetItems(items, question));
  plan.delta = *delta;
  plan.honest = HonestUsers(*users, min_honest);
  if (plan.honest < 1) {
    return absl::InvalidArgumentError("min_honest must leave at least one of users");
  }
  return question;
}

std::string PlanKey(const PlanQuestion& question, double epsilon) {
  const mechanism::PlanRequest& plan = question.request;
  std::string key =
      absl::StrCat(plan.submissions, " ", plan.domain_size, " ", plan.filling.held, " ",
                   question.options.levels, " ", question.options.min_batch ? "with" : "without");
  for (const double number : {epsilon, plan.delta, plan.max_local_epsilon, plan.max_messages,
                              plan.frequency, question.options.min_honest}) {
    key.push_back(' ');
    AppendNumber(number, &key);
  }
  return key;
}

absl::StatusOr<std::string> PlanText(const PlanQuestion& question, double epsilon) {
  mechanism::PlanRequest request = question.request;
  request.epsilon = epsilon;
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<mechanism::Candidate> candidates,
                           mechanism::PlanAll(request));
  const mechanism::Candidate* const best = mechanism::Recommended(
      candidates, std::isinf(request.max_local_epsilon) ? mechanism::LeftByDefault(request.filling)
                                                        : mechanism::Left::kAnything);
  Json rows = Json::array();
  for (const mechanism::Candidate& candidate : candidates) {
    rows.push_back(CandidateJson(candidate, request, question.options));
  }
  return ToText({{"epsilon", epsilon},
                 {"recommended", best == nullptr ? Json() : Json(best->name)},
                 {"sent", best == nullptr || !best->sent.has_value() ? Json() : Json(*best->sent)},
                 {"candidates", std::move(rows)},
                 {"warnings", PlanWarnings(best, request)}});
}

std::string WritePlans(const PlanQuestion& question, const std::vector<std::string>& plans) {
  std::string text = ToText({{"kind", question.kind},
                             {"users", question.request.submissions},
                             {"domain", question.values},
                             {"delta", question.request.delta}});
  text.pop_back();
  absl::StrAppend(&text, ",\"plans\":[", absl::StrJoin(plans, ","), "]}\n");
  return text;
}

}  // namespace tombola::collector
