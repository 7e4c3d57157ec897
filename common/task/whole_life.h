// What all submissions that a device may make in a task cost it together.
#ifndef TOMBOLA_COMMON_TASK_WHOLE_LIFE_H_
#define TOMBOLA_COMMON_TASK_WHOLE_LIFE_H_

#include <cstdint>
#include <string>

#include "common/accounting/composition.h"
#include "common/task/task.h"

namespace tombola {

// What holds over `submissions` >= 1 of a device in the task when `one` holds for one of them.
//
// Where the task has periods each of them is in a batch of its own, and it is the optimal
// composition of so many, at so many times one's delta. Else all may wait in one batch, and it is
// group privacy, which covers every other way to spread them too. Where either says nothing (delta
// 1), or less than the reports say of themselves, it is as many times the local epsilon, with delta
// 0. An infinite epsilon with delta 1: nothing holds. An infinite `one.epsilon` says that nothing
// is known of one submission but its local epsilon.
accounting::EpsilonDelta OverSeveral(const Task& task, int64_t submissions,
                                     const accounting::EpsilonDelta& one);

// The same of the task's target and all submissions that a device may make, at most one a period:
// the most that a device's whole life in the task costs it.
accounting::EpsilonDelta WholeLife(const Task& task);

// What a usual device's policy allows over a task's life; beyond it people are warned.
inline constexpr double kUsualTotalEpsilon = 4;
inline constexpr double kUsualTotalDelta = 1e-3;

// How many submissions a device may make in the task; at most one a period where it has periods.
int64_t MostSubmissions(const Task& task);

// What a pair is for: "over the 7 submissions a device may make".
std::string OverSubmissions(int64_t submissions);

// "epsilon 7, delta 0.0006378", never better than the pair; "nothing" for an infinite epsilon.
std::string PairText(const accounting::EpsilonDelta& pair);

// A sentence for people about a pair over `submissions`; empty where it is within what is usual.
std::string WholeLifeWarning(const accounting::EpsilonDelta& total, int64_t submissions);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_TASK_WHOLE_LIFE_H_
