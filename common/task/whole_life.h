// What all submissions that a device may make in a task cost it together.
#ifndef TOMBOLA_COMMON_TASK_WHOLE_LIFE_H_
#define TOMBOLA_COMMON_TASK_WHOLE_LIFE_H_

#include <cstdint>
#include <string>

#include "common/accounting/composition.h"
#include "common/task/task.h"

namespace tombola {

// What holds over all submissions_per_device of the task when `one` holds for one of them, however
// they are spread over batches. All may wait in one batch, so it is group privacy; where that says
// nothing (delta 1), or less than the reports say of themselves, it is as many times the local
// epsilon, with delta 0. An infinite epsilon with delta 1: nothing holds. An infinite `one.epsilon`
// says that nothing is known of one submission but its local epsilon.
accounting::EpsilonDelta OverAllSubmissions(const Task& task, const accounting::EpsilonDelta& one);

// The same of the task's target: the most that a device's whole life in the task costs it.
accounting::EpsilonDelta WholeLife(const Task& task);

// What a usual device's policy allows over a task's life; beyond it people are warned.
inline constexpr double kUsualTotalEpsilon = 4;
inline constexpr double kUsualTotalDelta = 1e-3;

// What a pair is for: "over the 7 submissions a device may make".
std::string OverSubmissions(int64_t submissions);

// "epsilon 7, delta 0.0006378", never better than the pair; "nothing" for an infinite epsilon.
std::string PairText(const accounting::EpsilonDelta& pair);

// A sentence for people about a pair over `submissions`; empty where it is within what is usual.
std::string WholeLifeWarning(const accounting::EpsilonDelta& total, int64_t submissions);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_TASK_WHOLE_LIFE_H_
