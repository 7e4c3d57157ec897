// What `tombola query` asks of records, and how it shows them.
#ifndef TOMBOLA_CLI_QUERY_RECORDS_H_
#define TOMBOLA_CLI_QUERY_RECORDS_H_

#include "cli/query/face.h"

namespace tombola::cli {

QueryFace RecordsFace();

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_QUERY_RECORDS_H_
