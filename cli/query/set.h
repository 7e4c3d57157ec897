// What `tombola query` asks of sets, and how it shows them.
#ifndef TOMBOLA_CLI_QUERY_SET_H_
#define TOMBOLA_CLI_QUERY_SET_H_

#include "cli/query/face.h"

namespace tombola::cli {

QueryFace SetFace();

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_QUERY_SET_H_
