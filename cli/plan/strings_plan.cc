#include "cli/plan/strings_plan.h"

#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/command/command.h"
#include "common/base/decimal.h"
#include "common/base/status_macros.h"
#include "common/json/strings_plan.h"
#include "common/kind/strings.h"

namespace tombola::cli {
namespace {

using mechanism::StringPlan;
using mechanism::StringPlanRequest;

constexpr double kTestsOfASecond = 1.5e9;  // of a core (collector/decode)

void PrintStringRow(const StringPlan& plan, bool recommended, double users) {
  std::cout << absl::StrFormat("%s %-11s", recommended ? "*" : " ",
                               mechanism::NameOf(plan.messages));
  if (!plan.feasible) {
    std::cout << "  not feasible: " << plan.reason << "\n";
    return;
  }
  std::cout << absl::StrFormat(
      "  %7.0f  %8.2g %%  %8.4g  %7d  %5.0f  %8d  %8.3g  %s\n", std::ceil(plan.holders),
      100 * plan.holders / users, plan.expected_messages, MostMessages(plan), BytesPerUser(plan),
      plan.shape.range, plan.of_liar,
      std::isfinite(plan.local_epsilon) ? RoundedUp(plan.local_epsilon, 4) : "none");
}

// How long strings are, and how they are asked for.
std::string AskedText(const StringPlan& plan, const StringPlanRequest& request) {
  if (plan.shape.whole) {
    return absl::StrFormat("whole strings, of which a dictionary of %.4g is asked",
                           request.dictionary);
  }
  return absl::StrFormat("strings of up to %d of %d symbols, %d level%s of %d", plan.shape.length,
                         plan.shape.symbols, plan.levels, plan.levels == 1 ? "" : "s",
                         plan.shape.step);
}

void PrintStringPlans(const std::vector<StringPlan>& plans, const StringPlan* best,
                      const StringPlanRequest& request) {
  const mechanism::PlanRequest& plan = request.plan;
  std::cout << absl::StrFormat(
      "%d users, %d honest; %s; epsilon %s, delta %s\n\n"
      "  %-11s  %7s  %10s  %8s  %7s  %5s  %8s  %8s  %s\n",
      plan.submissions, plan.honest, AskedText(plans.front(), request), RoundedUp(plan.epsilon, 6),
      RoundedUp(plan.delta, 6), "mechanism", "holders", "share", "messages", "at most", "bytes",
      "range", "a report", "local epsilon");
  for (const StringPlan& one : plans) {
    PrintStringRow(one, &one == best, static_cast<double>(plan.submissions));
  }
  if (best == nullptr) {
    std::cout << "\nno way of sending meets these demands\n";
  } else {
    const double tests = TestsOf(*best);
    std::cout << absl::StrFormat(
        "\nholders: so many devices must hold a string for it to be found with a probability of "
        "%g %%; messages, at most,\nbytes: of a submission; a report: by so many devices one lying "
        "report may move an estimate. Finding takes up to\n%.2g tests%s: %.2g seconds of a core\n",
        100 * request.power, tests,
        request.whole
            ? ""
            : absl::StrFormat(" where %g prefixes stand out on every level", request.survivors),
        tests / kTestsOfASecond);
    std::cout << "* the fewest holders of those that leave something if shuffler and collector "
                 "collude, or that --max-local-epsilon allows\n";
  }
  for (const std::string& warning : StringsPlanWarnings(best, request)) {
    std::cout << "! " << warning << "\n";
  }
}

}  // namespace

absl::Status PlanStringWays(const StringFlags& flags, const mechanism::PlanRequest& plan,
                            mechanism::Left left, bool json) {
  if (plan.domain_size != 0) {
    return absl::InvalidArgumentError(
        "--domain is not for --kind strings, which has --alphabet and --length");
  }
  if (plan.method == mechanism::Method::kPublished) {
    return absl::InvalidArgumentError("--method must be tight for --kind strings");
  }
  TOMBOLA_ASSIGN_OR_RETURN(const strings::Alphabet alphabet, ReadAlphabet(flags));
  TOMBOLA_ASSIGN_OR_RETURN(const StringPlanRequest request,
                           ReadStringRequest(flags, alphabet.symbols(), plan));
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<StringPlan> plans, mechanism::PlanStrings(request));
  const StringPlan* const best = mechanism::RecommendedStrings(plans, left);
  if (!json) {
    PrintStringPlans(plans, best, request);
    return absl::OkStatus();
  }
  Json object = {{"kind", std::string(StringsKind::kName)},
                 {"users", plan.submissions},
                 {"honest", plan.honest},
                 {"epsilon", plan.epsilon},
                 {"delta", plan.delta}};
  object.update(StringsPlanJson(plans, best, request));
  Print(object);
  return absl::OkStatus();
}

}  // namespace tombola::cli
