// The binomial distribution for up to 2^41 trials, to about 1e-12 relative error in every tail.
// Pure functions, thread-safe.
#ifndef TOMBOLA_COMMON_ACCOUNTING_BINOMIAL_H_
#define TOMBOLA_COMMON_ACCOUNTING_BINOMIAL_H_

#include <cstdint>

namespace tombola::accounting {

// The number of successes in `trials` independent trials. Both probabilities are given because
// 1 - success loses digits that a caller often has.
struct Binomial {
  int64_t trials = 0;
  double success = 0;  // [0, 1]
  double failure = 1;  // 1 - success

  double mean() const { return static_cast<double>(trials) * success; }
  double variance() const { return mean() * failure; }
};

// Pr[X = k]; 0 outside {0, ..., trials}, and 0 where it is below the smallest double.
double BinomialPmf(const Binomial& law, int64_t k);

// Pr[X = k - 1] from `pmf` = Pr[X = k]. 1 <= k <= trials and success > 0.
inline double PmfOneBelow(const Binomial& law, int64_t k, double pmf) {
  return pmf * ((static_cast<double>(k) * law.failure) /
                (static_cast<double>(law.trials - k + 1) * law.success));
}

// Pr[X = k + 1] from `pmf` = Pr[X = k]. 0 <= k < trials and failure > 0.
inline double PmfOneAbove(const Binomial& law, int64_t k, double pmf) {
  return pmf * ((static_cast<double>(law.trials - k) * law.success) /
                (static_cast<double>(k + 1) * law.failure));
}

// Pr[X <= k] and Pr[X >= k], summed on the side of the mean where k lies: small tails keep their
// relative precision.
double BinomialLowerTail(const Binomial& law, int64_t k);
double BinomialUpperTail(const Binomial& law, int64_t k);

// A point at most the mean below which lies at most e^-nats of the mass, and a point at least the
// mean above which lies at most e^-nats (Bernstein's inequality; below the mean also Chernoff's).
int64_t BinomialLowPoint(const Binomial& law, double nats);
int64_t BinomialHighPoint(const Binomial& law, double nats);

// How many steps of PmfOneBelow or PmfOneAbove may follow one BinomialPmf: each loses about two
// units in the last place.
inline constexpr int kPmfStepsPerAnchor = 256;
// No step may follow a smaller one than this: it may have lost digits to underflow, or be 0 where
// the next is not.
inline constexpr double kLeastSteppedPmf = 1e-270;

}  // namespace tombola::accounting

#endif  // TOMBOLA_COMMON_ACCOUNTING_BINOMIAL_H_
