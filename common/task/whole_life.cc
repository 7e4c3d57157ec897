#include "common/task/whole_life.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/accounting/loss_law.h"
#include "common/accounting/submission_loss.h"
#include "common/accounting/work.h"
#include "common/base/decimal.h"
#include "common/base/status_macros.h"
#include "common/task/stream_life.h"

namespace tombola {
namespace {

using accounting::EpsilonDelta;
using accounting::SubmissionLoss;
using accounting::Times;

constexpr int kDigits = 4;
// Of the total delta, for losses that are beyond what is looked at of one submission.
constexpr double kNegligibleShare = 1e-3;
// A curve of a larger one has no place among numbers, and says nothing.
constexpr double kMostCurveEpsilon = 700;
// Points of an accountant's grids: about a second. What a target asks for near 0 may take far more,
// of everybody who looks at the task; then what the pairs say is said.
constexpr int64_t kMostWork = int64_t{1} << 25;

constexpr double kRoundUp = 1 + 4 * std::numeric_limits<double>::epsilon();

EpsilonDelta Group(const EpsilonDelta& one, int64_t submissions) {
  if (!std::isfinite(one.epsilon)) return {.epsilon = one.epsilon, .delta = 1};
  if (one.epsilon > 0) return accounting::GroupPrivacy(one, submissions);
  return {.epsilon = 0, .delta = std::min(1.0, static_cast<double>(submissions) * one.delta)};
}

EpsilonDelta ComposedPairs(const EpsilonDelta& one, int64_t submissions) {
  if (submissions == 1) return one;
  const double delta = Times(submissions, one.delta);
  if (delta >= 1) return {.epsilon = one.epsilon, .delta = 1};
  if (one.epsilon == 0) return {.epsilon = 0, .delta = delta};
  const auto epsilon = accounting::ComposedEpsilon(one, submissions, delta);
  return {.epsilon = epsilon.ok() ? *epsilon : Times(submissions, one.epsilon), .delta = delta};
}

// What the pairs alone say; batches of different sizes add up.
EpsilonDelta ComposedPairs(absl::Span<const BatchUses> uses, double local) {
  if (uses.size() == 1) return ComposedPairs(uses[0].one, uses[0].submissions);
  EpsilonDelta all;
  for (const BatchUses& use : uses) {
    const EpsilonDelta pair = use.one.epsilon < local
                                  ? ComposedPairs(use.one, use.submissions)
                                  : EpsilonDelta{.epsilon = Times(use.submissions, local),
                                                 .delta = std::isfinite(local) ? 0.0 : 1.0};
    all.epsilon += pair.epsilon * kRoundUp;
    all.delta += pair.delta * kRoundUp;
  }
  all.delta = std::min(1.0, all.delta);
  return all;
}

// The loss of one of them, at worst that of a report which nothing hides.
absl::StatusOr<SubmissionLoss> LossOf(const mechanism::Scheme& scheme, const BatchUses& use,
                                      double negligible) {
  absl::StatusOr<SubmissionLoss> loss =
      absl::FailedPreconditionError("nothing is known of a submission but its local epsilon");
  if (use.honest >= 1 && std::isfinite(use.one.epsilon)) loss = scheme.Loss(use.honest, negligible);
  const double local = scheme.local_epsilon();
  if (loss.ok() || !(local <= kMostCurveEpsilon)) return loss;
  return SubmissionLoss{
      .parts = {{accounting::FromCurve({{.epsilon = local, .delta = 0}}), /*uses=*/1}}};
}

// All submissions together, as one loss.
absl::StatusOr<SubmissionLoss> LossOver(const Task& task, absl::Span<const BatchUses> uses,
                                        double negligible) {
  SubmissionLoss all;
  for (const BatchUses& use : uses) {
    TOMBOLA_ASSIGN_OR_RETURN(SubmissionLoss one, LossOf(*task.scheme(), use, negligible));
    for (accounting::LossPart& part : one.parts) {
      part.uses *= use.submissions;
      all.parts.push_back(std::move(part));
    }
    // EpsilonOver rounds them up.
    all.charge += static_cast<double>(use.submissions) * one.charge;
    all.difference += static_cast<double>(use.submissions) * one.difference;
  }
  return all;
}

int64_t Submissions(absl::Span<const BatchUses> uses) {
  int64_t all = 0;
  for (const BatchUses& use : uses) all += use.submissions;
  return all;
}

EpsilonDelta Weakest(absl::Span<const BatchUses> uses) {
  EpsilonDelta weakest;
  for (const BatchUses& use : uses) {
    weakest.epsilon = std::max(weakest.epsilon, use.one.epsilon);
    weakest.delta = std::max(weakest.delta, use.one.delta);
  }
  return weakest;
}

EpsilonDelta Composed(const Task& task, absl::Span<const BatchUses> uses) {
  const EpsilonDelta pairs = ComposedPairs(uses, task.scheme()->local_epsilon());
  const int64_t submissions = Submissions(uses);
  double delta = 0;  // of those of which a pair is known
  for (const BatchUses& use : uses) {
    if (std::isfinite(use.one.epsilon)) delta = std::max(delta, use.one.delta);
  }
  if (submissions == 1 || !(delta > 0 && delta < 1)) return pairs;
  const double negligible = kNegligibleShare * delta / static_cast<double>(submissions);
  const absl::StatusOr<SubmissionLoss> loss = LossOver(task, uses, negligible);
  if (!loss.ok()) return pairs;
  const bool pairs_say = pairs.delta < 1 && std::isfinite(pairs.epsilon);
  accounting::Work work(kMostWork);
  const auto at_one = accounting::EpsilonOver(*loss, /*uses=*/1, delta, &work);
  if (at_one.ok() && (!pairs_say || *at_one <= pairs.epsilon)) return {*at_one, delta};
  const double sum = std::max(pairs.delta, delta);
  if (sum >= 1) return pairs;
  const auto at_sum = accounting::EpsilonOver(*loss, /*uses=*/1, sum, &work);
  if (at_sum.ok() && (!pairs_say || *at_sum < pairs.epsilon)) return {*at_sum, sum};
  return pairs;
}

// Of the smallest batch that has the target; of the smallest there is if none has.
int64_t HonestOfSmallest(const Task& task) {
  const int64_t honest = task.Honest(task.batch_policy().smallest_batch);
  if (honest >= 1) {
    const auto delta = task.scheme()->Delta(honest, task.target().epsilon);
    if (delta.ok() && *delta <= task.target().delta) return honest;
  }
  const auto needed = NeededSubmissions(task);
  return needed.ok() ? task.Honest(*needed) : honest;
}

EpsilonDelta ComputeWholeLife(const Task& task) {
  const int64_t submissions = MostSubmissions(task);
  const bool composes = submissions > 1 && task.periods().has_value() && task.nodes() == nullptr;
  const BatchUses all{.submissions = submissions,
                      .honest = composes ? HonestOfSmallest(task) : 0,
                      .one = {task.target().epsilon, task.target().delta}};
  return OverSeveral(task, {all});
}

}  // namespace

EpsilonDelta OverSeveral(const Task& task, absl::Span<const BatchUses> uses) {
  if (task.scheme()->memoised()) return {.epsilon = task.scheme()->local_epsilon(), .delta = 0};
  const int64_t submissions = Submissions(uses);
  const double local = Times(submissions, task.scheme()->local_epsilon());
  const EpsilonDelta all = task.nodes() != nullptr ? OverStream(task, submissions, Weakest(uses))
                           : task.periods().has_value() ? Composed(task, uses)
                                                        : Group(Weakest(uses), submissions);
  if (std::isfinite(all.epsilon) && all.delta < 1 && all.epsilon < local) return all;
  return {.epsilon = local, .delta = std::isfinite(local) ? 0.0 : 1.0};
}

int64_t MostSubmissions(const Task& task) {
  if (!task.periods().has_value()) return task.submissions_per_device();
  const uint64_t submissions = static_cast<uint64_t>(task.submissions_per_device());
  return static_cast<int64_t>(std::min(submissions, task.periods()->count()));
}

EpsilonDelta WholeLife(const Task& task) {
  std::call_once(task.whole_life_computed_, [&] { task.whole_life_ = ComputeWholeLife(task); });
  return task.whole_life_;
}

std::string WhyThatMuch(const Task& task, int64_t submissions) {
  if (submissions == 1 && !task.scheme()->memoised()) return "";
  if (task.scheme()->memoised()) {
    return "a device says the same memo again, so this is what its memos say by themselves; it "
           "does "
           "not hide whether or when the value changes, and what a device says is stale once it "
           "holds a value for which it may draw no further memo";
  }
  if (task.nodes() != nullptr && task.nodes()->Depth() > 1) {
    return "batches over several periods have several of them, wherever a device's periods are";
  }
  if (task.periods().has_value()) return "each is in a batch of its own, so their losses compose";
  return absl::StrCat(task.batch_policy().merge_periods ? "where periods merge" : "without periods",
                      " they may meet in one batch, so they count as a group");
}

std::string OverSubmissions(int64_t submissions) {
  return submissions == 1
             ? std::string("over the one submission a device may make")
             : absl::StrCat("over the ", submissions, " submissions a device may make");
}

std::string WholeLifeText(const EpsilonDelta& total, int64_t submissions) {
  return absl::StrCat(PairText(total), " ", OverSubmissions(submissions), " in the task's life");
}

std::string PairText(const EpsilonDelta& pair) {
  if (!std::isfinite(pair.epsilon)) return "nothing";
  return absl::StrCat("epsilon ", RoundedUp(pair.epsilon, kDigits), ", delta ",
                      RoundedUp(pair.delta, kDigits));
}

std::string WholeLifeWarning(const EpsilonDelta& total, int64_t submissions) {
  if (total.epsilon <= kUsualTotalEpsilon && total.delta <= kUsualTotalDelta) return "";
  return absl::StrCat(OverSubmissions(submissions), " the guarantee is ", PairText(total),
                      ", weaker than the usual policy of a device (",
                      PairText({.epsilon = kUsualTotalEpsilon, .delta = kUsualTotalDelta}),
                      " in total): ", submissions == 1 ? "" : "fewer submissions a device or ",
                      "a smaller epsilon would mend that");
}

}  // namespace tombola
