// The mechanisms there are, between a task's bytes and the classes that know them.
#ifndef TOMBOLA_COMMON_MECHANISM_REGISTRY_H_
#define TOMBOLA_COMMON_MECHANISM_REGISTRY_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/mechanism/mechanism.h"
#include "tombola/v1/task.pb.h"

namespace tombola::mechanism {

// The door for a mechanism from outside: a valid one, or InvalidArgument naming the field and its
// bound. An unset kind and an enum's zero are refused. `levels`: of cells that are levels, one
// after the other, of each of which a device fills one cell: how many cells each has.
absl::StatusOr<std::shared_ptr<const Mechanism>> FromProto(const v1::Mechanism& wire,
                                                           int64_t domain_size,
                                                           const Filling& filling = {},
                                                           absl::Span<const int64_t> levels = {});

// Replaces *wire by what FromProto reads back, the domain's size, the filling and the levels apart.
void ToProto(const Mechanism& mechanism, v1::Mechanism* wire);

}  // namespace tombola::mechanism

#endif  // TOMBOLA_COMMON_MECHANISM_REGISTRY_H_
