#include "common/task/whole_life.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "common/base/decimal.h"

namespace tombola {
namespace {

using accounting::EpsilonDelta;

constexpr int kDigits = 4;

EpsilonDelta Group(const EpsilonDelta& one, int64_t submissions) {
  if (one.epsilon > 0) return accounting::GroupPrivacy(one, submissions);
  return {.epsilon = 0, .delta = std::min(1.0, static_cast<double>(submissions) * one.delta)};
}

}  // namespace

EpsilonDelta OverAllSubmissions(const Task& task, const EpsilonDelta& one) {
  const int64_t submissions = task.submissions_per_device();
  const double local = static_cast<double>(submissions) * task.scheme()->local_epsilon();
  if (std::isfinite(one.epsilon)) {
    const EpsilonDelta group = Group(one, submissions);
    if (group.delta < 1 && group.epsilon < local) return group;
  }
  return {.epsilon = local, .delta = std::isfinite(local) ? 0.0 : 1.0};
}

EpsilonDelta WholeLife(const Task& task) {
  return OverAllSubmissions(task, {task.target().epsilon, task.target().delta});
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
