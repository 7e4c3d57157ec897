// Early return for absl::Status and absl::StatusOr.
#ifndef TOMBOLA_COMMON_BASE_STATUS_MACROS_H_
#define TOMBOLA_COMMON_BASE_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define TOMBOLA_RETURN_IF_ERROR(expression)            \
  do {                                                 \
    absl::Status tombola_status_ = (expression);       \
    if (!tombola_status_.ok()) return tombola_status_; \
  } while (false)

#define TOMBOLA_CONCAT_INNER_(a, b) a##b
#define TOMBOLA_CONCAT_(a, b) TOMBOLA_CONCAT_INNER_(a, b)
#define TOMBOLA_ASSIGN_OR_RETURN(target, expression) \
  TOMBOLA_ASSIGN_OR_RETURN_(TOMBOLA_CONCAT_(tombola_or_, __LINE__), target, expression)
#define TOMBOLA_ASSIGN_OR_RETURN_(holder, target, expression) \
  auto holder = (expression);                                 \
  if (!holder.ok()) return std::move(holder).status();        \
  target = *std::move(holder)

#endif  // TOMBOLA_COMMON_BASE_STATUS_MACROS_H_
