// Whether an answer says more than its errors.
#ifndef TOMBOLA_COLLECTOR_ANSWER_NOISE_H_
#define TOMBOLA_COLLECTOR_ANSWER_NOISE_H_

#include <string>

#include "common/task/task.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::collector {

// One sentence for people if what the body says is mostly noise, else empty. Of shares and of
// cells: less than half of all that they add up to is in those that are larger than the half-width
// of their 95 % interval. Of a count: it is not larger than its own. Of a mean of numbers: its own
// is no less than half of the range. The answer has its task's body; its `reports` are the devices
// that the sentence names. Thread-safe.
std::string MostlyNoise(const Task& task, const v1::Answer& answer);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_ANSWER_NOISE_H_
