// What `tombola query` asks of a stream, and how it shows one.
#ifndef TOMBOLA_CLI_QUERY_STREAM_H_
#define TOMBOLA_CLI_QUERY_STREAM_H_

#include "cli/query/face.h"

namespace tombola::cli {

QueryFace StreamFace();

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_QUERY_STREAM_H_
