// What noise costs that has a share of a stream's budget. Lab only.
#ifndef TOMBOLA_LAB_STREAMS_NOISE_H_
#define TOMBOLA_LAB_STREAMS_NOISE_H_

#include <functional>

namespace tombola::lab {

// The variance of noise with a share in (0, 1] of the budget: of epsilon (Norm::kL1 of
// common/stream/structure.h), or of the square of the Gaussian parameter (kL2).
using NoiseOf = std::function<double(double share)>;

// With somebody trusted, where one record adds at most 1 to one period's number: real and discrete
// Laplace noise, by epsilon.
NoiseOf LaplaceNoise(double epsilon);
NoiseOf DiscreteLaplaceNoise(double epsilon);
// Gaussian noise; theta is accounting::GaussianTheta of the budget.
NoiseOf GaussianNoise(double theta);
// Shuffled, where a device moves from one cell to another: what is left of correlated noise, whose
// epsilon is 0.9 of its limit.
NoiseOf CorrelatedShares(double epsilon);

// How noisy totals over N periods are: the mean and the maximum of their variances, and the mean of
// that of total(t) / t, which is the noise in a share if periods have as many devices each.
struct TotalSpread {
  double mean = 0, max = 0, share = 0;
};

// Adds the total of the next period.
class SpreadSum {
 public:
  void Add(double variance) {
    ++periods_;
    sum_.mean += variance;
    sum_.share += variance / periods_ / periods_;
    sum_.max = variance > sum_.max ? variance : sum_.max;
  }
  TotalSpread spread() const {
    return {.mean = sum_.mean / periods_, .max = sum_.max, .share = sum_.share / periods_};
  }

 private:
  double periods_ = 0;
  TotalSpread sum_;
};

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_STREAMS_NOISE_H_
