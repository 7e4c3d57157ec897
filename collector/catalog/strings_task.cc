#include "collector/catalog/strings_task.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/kind/strings.h"
#include "common/mechanism/strings.h"
#include "common/plan/strings.h"

namespace tombola::collector {
namespace {

using strings::StringMessages;

absl::Status RefuseStrings(absl::string_view field, absl::string_view bound) {
  return absl::InvalidArgumentError(absl::StrCat(field, " must be ", bound));
}

constexpr StringMessages kWays[] = {StringMessages::kOne, StringMessages::kDummies,
                                    StringMessages::kEveryLevel};

bool IsWay(absl::string_view name) {
  return std::any_of(std::begin(kWays), std::end(kWays),
                     [&](StringMessages way) { return mechanism::NameOf(way) == name; });
}

mechanism::StringPlanRequest PlanOf(const v1::Strings& wire, int64_t symbols,
                                    const mechanism::PlanRequest& plan) {
  mechanism::StringPlanRequest asked{
      .plan = plan, .symbols = symbols, .length = wire.length(), .whole = wire.whole()};
  if (wire.step() != 0) asked.step = wire.step();
  return asked;
}

// Those that the request lets one choose from.
std::vector<mechanism::StringPlan> AskedOf(std::vector<mechanism::StringPlan> plans,
                                           const std::string& name) {
  std::erase_if(plans, [&](const mechanism::StringPlan& plan) {
    return !name.empty() && mechanism::NameOf(plan.messages) != name;
  });
  return plans;
}

void SetMessages(const mechanism::StringPlan& plan, v1::Strings* wire) {
  if (plan.messages == StringMessages::kOne) {
    wire->mutable_one_message()->set_blanket_threshold(plan.blanket_threshold);
    return;
  }
  v1::Dummies* const dummies = plan.messages == StringMessages::kDummies
                                   ? wire->mutable_dummies()
                                   : wire->mutable_every_level();
  dummies->set_rate(plan.dummies->rate);
  dummies->set_honest(static_cast<uint64_t>(plan.dummies->honest));
  dummies->set_max(static_cast<uint32_t>(plan.dummies->max));
}

}  // namespace

absl::Status CheckStrings(const v1::CreateTaskRequest& request) {
  if (request.kind() != v1::KIND_STRINGS) {
    return request.has_strings() ? RefuseStrings("strings", "absent but for strings")
                                 : absl::OkStatus();
  }
  if (!request.has_strings()) return RefuseStrings("strings", "set for strings");
  if (!request.labels().empty() || request.domain_size() != 0 || request.has_other()) {
    return RefuseStrings("labels, domain_size and other",
                         "absent for strings, which have an alphabet");
  }
  if (request.has_items() || request.has_levels() || request.has_numbers() ||
      request.has_records()) {
    return RefuseStrings("items, levels, numbers and records", "absent for strings");
  }
  if (!request.mechanism().empty() && !IsWay(request.mechanism())) {
    return RefuseStrings("mechanism", "one of one_message, dummies, every_level for strings");
  }
  if (request.has_fakes() || request.has_dummies() || request.frequency() != 0) {
    return RefuseStrings("fakes, dummies and frequency", "absent for strings");
  }
  const bool power = request.range() != 0 && (request.range() & (request.range() - 1)) == 0;
  if (request.has_range() &&
      (!power || request.range() < static_cast<uint64_t>(strings::kLeastRange) ||
       request.range() > static_cast<uint64_t>(strings::kMostRange))) {
    return RefuseStrings("range", "a power of two from 64 to 2^24 for strings");
  }
  return absl::OkStatus();
}

absl::Status SetAnyStrings(const v1::CreateTaskRequest& request, v1::Task* task) {
  const v1::Strings& asked = request.strings();
  TOMBOLA_ASSIGN_OR_RETURN(const strings::Alphabet alphabet, ReadAlphabet(asked));
  task->mutable_domain()->set_size(static_cast<uint64_t>(alphabet.symbols()));
  TOMBOLA_ASSIGN_OR_RETURN(
      const strings::ShapeOptions shape,
      mechanism::LevelsFor(PlanOf(asked, alphabet.symbols(), mechanism::PlanRequest())));
  v1::Strings* const wire = task->mutable_strings();
  *wire = asked;
  wire->set_length(static_cast<uint32_t>(shape.length));
  wire->set_step(static_cast<uint32_t>(shape.step));
  wire->set_range(request.has_range() ? request.range()
                                      : static_cast<uint64_t>(strings::kLeastRange));
  wire->set_least_holders(std::max<uint64_t>(1, asked.least_holders()));
  wire->mutable_one_message()->set_blanket_threshold(1);
  return absl::OkStatus();
}

absl::Status SetStrings(const v1::CreateTaskRequest& request, const mechanism::PlanRequest& plan,
                        v1::Task* task) {
  TOMBOLA_ASSIGN_OR_RETURN(
      std::vector<mechanism::StringPlan> plans,
      mechanism::PlanStrings(
          PlanOf(request.strings(), static_cast<int64_t>(task->domain().size()), plan)));
  plans = AskedOf(std::move(plans), request.mechanism());
  const bool anything =
      !request.mechanism().empty() || request.has_max_local_epsilon() || request.has_max_messages();
  const mechanism::StringPlan* const best = mechanism::RecommendedStrings(
      plans, anything ? mechanism::Left::kAnything : mechanism::Left::kSomething);
  if (best == nullptr) {
    std::string reasons;
    for (const mechanism::StringPlan& failed : plans) {
      absl::StrAppend(&reasons, "; ", mechanism::NameOf(failed.messages), ": ",
                      failed.feasible ? "leaves nothing if the shuffler colludes" : failed.reason);
    }
    return absl::FailedPreconditionError(absl::StrCat("no way to send meets the target", reasons));
  }
  if (!(best->holders <= static_cast<double>(plan.submissions))) {
    return absl::FailedPreconditionError(
        absl::StrCat("no string could be found: of ", plan.submissions, " devices ",
                     static_cast<int64_t>(std::ceil(std::min(best->holders, 1e15))),
                     " would have to hold it; raise epsilon or the users"));
  }
  v1::Strings* const wire = task->mutable_strings();
  wire->set_range(static_cast<uint64_t>(best->shape.range));
  SetMessages(*best, wire);
  if (request.strings().least_holders() == 0) {
    wire->set_least_holders(std::max<uint64_t>(1, static_cast<uint64_t>(std::ceil(best->holders))));
  }
  return absl::OkStatus();
}

}  // namespace tombola::collector
