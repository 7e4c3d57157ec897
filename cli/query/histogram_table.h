// A histogram for people, in a terminal.
#ifndef TOMBOLA_CLI_QUERY_HISTOGRAM_TABLE_H_
#define TOMBOLA_CLI_QUERY_HISTOGRAM_TABLE_H_

#include <optional>
#include <string>
#include <vector>

#include "tombola/v1/collector.pb.h"

namespace tombola::cli {

struct DrawOptions {
  int columns = 80;          // of the terminal
  bool colour = false;       // ANSI escapes
  double confidence = 0.95;  // named in the heading
  bool places = false;       // of the answer's ranking, which it then has
  // The true frequency of each row, if it is known.
  std::vector<double> truth;
};

// One line a bin: name, frequency, half-width of its interval, and a bar with the interval drawn
// over its end; with the truth a mark, and a flag where it lies outside; with the places those that
// the row may have, and marks for what is sure. Fits into the columns from 40 on: where they are
// few, names and bars are shorter, and then there are no bars.
std::string DrawHistogram(const v1::Histogram& histogram, const DrawOptions& options);

// The band for all bins at once, in a sentence.
std::string DescribeBand(const v1::Histogram& histogram, double confidence);

// The width of the terminal, 80 where there is none.
int TerminalColumns();

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_QUERY_HISTOGRAM_TABLE_H_
