// The interface's own description.
#ifndef TOMBOLA_COLLECTOR_HTTP_OPENAPI_H_
#define TOMBOLA_COLLECTOR_HTTP_OPENAPI_H_

#include "absl/strings/string_view.h"

namespace tombola::collector {

// openapi.json of this folder.
absl::string_view OpenApi();

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_HTTP_OPENAPI_H_
