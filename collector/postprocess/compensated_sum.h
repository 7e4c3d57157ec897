// A sum that keeps the digits that rounding would lose.
#ifndef TOMBOLA_COLLECTOR_POSTPROCESS_COMPENSATED_SUM_H_
#define TOMBOLA_COLLECTOR_POSTPROCESS_COMPENSATED_SUM_H_

#include <cmath>

namespace tombola::collector {

// Neumaier's compensated sum of finite numbers: its error does not grow with their number. Not
// thread-safe.
class CompensatedSum {
 public:
  void Add(double x) {
    const double total = sum_ + x;
    lost_ += std::abs(sum_) >= std::abs(x) ? (sum_ - total) + x : (x - total) + sum_;
    sum_ = total;
  }
  double value() const { return sum_ + lost_; }

 private:
  double sum_ = 0;
  double lost_ = 0;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_POSTPROCESS_COMPENSATED_SUM_H_
