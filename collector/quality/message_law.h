// How surprising a number of messages is, where it is random.
#ifndef TOMBOLA_COLLECTOR_QUALITY_MESSAGE_LAW_H_
#define TOMBOLA_COLLECTOR_QUALITY_MESSAGE_LAW_H_

#include <cstdint>

#include "common/scheme/message_law.h"

namespace tombola::collector {

// The surprise (chernoff.h) of so many messages, each submission's own included, from so many
// honest devices: of as many or more, and of as few or fewer.
double MessagesAbove(const mechanism::MessageLaw& law, int64_t submissions, int64_t messages);
double MessagesBelow(const mechanism::MessageLaw& law, int64_t submissions, int64_t messages);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_QUALITY_MESSAGE_LAW_H_
