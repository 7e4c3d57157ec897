#include "cli/report/line_reader.h"

#include "cli/report/histogram_line.h"
#include "common/kind/histogram.h"

namespace tombola::cli {

const std::vector<LineReader>& AllLineReaders() {
  static const auto& all = *new std::vector<LineReader>{
      {.kind = Histogram::kName, .read = &HistogramValue},
  };
  return all;
}

}  // namespace tombola::cli
