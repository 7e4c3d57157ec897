// A sum that keeps the digits that rounding would lose.
#ifndef TOMBOLA_COLLECTOR_POSTPROCESS_COMPENSATED_SUM_H_
#define TOMBOLA_COLLECTOR_POSTPROCESS_COMPENSATED_SUM_H_

#include <cstddef>

#include "absl/types/span.h"

namespace tombola::collector {

// Neumaier's compensated sum of finite numbers: its error does not grow with their number. Not
// thread-safe.
class CompensatedSum {
 public:
  // What the addition loses is exact whichever is larger (Knuth's TwoSum): nothing branches.
  void Add(double x) {
    const double total = sum_ + x;
    const double added = total - sum_;
    lost_ += (sum_ - (total - added)) + (x - added);
    sum_ = total;
  }
  void Add(const CompensatedSum& other) {
    Add(other.sum_);
    lost_ += other.lost_;
  }
  double value() const { return sum_ + lost_; }

 private:
  double sum_ = 0;
  double lost_ = 0;
};

// The sum of all entries; four at a time, because each addition waits for the one before.
inline double SumOf(absl::Span<const double> entries) {
  constexpr size_t kParts = 4;
  CompensatedSum parts[kParts];
  const size_t whole = entries.size() - entries.size() % kParts;
  for (size_t i = 0; i < whole; i += kParts) {
    for (size_t part = 0; part < kParts; ++part) parts[part].Add(entries[i + part]);
  }
  for (size_t i = whole; i < entries.size(); ++i) parts[i - whole].Add(entries[i]);
  for (size_t part = 1; part < kParts; ++part) parts[0].Add(parts[part]);
  return parts[0].value();
}

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_POSTPROCESS_COMPENSATED_SUM_H_
