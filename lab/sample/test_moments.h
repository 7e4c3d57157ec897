// The mean and the variance of what tests draw.
#ifndef TOMBOLA_LAB_SAMPLE_TEST_MOMENTS_H_
#define TOMBOLA_LAB_SAMPLE_TEST_MOMENTS_H_

namespace tombola::lab {

class Moments {
 public:
  void Add(double x) {
    sum_ += x;
    squares_ += x * x;
    ++count_;
  }
  double mean() const { return sum_ / count_; }
  double variance() const { return squares_ / count_ - mean() * mean(); }

 private:
  double sum_ = 0, squares_ = 0, count_ = 0;
};

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_SAMPLE_TEST_MOMENTS_H_
