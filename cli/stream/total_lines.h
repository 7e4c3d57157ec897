// Released totals as lines of text, or of JSON.
#ifndef TOMBOLA_CLI_STREAM_TOTAL_LINES_H_
#define TOMBOLA_CLI_STREAM_TOTAL_LINES_H_

#include <cstdint>
#include <string>

#include "common/stream/release.h"

namespace tombola::cli {

enum class NoiseKind { kGaussian, kAny };

// How many standard errors an interval of this confidence in (0, 1) is on either side: those of a
// normal law or, if noise may be a sum of Laplace noises, those of one Laplace law if they are
// more. Rounded to whole numbers outwards the interval then has the true total at least so often as
// far as has been computed (total_lines_test.cc).
double DeviationsOf(double confidence, NoiseKind noise);

class TotalLines {
 public:
  TotalLines(bool json, double deviations) : json_(json), deviations_(deviations) {}

  // Appends the period, the total, its standard error and the interval's ends: with tabs between
  // them, or a JSON object with `period`, `total`, `stderr`, `low` and `high`.
  void Append(int64_t period, const stream::NoisyTotal& total, std::string& out) const;

 private:
  bool json_;
  double deviations_;
};

// The ends of the interval.
struct TotalInterval {
  int64_t low = 0, high = 0;
};
TotalInterval IntervalOf(const stream::NoisyTotal& total, double deviations);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_STREAM_TOTAL_LINES_H_
