// How many messages honest devices send, where that is random.
#ifndef TOMBOLA_COMMON_SCHEME_MESSAGE_LAW_H_
#define TOMBOLA_COMMON_SCHEME_MESSAGE_LAW_H_

namespace tombola::mechanism {

// The law of one submission's messages beside those that it always has, which depends on nothing
// that the device holds. Immutable.
class MessageLaw {
 public:
  // Beyond, a moment generating function says nothing that it did not say before.
  static constexpr double kLargestT = 40;

  virtual ~MessageLaw() = default;

  // ln E[e^(t N)] without the cap on messages; convex. t < Largest().
  virtual double LogMgf(double t) const = 0;
  virtual double Largest() const { return kLargestT; }
  // The probability that the cap changes N, rounded up. It only ever makes N smaller.
  virtual double Capped() const = 0;
};

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_SCHEME_MESSAGE_LAW_H_
