// Releases with Gaussian noise that is correlated over time.
//
// What is made private is y = C x + z, in whole steps of a grid: C x is on the grid or rounded to
// it, and z is discrete Gaussian. Totals are computed from y alone, in floating-point numbers and
// rounded, which no longer matters for privacy.
#ifndef TOMBOLA_COMMON_STREAM_GAUSSIAN_RELEASE_H_
#define TOMBOLA_COMMON_STREAM_GAUSSIAN_RELEASE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/stream/release.h"

namespace tombola::stream {

class SquareRootRelease final : public Release {
 public:
  SquareRootRelease(std::shared_ptr<const Design> design, RandomSource* random);

  NoisyTotal Next(int64_t increment) override;
  void Save(std::string& out) const override;
  absl::Status Load(int64_t periods, Decoder& saved) override;

 private:
  const std::shared_ptr<const Design> design_;
  RandomSource* const random_;
  const std::vector<double> totals_column_;
  std::vector<int64_t> increments_;
  std::vector<double> noisy_;  // y
  double squares_ = 0;         // of the totals' column so far
  int64_t last_ = 0;           // total
};

class BltRelease final : public Release {
 public:
  BltRelease(std::shared_ptr<const Design> design, RandomSource* random);

  NoisyTotal Next(int64_t increment) override;
  void Save(std::string& out) const override;
  absl::Status Load(int64_t periods, Decoder& saved) override;

 private:
  // The next z.
  int64_t Draw();

  struct Buffer {
    int64_t theta = 0, omega = 0;  // in 2^-kBltBits
    __int128 increments = 0;       // in 2^-kBltFraction
    double noisy = 0;              // of C^-1 y
  };
  const std::shared_ptr<const Design> design_;
  RandomSource* const random_;
  std::vector<Buffer> buffers_;
  BltWalk walk_;
  double squares_ = 0;
  double total_ = 0;  // in steps
  int64_t noise_ = 0;
};

}  // namespace tombola::stream

#endif  // TOMBOLA_COMMON_STREAM_GAUSSIAN_RELEASE_H_
