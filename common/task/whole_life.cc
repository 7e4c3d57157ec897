#include "common/task/whole_life.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "common/base/decimal.h"

namespace tombola {
namespace {

using accounting::EpsilonDelta;
using accounting::Times;

constexpr int kDigits = 4;

EpsilonDelta Group(const EpsilonDelta& one, int64_t submissions) {
  if (one.epsilon > 0) return accounting::GroupPrivacy(one, submissions);
  return {.epsilon = 0, .delta = std::min(1.0, static_cast<double>(submissions) * one.delta)};
}

EpsilonDelta Composed(const EpsilonDelta& one, int64_t submissions) {
  if (submissions == 1) return one;
  const double delta = Times(submissions, one.delta);
  if (delta >= 1) return {.epsilon = one.epsilon, .delta = 1};
  if (one.epsilon == 0) return {.epsilon = 0, .delta = delta};
  const auto epsilon = accounting::ComposedEpsilon(one, submissions, delta);
  return {.epsilon = epsilon.ok() ? *epsilon : Times(submissions, one.epsilon), .delta = delta};
}

}  // namespace

EpsilonDelta OverSeveral(const Task& task, int64_t submissions, const EpsilonDelta& one) {
  const double local = Times(submissions, task.scheme()->local_epsilon());
  if (std::isfinite(one.epsilon)) {
    const EpsilonDelta all =
        task.periods().has_value() ? Composed(one, submissions) : Group(one, submissions);
    if (all.delta < 1 && all.epsilon < local) return all;
  }
  return {.epsilon = local, .delta = std::isfinite(local) ? 0.0 : 1.0};
}

int64_t MostSubmissions(const Task& task) {
  if (!task.periods().has_value()) return task.submissions_per_device();
  const uint64_t submissions = static_cast<uint64_t>(task.submissions_per_device());
  return static_cast<int64_t>(std::min(submissions, task.periods()->count()));
}

EpsilonDelta WholeLife(const Task& task) {
  return OverSeveral(task, MostSubmissions(task), {task.target().epsilon, task.target().delta});
}

std::string OverSubmissions(int64_t submissions) {
  return submissions == 1
             ? std::string("over the one submission a device may make")
             : absl::StrCat("over the ", submissions, " submissions a device may make");
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
