// Released totals as lines of text, or of JSON.
#ifndef TOMBOLA_CLI_STREAM_TOTAL_LINES_H_
#define TOMBOLA_CLI_STREAM_TOTAL_LINES_H_

#include <cstdint>
#include <string>

#include "collector/estimate/total_interval.h"
#include "common/stream/release.h"

namespace tombola::cli {

using collector::DeviationsOf;
using collector::IntervalOf;
using collector::NoiseKind;
using collector::TotalInterval;

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

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_STREAM_TOTAL_LINES_H_
