#include "collector/catalog/task_maker.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"
#include "common/mechanism/local_hash_plan.h"
#include "common/mechanism/registry.h"
#include "common/task/needed.h"
#include "tombola/v1/task.pb.h"

namespace tombola::collector {
namespace {

constexpr uint64_t kDay = 24 * 3600;
constexpr uint64_t kMaxUsers = uint64_t{1} << 40;

absl::Status Refuse(absl::string_view field, absl::string_view bound) {
  return absl::InvalidArgumentError(absl::StrCat(field, " must be ", bound));
}

// 0.9 of the planned number, rounded up, in whole numbers throughout.
uint64_t DefaultSmallestBatch(uint64_t users) { return users - users / 10; }

// What the planner needs must be in bounds before it runs; the rest is checked by Task::Parse.
absl::Status CheckNumbers(const v1::CreateTaskRequest& request) {
  if (!(request.epsilon() > 0 && request.epsilon() <= 100)) {
    return Refuse("epsilon", "above 0 and at most 100");
  }
  if (!(request.delta() > 0 && request.delta() < 1)) return Refuse("delta", "in (0, 1)");
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
  if (size < 2 || size > (uint64_t{1} << 24)) {
    return Refuse(request.labels().empty() ? "domain_size" : "the number of labels",
                  "between 2 and 16777216");
  }
  if (!request.mechanism().empty() && request.mechanism() != "local_hash") {
    return Refuse("mechanism", "local_hash");
  }
  return absl::OkStatus();
}

absl::StatusOr<mechanism::LocalHash> PlanLocalHash(const v1::CreateTaskRequest& request,
                                                   const v1::Task& task) {
  const v1::BatchPolicy& policy = task.batch_policy();
  mechanism::LocalHashPlanRequest plan;
  plan.honest = HonestOf(static_cast<int64_t>(policy.smallest_batch()), policy.dishonest_share());
  plan.submissions = static_cast<int64_t>(policy.planned_submissions());
  plan.domain_size = static_cast<int64_t>(task.domain().size());
  plan.epsilon = request.epsilon();
  plan.delta = request.delta();
  if (request.has_max_local_epsilon()) plan.max_local_epsilon = request.max_local_epsilon();
  if (request.has_range()) plan.range = request.range();
  if (plan.honest < 1) return Refuse("dishonest_share", "such that an honest submission is left");
  TOMBOLA_ASSIGN_OR_RETURN(const mechanism::LocalHashOptions options,
                           mechanism::PlanLocalHash(plan));
  TOMBOLA_ASSIGN_OR_RETURN(const mechanism::LocalHash planned,
                           mechanism::LocalHash::Create(options));
  if (!(planned.p() > planned.s())) {
    return absl::FailedPreconditionError(
        "epsilon is so small that reports could not depend on values; raise it or the users");
  }
  return planned;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Task>> MakeTask(const v1::CreateTaskRequest& request,
                                                     const std::array<uint8_t, 32>& collector_key,
                                                     absl::Time now, RandomSource& random) {
  TOMBOLA_RETURN_IF_ERROR(CheckNumbers(request));
  v1::Task task;
  task.set_version(1);
  task.set_kind(v1::KIND_HISTOGRAM);
  task.set_name(request.name());
  *task.mutable_domain()->mutable_labels() = request.labels();
  task.mutable_domain()->set_size(request.labels().empty()
                                      ? request.domain_size()
                                      : static_cast<uint64_t>(request.labels_size()));
  if (request.has_other()) task.mutable_domain()->set_other(request.other());
  task.mutable_target()->set_epsilon(request.epsilon());
  task.mutable_target()->set_delta(request.delta());
  v1::BatchPolicy* policy = task.mutable_batch_policy();
  policy->set_planned_submissions(request.users());
  policy->set_smallest_batch(request.has_smallest_batch() ? request.smallest_batch()
                                                          : DefaultSmallestBatch(request.users()));
  policy->set_dishonest_share(request.dishonest_share());
  policy->set_interval(request.interval());
  policy->set_retry_window(request.retry_window() == 0 ? kDay : request.retry_window());
  if (policy->smallest_batch() < 2 || policy->smallest_batch() > request.users()) {
    return Refuse("smallest_batch", "between 2 and users");
  }
  task.set_submissions_per_device(
      request.submissions_per_device() == 0 ? 1 : request.submissions_per_device());
  task.set_collector_key(std::string(AsView(collector_key)));
  task.set_shuffler_key(request.shuffler_key());
  const uint64_t lifetime = request.lifetime() == 0 ? 90 * kDay : request.lifetime();
  if (lifetime > 3660 * kDay) return Refuse("lifetime", "at most ten years of seconds");
  task.set_not_before(absl::ToUnixSeconds(now));
  task.set_not_after(task.not_before() + static_cast<int64_t>(lifetime));
  std::string nonce(16, '\0');
  random.Fill(absl::MakeSpan(reinterpret_cast<uint8_t*>(nonce.data()), nonce.size()));
  task.set_nonce(nonce);
  TOMBOLA_ASSIGN_OR_RETURN(const mechanism::LocalHash local_hash, PlanLocalHash(request, task));
  mechanism::ToProto(local_hash, task.mutable_mechanism());

  TOMBOLA_ASSIGN_OR_RETURN(auto parsed, Task::Parse(task.SerializeAsString()));
  TOMBOLA_RETURN_IF_ERROR(NeededSubmissions(*parsed).status());
  return parsed;
}

}  // namespace tombola::collector
