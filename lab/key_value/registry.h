// The published methods by their names.
#ifndef TOMBOLA_LAB_KEY_VALUE_REGISTRY_H_
#define TOMBOLA_LAB_KEY_VALUE_REGISTRY_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lab/key_value/method.h"

namespace tombola::lab {

// A method for which every device randomises by itself.
struct LocalEntry {
  absl::string_view name;   // in files
  absl::string_view title;  // on pages
  absl::string_view source;
  std::unique_ptr<LocalMethod> (*make)(const Setting& setting);  // a valid setting
};
// In the order of pages. HISKV is none of them: it is LRR_KV with a length that it finds itself.
absl::Span<const LocalEntry> LocalMethods();

// InvalidArgument for a name that is not in the list, or by Validate.
absl::StatusOr<std::unique_ptr<LocalMethod>> MakeLocal(absl::string_view name,
                                                       const Setting& setting);

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_KEY_VALUE_REGISTRY_H_
