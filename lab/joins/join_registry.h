// The ways to answer star joins by their names.
#ifndef TOMBOLA_LAB_JOINS_JOIN_REGISTRY_H_
#define TOMBOLA_LAB_JOINS_JOIN_REGISTRY_H_

#include <limits>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lab/joins/join_method.h"
#include "lab/joins/shuffled_oracle.h"

namespace tombola::lab {

struct MadeJoin {
  std::unique_ptr<const JoinMethod> method;  // none: the method cannot answer this
  // Of a device's record by itself, infinity where a report gives something away for certain; and
  // if a shuffler colludes.
  double local_epsilon = std::numeric_limits<double>::infinity();
  double messages = 1;  // of a device, on average
};

struct JoinEntry {
  absl::string_view name;   // in files
  absl::string_view title;  // on pages
  absl::string_view source;
  bool is_private = true;
  // Without a shuffler: with setting.epsilon as the budget of a record. A valid setting.
  MadeJoin (*local)(const JoinSetting& setting);
  // With one: what meets the target. Null: nothing that is shuffled can be joined by ids, or
  // nothing is private to begin with.
  absl::StatusOr<MadeJoin> (*shuffled)(const JoinSetting& setting,
                                       const Shuffling& shuffling) = nullptr;
};
// In the order of pages.
absl::Span<const JoinEntry> JoinMethods();

}  // namespace tombola::lab

#endif  // TOMBOLA_LAB_JOINS_JOIN_REGISTRY_H_
