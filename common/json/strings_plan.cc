#include "common/json/strings_plan.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/base/decimal.h"
#include "common/crypto/hpke_suite.h"
#include "common/json/mechanism.h"
#include "common/mechanism/strings.h"
#include "common/strings/report.h"

namespace tombola {

using mechanism::StringPlan;
using mechanism::StringPlanRequest;
using strings::StringMessages;

double BytesPerUser(const StringPlan& plan) {
  return plan.expected_messages *
         static_cast<double>(strings::StringReport::kBytes + crypto::kHpkeOverhead);
}

int64_t MostMessages(const StringPlan& plan) {
  const int64_t of_string = plan.messages == StringMessages::kEveryLevel ? plan.levels : 1;
  return of_string + (plan.dummies.has_value() ? plan.dummies->max : 0);
}

double TestsOf(const StringPlan& plan) {
  return static_cast<double>(strings::kFunctions * plan.levels) * plan.candidates;
}

std::vector<std::string> StringsPlanWarnings(const StringPlan* best,
                                             const StringPlanRequest& request) {
  std::vector<std::string> warnings;
  const auto users = static_cast<double>(request.plan.submissions);
  if (request.plan.delta * users >= 1) {
    warnings.push_back(
        absl::StrFormat("delta %s is not below 1/users: it allows a device to be exposed outright",
                        RoundedUp(request.plan.delta, 6)));
  }
  if (best == nullptr) return warnings;
  if (best->holders > 0.05 * users) {
    warnings.push_back(absl::StrFormat(
        "a string must be held by %.3g %% of the devices to be found: more users, a larger "
        "epsilon or fewer levels would help",
        100 * std::min(1.0, best->holders / users)));
  }
  const int64_t most = MostMessages(*best);
  if (most > mechanism::kUsualMostReports) {
    warnings.push_back(absl::StrCat("a submission may have ", most, " messages, more than the ",
                                    mechanism::kUsualMostReports,
                                    " that a usual device's policy allows"));
  }
  return warnings;
}

Json StringsPlanJson(const std::vector<StringPlan>& plans, const StringPlan* best,
                     const StringPlanRequest& request) {
  Json rows = Json::array();
  for (const StringPlan& plan : plans) {
    const auto known = [&](auto value) { return plan.feasible ? Json(value) : Json(); };
    rows.push_back(
        {{"mechanism", std::string(mechanism::NameOf(plan.messages))},
         {"feasible", plan.feasible},
         {"reason", plan.reason},
         {"holders", FiniteOrNull(plan.holders)},
         {"holders_share", known(plan.holders / static_cast<double>(request.plan.submissions))},
         {"range", known(plan.shape.range)},
         {"messages_per_user", known(plan.expected_messages)},
         {"max_messages_per_user", plan.feasible ? Json(MostMessages(plan)) : Json()},
         {"bytes_per_user", plan.feasible ? Json(BytesPerUser(plan)) : Json()},
         {"moved_by_report", known(plan.of_liar)},
         {"local_epsilon", FiniteOrNull(plan.local_epsilon)}});
  }
  const StringPlan& any = plans.front();
  return Json{{"recommended",
               best == nullptr ? Json() : Json(std::string(mechanism::NameOf(best->messages)))},
              {"symbols", any.shape.symbols},
              {"length", any.shape.length},
              {"step", any.shape.whole ? Json() : Json(any.shape.step)},
              {"levels", any.levels},
              {"whole", any.shape.whole},
              {"dictionary", any.shape.whole ? Json(request.dictionary) : Json()},
              {"tests", TestsOf(any)},
              {"candidates", std::move(rows)},
              {"warnings", StringsPlanWarnings(best, request)}};
}

}  // namespace tombola
