// What `tombola query` asks of key-value pairs, and how it shows them.
#ifndef TOMBOLA_CLI_QUERY_KEY_VALUE_H_
#define TOMBOLA_CLI_QUERY_KEY_VALUE_H_

#include "cli/query/face.h"

namespace tombola::cli {

QueryFace KeyValueFace();

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_QUERY_KEY_VALUE_H_
