// What `tombola query` asks of a histogram, and how it shows one.
#ifndef TOMBOLA_CLI_QUERY_HISTOGRAM_H_
#define TOMBOLA_CLI_QUERY_HISTOGRAM_H_

#include "cli/query/face.h"

namespace tombola::cli {

QueryFace HistogramFace();

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_QUERY_HISTOGRAM_H_
