#include "collector/catalog/task_maker.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "collector/catalog/stream_task.h"
#include "collector/catalog/strings_task.h"
#include "common/accounting/work.h"
#include "common/base/status_macros.h"
#include "common/kind/item_cells.h"
#include "common/kind/kind.h"
#include "common/kind/levels.h"
#include "common/mechanism/every.h"
#include "common/mechanism/registry.h"
#include "common/plan/longitudinal.h"
#include "common/plan/number.h"
#include "common/plan/plan.h"
#include "common/plan/records.h"
#include "common/table/domain_size.h"
#include "common/task/target_bounds.h"
#include "common/task/task.h"
#include "tombola/v1/task.pb.h"

namespace tombola::collector {
namespace {

using mechanism::ChosenNumbers;

constexpr uint64_t kDay = 24 * 3600;
constexpr uint64_t kMaxUsers = uint64_t{1} << 40;

absl::Status Refuse(absl::string_view field, absl::string_view bound) {
  return absl::InvalidArgumentError(absl::StrCat(field, " must be ", bound));
}

// A refusal by a task's fields in the words of who asked for the task.
absl::Status InWordsOfRequests(const absl::Status& status) {
  if (!absl::IsInvalidArgument(status)) return status;
  return absl::InvalidArgumentError(absl::StrReplaceAll(
      status.message(), {{"task.batch_policy.interval", "interval"},
                         {"task.longitudinal.values", "distinct_values"},
                         {"task.submissions_per_device", "submissions_per_device"},
                         {"task.items.max_items", "max_items"},
                         {"items.max_items", "max_items"},
                         {"items.sent", "sent"},
                         {"task.strings.", "strings."},
                         {"task.levels.low and high are", "value_range is"},
                         {"task.levels.count is", "levels is"}}));
}

// 0.9 of the planned number, rounded up, in whole numbers throughout.
uint64_t DefaultSmallestBatch(uint64_t users) { return users - users / 10; }

// What the planner needs must be in bounds before it runs; the rest is checked by Task::Parse.
absl::Status CheckNumbers(const v1::CreateTaskRequest& request) {
  if (!IsTargetEpsilon(request.epsilon())) return Refuse("epsilon", kTargetEpsilonBound);
  if (!IsTargetDelta(request.delta())) return Refuse("delta", kTargetDeltaBound);
  if (request.users() < 2 || request.users() > kMaxUsers) {
    return Refuse("users", "between 2 and 2^40");
  }
  if (!(request.dishonest_share() >= 0 && request.dishonest_share() < 1)) {
    return Refuse("dishonest_share", "in [0, 1)");
  }
  if (request.has_max_local_epsilon() && !(request.max_local_epsilon() > 0)) {
    return Refuse("max_local_epsilon", "above 0");
  }
  if (!request.labels().empty() && request.domain_size() != 0) {
    return Refuse("domain_size", "absent where labels are given");
  }
  const uint64_t size = request.labels().empty() ? request.domain_size()
                                                 : static_cast<uint64_t>(request.labels_size());
  if (request.has_records() && (!request.labels().empty() || request.domain_size() != 0)) {
    return Refuse("labels and domain_size", "absent for records, which have attributes");
  }
  const bool any_size = (request.numbers().dithered() && size == 0) || request.has_records() ||
                        request.kind() == v1::KIND_STRINGS;
  if (!any_size && !mechanism::IsDomainSize(size)) {
    return Refuse(request.labels().empty() ? "domain_size" : "the number of labels",
                  absl::StrCat("between 2 and ", mechanism::kLargestDomain));
  }
  if (request.has_max_messages() && !(request.max_messages() >= 1)) {
    return Refuse("max_messages", "at least 1");
  }
  if (request.has_dummies() && !(request.dummies() > 0)) return Refuse("dummies", "above 0");
  if (!(request.frequency() >= 0 && request.frequency() <= 1)) {
    return Refuse("frequency", "in [0, 1]");
  }
  return absl::OkStatus();
}

// What only numbers have, as far as a task that is read does not say it.
absl::Status CheckTree(const v1::CreateTaskRequest& request) {
  if (request.has_branching() && !request.has_numbers()) {
    return Refuse("branching", "absent but for numbers");
  }
  if (request.has_branching() && request.numbers().dithered()) {
    return Refuse("branching", "absent where numbers are dithered");
  }
  return absl::OkStatus();
}

// What the collector keeps of a task with an interval: for each a row with a count of each value,
// and for ever. A short interval, a long life and a large domain would together fill any disk.
absl::Status CheckKept(uint64_t cells, uint64_t interval, uint64_t lifetime) {
  if (interval == 0) return absl::OkStatus();
  constexpr uint64_t kRow = 64;  // counts that take as much as the rest of a row and its index
  const uint64_t most = kMostKeptCounts / (cells + kRow);
  const uint64_t least = (lifetime + most - 1) / most;
  if (interval >= least) return absl::OkStatus();
  return Refuse(
      "interval",
      absl::StrCat("at least ", least,
                   " seconds with this lifetime and domain: of a task at most 2^33 counts are "
                   "kept, one for each value and interval"));
}

// That are counted: the values, or those of several things with their pads, or the nodes of a tree.
uint64_t CellsOf(const Kind& kind, uint64_t users) {
  uint64_t cells = 0;
  for (size_t table = 0; table < kind.tables().size(); ++table) {
    const mechanism::Table& of = *kind.tables()[table];
    if (of.sparse()) {
      // Those that occur, each with its place, of as many as there may be at most.
      const double messages =
          static_cast<double>(users) * kind.scheme()->expected_reports_per_submission();
      cells += 2 * static_cast<uint64_t>(std::min(messages, static_cast<double>(of.domain_size())));
    } else {
      cells += static_cast<uint64_t>(of.domain_size());
    }
  }
  return cells;
}

// The mechanisms that let one choose a number.
std::vector<std::string> WithNumber(bool ChosenNumbers::*number) {
  std::vector<std::string> names = mechanism::MechanismNames();
  std::erase_if(names, [&](const auto& name) { return !(mechanism::ChosenBy(name).*number); });
  return names;
}

absl::Status CheckRappor(const v1::CreateTaskRequest& request) {
  if (request.kind() != v1::KIND_HISTOGRAM && request.kind() != v1::KIND_UNSPECIFIED) {
    return Refuse("mechanism", "another than rappor, which is for histograms");
  }
  if (request.rappor().has_cohorts() && request.rappor().cohorts() != 1) {
    return Refuse("cohorts", "1: the values are known, and more groups would only hide less");
  }
  if (request.submissions_per_device() > 1 &&
      request.longitudinal().mode() != v1::LONGITUDINAL_MODE_MEMO) {
    return Refuse("submissions_per_device",
                  "1 for rappor without longitudinal memo: further reports would say more of the "
                  "same memo");
  }
  return absl::OkStatus();
}

// Refuses what says nothing for the mechanism that is asked for.
absl::Status CheckParameters(const v1::CreateTaskRequest& request) {
  const std::string& name = request.mechanism();
  const auto& names = mechanism::MechanismNames();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    return Refuse("mechanism", absl::StrCat("one of ", absl::StrJoin(names, ", ")));
  }
  const ChosenNumbers chosen = mechanism::ChosenBy(name);
  const auto absent = [&](absl::string_view field, bool ChosenNumbers::*number) {
    return Refuse(field, absl::StrCat("absent for ", name, "; it is for ",
                                      absl::StrJoin(WithNumber(number), " and "), " only"));
  };
  if (request.has_range() && !chosen.range) {
    return absent("range", &ChosenNumbers::range);
  }
  if (request.has_fakes() && !chosen.fakes) {
    return absent("fakes", &ChosenNumbers::fakes);
  }
  if (request.has_dummies() && !chosen.dummies) {
    return absent("dummies", &ChosenNumbers::dummies);
  }
  if (request.has_rappor() && !chosen.rappor) {
    return absent("rappor", &ChosenNumbers::rappor);
  }
  return name == mechanism::Rappor::kName ? CheckRappor(request) : absl::OkStatus();
}

absl::StatusOr<mechanism::PlanRequest> PlanFor(const v1::CreateTaskRequest& request,
                                               const v1::Task& task) {
  const v1::BatchPolicy& policy = task.batch_policy();
  mechanism::PlanRequest plan;
  plan.honest = HonestOf(static_cast<int64_t>(policy.smallest_batch()), policy.dishonest_share());
  plan.submissions = static_cast<int64_t>(policy.planned_submissions());
  plan.domain_size = static_cast<int64_t>(task.domain().size());
  if (task.has_items()) {
    TOMBOLA_ASSIGN_OR_RETURN(const ItemCells cells,
                             ItemCells::Read(task, task.has_levels() ? task.levels().count() : 1));
    plan.domain_size = cells.cells();
    plan.filling = cells.filling;
  }
  plan.frequency = request.frequency();
  plan.epsilon = request.epsilon();
  plan.delta = request.delta();
  if (request.has_max_local_epsilon()) plan.max_local_epsilon = request.max_local_epsilon();
  if (request.has_max_messages()) plan.max_messages = request.max_messages();
  if (request.has_range()) plan.range = request.range();
  if (request.has_fakes()) {
    plan.fakes = static_cast<int64_t>(std::min(request.fakes(), kMaxUsers));
  }
  if (request.has_dummies()) plan.dummies = request.dummies();
  const v1::RapporRequest& rappor = request.rappor();
  if (rappor.has_bits()) plan.rappor.bits = rappor.bits();
  if (rappor.has_hashes()) plan.rappor.hashes = rappor.hashes();
  if (rappor.has_prr()) plan.rappor.prr = rappor.prr();
  if (rappor.has_irr_p()) plan.rappor.irr_p = rappor.irr_p();
  if (rappor.has_irr_q()) plan.rappor.irr_q = rappor.irr_q();
  if (plan.honest < 1) return Refuse("dishonest_share", "such that an honest submission is left");
  return plan;
}

mechanism::NumberPlanRequest PlanForNumbers(const v1::CreateTaskRequest& request,
                                            const mechanism::PlanRequest& plan) {
  mechanism::NumberPlanRequest numbers{.plan = plan,
                                       .bins = static_cast<int64_t>(request.domain_size()),
                                       .missing = request.numbers().missing(),
                                       .dithered = request.numbers().dithered()};
  if (request.has_branching()) numbers.branching = request.branching();
  if (request.numbers().sent() != 0) numbers.sent = request.numbers().sent();
  return numbers;
}

// What a recommendation must leave: as asked for, as is usual, and anything where a mechanism is
// asked for by name.
mechanism::Left LeftFor(const v1::CreateTaskRequest& request, const mechanism::PlanRequest& plan) {
  if (!request.mechanism().empty() || request.has_max_local_epsilon()) {
    return mechanism::Left::kAnything;
  }
  if (request.has_records()) return mechanism::Left::kAnything;
  return request.has_numbers() ? mechanism::LeftByDefault(PlanForNumbers(request, plan))
                               : mechanism::LeftByDefault(plan.filling);
}

// Those that the request lets one choose from.
std::vector<mechanism::Candidate> Eligible(std::vector<mechanism::Candidate> candidates,
                                           const v1::CreateTaskRequest& request) {
  std::erase_if(candidates, [&](const mechanism::Candidate& candidate) {
    const bool other_number = request.items().sent() != 0 && candidate.sent.has_value() &&
                              *candidate.sent != request.items().sent();
    return candidate.central || other_number;
  });
  return candidates;
}

std::string NameOf(const mechanism::Candidate& candidate) {
  std::string name = candidate.name;
  if (candidate.branching.has_value()) {
    absl::StrAppend(&name, " with branching ", *candidate.branching);
  }
  if (candidate.sent.has_value()) absl::StrAppend(&name, " that sends ", *candidate.sent);
  return name;
}

// All that there is for the kind of the task.
absl::StatusOr<std::vector<mechanism::Candidate>> PlanKind(const v1::CreateTaskRequest& request,
                                                           const v1::Task& task,
                                                           const mechanism::PlanRequest& plan) {
  if (request.has_records()) {
    TOMBOLA_ASSIGN_OR_RETURN(const RecordCells cells, RecordCells::Read(task.records()));
    return mechanism::PlanRecords(cells, plan, request.mechanism());
  }
  if (request.has_numbers()) {
    return mechanism::PlanNumber(PlanForNumbers(request, plan), request.mechanism());
  }
  return mechanism::PlanAll(plan, request.mechanism());
}

// The mechanism that is asked for, or the one that a parameter belongs to; else the best.
absl::StatusOr<mechanism::Candidate> Choose(v1::CreateTaskRequest request, const v1::Task& task,
                                            accounting::Work* work) {
  if (request.mechanism().empty()) {
    if (request.has_range()) request.set_mechanism(WithNumber(&ChosenNumbers::range).front());
    if (request.has_fakes()) request.set_mechanism(WithNumber(&ChosenNumbers::fakes).front());
    if (request.has_dummies()) request.set_mechanism(WithNumber(&ChosenNumbers::dummies).front());
    if (request.has_rappor()) request.set_mechanism(WithNumber(&ChosenNumbers::rappor).front());
  }
  TOMBOLA_ASSIGN_OR_RETURN(mechanism::PlanRequest plan, PlanFor(request, task));
  plan.all_work = work;
  if (!request.mechanism().empty()) {
    TOMBOLA_RETURN_IF_ERROR(CheckParameters(request));
    if (plan.filling.held == 1 && !request.has_numbers() && !request.has_records()) {
      mechanism::Candidate only{.name = request.mechanism()};
      TOMBOLA_ASSIGN_OR_RETURN(only.mechanism, mechanism::PlanOne(request.mechanism(), plan));
      return only;
    }
  }
  TOMBOLA_ASSIGN_OR_RETURN(std::vector<mechanism::Candidate> candidates,
                           PlanKind(request, task, plan));
  candidates = Eligible(std::move(candidates), request);
  const mechanism::Candidate* const best =
      mechanism::Recommended(candidates, LeftFor(request, plan));
  if (best != nullptr) return *best;
  if (work->exhausted()) {
    return absl::FailedPreconditionError(
        "planning would take too long: ask for a larger epsilon, for more users or fewer cells "
        "(max_items, resolution, questions), for one branching or one number of cells to be sent, "
        "or leave max_messages and the mechanism to the planner");
  }
  std::string reasons;
  for (const mechanism::Candidate& candidate : candidates) {
    absl::StrAppend(
        &reasons, "; ", NameOf(candidate), ": ",
        candidate.feasible ? "leaves nothing if the shuffler colludes" : candidate.reason);
  }
  return absl::FailedPreconditionError(absl::StrCat("no mechanism meets the target", reasons));
}

// Any numbers that fit, until they are chosen.
void SetNumbers(const v1::CreateTaskRequest& request, v1::Task* task) {
  if (!request.has_numbers()) return;
  v1::Numbers* numbers = task->mutable_numbers();
  *numbers = request.numbers();
  numbers->set_branching(request.branching());
  numbers->set_sent(1);
  if (numbers->dithered() && task->domain().size() == 0) {
    task->mutable_domain()->set_size(kUsualLevels);
  }
}

// The views that are asked for, as they are counted, and a mechanism that could count them.
absl::Status SetRecords(const v1::CreateTaskRequest& request, v1::Task* task) {
  TOMBOLA_ASSIGN_OR_RETURN(const mechanism::PlanRequest plan, PlanFor(request, *task));
  TOMBOLA_ASSIGN_OR_RETURN(*task->mutable_records(), mechanism::PlanViews(request.records(), plan));
  TOMBOLA_ASSIGN_OR_RETURN(const RecordCells cells, RecordCells::Read(task->records()));
  task->mutable_domain()->set_size(static_cast<uint64_t>(cells.cells));
  v1::Dummies* const dummies = task->mutable_mechanism()->mutable_pure_dump()->mutable_dummies();
  dummies->set_rate(uint64_t{1} << 40);
  dummies->set_honest(1);
  dummies->set_max(1);
  return absl::OkStatus();
}

void SetChosen(const mechanism::Candidate& chosen, v1::Task* task) {
  mechanism::ToProto(*chosen.mechanism, task->mutable_mechanism());
  const auto sent = static_cast<uint32_t>(chosen.mechanism->filling().sent);
  if (task->has_items()) task->mutable_items()->set_sent(sent);
  if (!task->has_numbers()) return;
  task->mutable_numbers()->set_sent(sent);
  task->mutable_numbers()->set_branching(static_cast<uint32_t>(chosen.branching.value_or(0)));
  if (chosen.levels.has_value()) {
    task->mutable_domain()->set_size(static_cast<uint64_t>(*chosen.levels));
  }
}

// All of a device's reports are planned together.
absl::StatusOr<mechanism::LongitudinalCandidate> ChooseLongitudinal(
    const v1::CreateTaskRequest& request, const v1::Task& task, accounting::Work* work) {
  const bool memo = task.longitudinal().mode() == v1::LONGITUDINAL_MODE_MEMO;
  mechanism::LongitudinalRequest asked{
      .reports = task.submissions_per_device(),
      .values = std::max<int64_t>(1, task.longitudinal().values())};
  TOMBOLA_ASSIGN_OR_RETURN(asked.plan, PlanFor(request, task));
  asked.plan.all_work = work;
  std::vector<std::string> names;
  for (const absl::string_view name :
       memo ? mechanism::MemoMechanisms() : mechanism::FreshMechanisms()) {
    names.emplace_back(name);
  }
  if (request.has_rappor()) names = {std::string(mechanism::Rappor::kName)};
  if (!request.mechanism().empty()) {
    TOMBOLA_RETURN_IF_ERROR(CheckParameters(request));
    names = {request.mechanism()};
  }
  std::vector<mechanism::LongitudinalCandidate> made;
  std::vector<mechanism::Candidate> candidates;
  absl::Status why;
  for (const std::string& name : names) {
    auto planned = memo ? mechanism::PlanMemo(name, asked) : mechanism::PlanFresh(name, asked);
    if (absl::IsInvalidArgument(planned.status())) return planned.status();
    if (!planned.ok()) {
      why = planned.status();
      continue;
    }
    candidates.push_back(planned->candidate);
    made.push_back(*std::move(planned));
  }
  const mechanism::Candidate* const best =
      mechanism::Recommended(candidates, LeftFor(request, asked.plan));
  if (best != nullptr) return made[static_cast<size_t>(best - candidates.data())];
  if (!why.ok()) return why;
  return absl::FailedPreconditionError("no mechanism meets the target over all submissions");
}

absl::Status PlanLongitudinal(const v1::CreateTaskRequest& request, accounting::Work* work,
                              v1::Task* task) {
  TOMBOLA_ASSIGN_OR_RETURN(const mechanism::LongitudinalCandidate chosen,
                           ChooseLongitudinal(request, *task, work));
  mechanism::ToProto(*chosen.candidate.mechanism, task->mutable_mechanism());
  task->mutable_target()->set_epsilon(chosen.epsilon);
  return absl::OkStatus();
}

absl::Status PlanMechanism(const v1::CreateTaskRequest& request, accounting::Work* work,
                           v1::Task* task) {
  if (request.has_longitudinal()) return PlanLongitudinal(request, work, task);
  TOMBOLA_ASSIGN_OR_RETURN(const mechanism::Candidate chosen, Choose(request, *task, work));
  if (!(chosen.mechanism->count_model().support.separation > 0)) {
    return absl::FailedPreconditionError(
        "epsilon is so small that reports could not depend on values; raise it or the users");
  }
  SetChosen(chosen, task);
  return absl::OkStatus();
}

absl::Status PlanNodes(const v1::CreateTaskRequest& request, accounting::Work* work,
                       v1::Task* task) {
  if (!request.mechanism().empty()) TOMBOLA_RETURN_IF_ERROR(CheckParameters(request));
  TOMBOLA_ASSIGN_OR_RETURN(mechanism::PlanRequest plan, PlanFor(request, *task));
  plan.all_work = work;
  return SetNodes(request, plan, task);
}

absl::Status PlanStringMessages(const v1::CreateTaskRequest& request, accounting::Work* work,
                                v1::Task* task) {
  TOMBOLA_ASSIGN_OR_RETURN(mechanism::PlanRequest plan, PlanFor(request, *task));
  plan.all_work = work;
  return SetStrings(request, plan, task);
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Task>> MakeTask(const v1::CreateTaskRequest& request,
                                                     const std::array<uint8_t, 32>& collector_key,
                                                     absl::Time now, RandomSource& random,
                                                     const std::function<bool()>& left) {
  TOMBOLA_RETURN_IF_ERROR(CheckNumbers(request));
  TOMBOLA_RETURN_IF_ERROR(CheckTree(request));
  TOMBOLA_RETURN_IF_ERROR(CheckStream(request));
  TOMBOLA_RETURN_IF_ERROR(CheckStrings(request));
  const bool of_strings = request.kind() == v1::KIND_STRINGS;
  const bool stream = request.kind() == v1::KIND_STREAM;
  v1::Task task;
  task.set_version(kTaskVersion);
  task.set_kind(request.kind() == v1::KIND_UNSPECIFIED ? v1::KIND_HISTOGRAM : request.kind());
  if (request.has_items()) {
    *task.mutable_items() = request.items();
    // Any number, until one is chosen.
    if (request.items().sent() == 0) task.mutable_items()->set_sent(1);
  }
  if (request.has_longitudinal()) {
    *task.mutable_longitudinal() = request.longitudinal();
    const bool memo = request.longitudinal().mode() == v1::LONGITUDINAL_MODE_MEMO;
    if (memo && request.longitudinal().values() == 0) task.mutable_longitudinal()->set_values(1);
  }
  if (request.has_levels()) *task.mutable_levels() = request.levels();
  task.set_name(request.name());
  *task.mutable_domain()->mutable_labels() = request.labels();
  task.mutable_domain()->set_size(request.labels().empty()
                                      ? request.domain_size()
                                      : static_cast<uint64_t>(request.labels_size()));
  if (request.has_other()) task.mutable_domain()->set_other(request.other());
  SetNumbers(request, &task);
  task.mutable_target()->set_epsilon(request.epsilon());
  task.mutable_target()->set_delta(request.delta());
  v1::BatchPolicy* policy = task.mutable_batch_policy();
  policy->set_planned_submissions(request.users());
  const uint64_t usual_batch =
      stream ? UsualStreamBatch(request.users()) : DefaultSmallestBatch(request.users());
  policy->set_smallest_batch(request.has_smallest_batch() ? request.smallest_batch() : usual_batch);
  policy->set_dishonest_share(request.dishonest_share());
  policy->set_interval(request.interval());
  policy->set_merge_periods(request.merge_periods());
  const uint64_t usual_window = stream ? UsualRetryWindow(request.interval()) : kDay;
  policy->set_retry_window(request.retry_window() == 0 ? usual_window : request.retry_window());
  if (stream) TOMBOLA_RETURN_IF_ERROR(CheckRetries(*policy));
  if (policy->smallest_batch() < 2 || policy->smallest_batch() > request.users()) {
    return Refuse("smallest_batch", "between 2 and users");
  }
  task.set_submissions_per_device(
      request.submissions_per_device() == 0 ? 1 : request.submissions_per_device());
  task.set_collector_key(std::string(AsView(collector_key)));
  task.set_shuffler_key(request.shuffler_key());
  task.set_supersedes(request.supersedes());
  const uint64_t usual_lifetime =
      stream ? request.stream().periods() * request.interval() : 90 * kDay;
  const uint64_t lifetime = request.lifetime() == 0 ? usual_lifetime : request.lifetime();
  if (lifetime > 3660 * kDay) return Refuse("lifetime", "at most ten years of seconds");
  task.set_not_before(absl::ToUnixSeconds(now));
  task.set_not_after(task.not_before() + static_cast<int64_t>(lifetime));
  std::string nonce(16, '\0');
  random.Fill(absl::MakeSpan(reinterpret_cast<uint8_t*>(nonce.data()), nonce.size()));
  task.set_nonce(nonce);
  task.set_key_list_age(request.key_list_age() == 0 ? 14 * kDay : request.key_list_age());
  // With any mechanism at all, so that what else is wrong is said before planning takes its time.
  if (stream) {
    SetAnyNodes(request, &task);
  } else if (of_strings) {
    TOMBOLA_RETURN_IF_ERROR(InWordsOfRequests(SetAnyStrings(request, &task)));
  } else {
    task.mutable_mechanism()->mutable_grr()->set_blanket_threshold(1);
  }
  if (request.has_records()) TOMBOLA_RETURN_IF_ERROR(SetRecords(request, &task));
  const auto kept = [&](const Task& read) {
    return CheckKept(CellsOf(read.kind(), request.users()), request.interval(), lifetime);
  };
  const auto probe = Task::Parse(task.SerializeAsString());
  TOMBOLA_RETURN_IF_ERROR(InWordsOfRequests(probe.status()));
  TOMBOLA_RETURN_IF_ERROR(kept(**probe));
  accounting::Work work(stream ? kMostStreamWork : kMostPlanWork, /*all=*/nullptr, left);
  const absl::Status planned = stream       ? PlanNodes(request, &work, &task)
                               : of_strings ? PlanStringMessages(request, &work, &task)
                                            : PlanMechanism(request, &work, &task);
  // What was planned for somebody who has gone is no answer, whatever it is.
  if (left()) return absl::CancelledError("nobody waits for the task any more");
  TOMBOLA_RETURN_IF_ERROR(planned);

  TOMBOLA_ASSIGN_OR_RETURN(auto parsed, Task::Parse(task.SerializeAsString()));
  TOMBOLA_RETURN_IF_ERROR(kept(*parsed));
  TOMBOLA_RETURN_IF_ERROR(NeededSubmissions(*parsed).status());
  return parsed;
}

}  // namespace tombola::collector
