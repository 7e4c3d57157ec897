// What all submissions that a device may make in a task cost it together.
#ifndef TOMBOLA_COMMON_TASK_WHOLE_LIFE_H_
#define TOMBOLA_COMMON_TASK_WHOLE_LIFE_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "common/accounting/composition.h"
#include "common/task/task.h"

namespace tombola {

// Submissions of a device, each in another batch where the task has periods.
struct BatchUses {
  int64_t submissions = 1;
  // The honest submissions that the smallest of those batches has; 0: not one is sure.
  int64_t honest = 0;
  // What holds for one of them. An infinite epsilon: nothing is known but its local epsilon.
  accounting::EpsilonDelta one;
};

// What holds over all these submissions of one device in the task, at least one.
//
// Of a stream it is what holds for as many submissions wherever in it they are, at the largest pair
// of one (kind/stream_device.h): a batch over several periods has several of them.
//
// Where devices keep memos it is what those say by themselves, never more than that.
//
// Where another task has periods no two of them are in one batch, and it is the product of their
// losses (docs/privacy.md, "Several submissions of a device"), at the largest delta of one; at the
// sum of all their deltas where only that is of use, and never worse than optimal composition at
// that sum. Else all may wait in one batch, and it is group privacy of the weakest, which covers
// every other way to spread them too. Where either says nothing (delta 1), or less than the reports
// say of themselves, it is as many times the local epsilon, with delta 0. An infinite epsilon with
// delta 1: nothing holds.
accounting::EpsilonDelta OverSeveral(const Task& task, absl::Span<const BatchUses> uses);

// The same of the task's target and all submissions that a device may make, at most one a period,
// in batches of the fewest submissions for which the target holds: the most that a device's whole
// life in the task costs it. Computed when a task is asked about for the first time, which mostly
// takes some tenths of a second, and tens of seconds for one that fills thousands of cells in a
// hundred submissions: the scheme's Delta is evaluated at most 1 + accounting::kMostLossEvaluations
// times for a task whose smallest batch has its target, and not at all where a device makes one
// submission or the task has no periods. Thread-safe.
accounting::EpsilonDelta WholeLife(const Task& task);

// Why several submissions cost that much, for people: "without periods they may meet in one batch,
// so they count as a group". Empty for one.
std::string WhyThatMuch(const Task& task, int64_t submissions);

// What a usual device's policy allows over a task's life; beyond it people are warned.
inline constexpr double kUsualTotalEpsilon = 4;
inline constexpr double kUsualTotalDelta = 1e-3;

// How many submissions a device may make in the task; at most one a period where it has periods.
int64_t MostSubmissions(const Task& task);

// What a pair is for: "over the 7 submissions a device may make".
std::string OverSubmissions(int64_t submissions);

// A pair over all submissions that a device may make, as every face says it: "epsilon 7, delta
// 0.0006378 over the 7 submissions a device may make in the task's life".
std::string WholeLifeText(const accounting::EpsilonDelta& total, int64_t submissions);

// "epsilon 7, delta 0.0006378", never better than the pair; "nothing" for an infinite epsilon.
std::string PairText(const accounting::EpsilonDelta& pair);

// A sentence for people about a pair over `submissions`; empty where it is within what is usual.
std::string WholeLifeWarning(const accounting::EpsilonDelta& total, int64_t submissions);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_TASK_WHOLE_LIFE_H_
