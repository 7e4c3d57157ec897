// What `tombola query` asks of sets and key-value pairs, and how it shows them.
#ifndef TOMBOLA_CLI_QUERY_ITEMS_H_
#define TOMBOLA_CLI_QUERY_ITEMS_H_

#include "cli/query/face.h"

namespace tombola::cli {

QueryFace SetFace();
QueryFace KeyValueFace();

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_QUERY_ITEMS_H_
