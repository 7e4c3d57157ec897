// What a room does differently for each kind of task, found by the kind's name.
#ifndef TOMBOLA_COMMON_KIND_OF_KIND_H_
#define TOMBOLA_COMMON_KIND_OF_KIND_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "common/base/check.h"

namespace tombola {

// The entry whose member `kind` is that name, which must be among them: a room has one for each of
// Kinds::BuiltIn() (tests/kind), and a task of another kind is none that Task::Parse reads.
template <typename Entry>
const Entry& OfKind(const std::vector<Entry>& entries, absl::string_view kind) {
  const Entry* found = nullptr;
  for (const Entry& entry : entries) {
    if (entry.kind == kind) found = &entry;
  }
  TOMBOLA_CHECK(found != nullptr);
  return *found;
}

}  // namespace tombola

#endif  // TOMBOLA_COMMON_KIND_OF_KIND_H_
