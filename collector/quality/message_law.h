// How many messages honest devices send, where that is random.
#ifndef TOMBOLA_COLLECTOR_QUALITY_MESSAGE_LAW_H_
#define TOMBOLA_COLLECTOR_QUALITY_MESSAGE_LAW_H_

#include <cstdint>
#include <memory>

#include "common/mechanism/mechanism.h"

namespace tombola::collector {

// The law of one submission's messages beside its own, which depends on nothing that the device
// holds. Immutable.
class MessageLaw {
 public:
  virtual ~MessageLaw() = default;

  // ln E[e^(t N)] without the cap on messages; convex. t < Largest().
  virtual double LogMgf(double t) const = 0;
  virtual double Largest() const = 0;
  // The probability that the cap changes N, rounded up. It only ever makes N smaller.
  virtual double Capped() const = 0;
};

// Null where every submission is one report.
std::unique_ptr<MessageLaw> MessageLawOf(const mechanism::Mechanism& mechanism);

// The surprise (chernoff.h) of so many messages, each submission's own included, from so many
// honest devices: of as many or more, and of as few or fewer.
double MessagesAbove(const MessageLaw& law, int64_t submissions, int64_t messages);
double MessagesBelow(const MessageLaw& law, int64_t submissions, int64_t messages);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_QUALITY_MESSAGE_LAW_H_
