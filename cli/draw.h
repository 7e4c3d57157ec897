// A histogram for people, in a terminal.
#ifndef TOMBOLA_CLI_DRAW_H_
#define TOMBOLA_CLI_DRAW_H_

#include <optional>
#include <string>
#include <vector>

#include "tombola/v1/collector.pb.h"

namespace tombola::cli {

struct DrawOptions {
  int columns = 80;          // of the terminal
  bool colour = false;       // ANSI escapes
  double confidence = 0.95;  // named in the heading
  // The true frequency of each row, if it is known.
  std::vector<double> truth;
};

// One line a bin: name, frequency, half-width of its interval, and a bar with the interval drawn
// over its end; with the truth a mark, and a flag where it lies outside. Fits into the columns from
// 40 on: where they are few, names and bars are shorter, and then there are no bars.
std::string DrawHistogram(const v1::Histogram& histogram, const DrawOptions& options);

// What the answer guarantees, in plain words.
std::string DescribeGuarantee(const v1::Histogram& histogram);

// What the answer says about its devices: what was refused, how far dishonest ones could have moved
// a bin, and the warnings.
std::string DescribeQuality(const v1::Histogram& histogram);

// The width of the terminal, 80 where there is none.
int TerminalColumns();

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_DRAW_H_
