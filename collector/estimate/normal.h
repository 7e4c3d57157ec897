// The normal distribution's tail and its inverse.
#ifndef TOMBOLA_COLLECTOR_ESTIMATE_NORMAL_H_
#define TOMBOLA_COLLECTOR_ESTIMATE_NORMAL_H_

namespace tombola::collector {

// Pr[Z > z] for a standard normal Z.
double NormalTail(double z);

// The z with NormalTail(z) = tail, to about 1e-14 relative. Takes the tail and not its complement,
// so that a confidence of 1 - 1e-9 loses no digits. tail in (0, 1), not below 1e-300.
double NormalTailQuantile(double tail);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_ESTIMATE_NORMAL_H_
