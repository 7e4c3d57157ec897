// The published methods for sets by their names.
#ifndef TOMBOLA_LAB_SETS_REGISTRY_H_
#define TOMBOLA_LAB_SETS_REGISTRY_H_

#include <memory>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lab/key_value/method.h"

namespace tombola::lab {

struct SetMethod {
  std::unique_ptr<Method> method;
  LocalLaw law;
};

struct SetEntry {
  absl::string_view name;   // in files
  absl::string_view title;  // on pages
  absl::string_view source;
  SetMethod (*make)(const Setting& setting);  // a valid setting with levels = 1
};
absl::Span<const SetEntry> SetMethods();

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_SETS_REGISTRY_H_
