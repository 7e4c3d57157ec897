// What `tombola query` asks about numbers, and how it shows them.
#ifndef TOMBOLA_CLI_QUERY_NUMBER_H_
#define TOMBOLA_CLI_QUERY_NUMBER_H_

#include "cli/query/face.h"

namespace tombola::cli {

// In a table or a chart the usual quantiles are asked for where none are named, and few bins.
QueryFace NumberFace();

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_QUERY_NUMBER_H_
