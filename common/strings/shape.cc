#include "common/strings/shape.h"

#include <bit>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/base/status_macros.h"

namespace tombola::strings {
namespace {

absl::Status Within(absl::string_view field, int64_t value, int64_t least, int64_t most) {
  if (value >= least && value <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("strings.", field, " must be in [", least, ", ", most, "], is ", value));
}

// Nothing above kMostChildren.
std::optional<int64_t> ChildrenOf(int64_t symbols, int64_t step) {
  int64_t children = 1;
  for (int64_t i = 0; i < step; ++i) {
    children *= symbols;
    if (children > kMostChildren) return std::nullopt;
  }
  return children;
}

}  // namespace

absl::StatusOr<Shape> Shape::Create(const ShapeOptions& options) {
  TOMBOLA_RETURN_IF_ERROR(Within("symbols", options.symbols, 3, kMostSymbols));
  TOMBOLA_RETURN_IF_ERROR(Within("length", options.length, 1, kMostLength));
  TOMBOLA_RETURN_IF_ERROR(Within("step", options.step, 1, options.length));
  if (options.length % options.step != 0) {
    return absl::InvalidArgumentError(absl::StrCat("strings.step must divide strings.length, is ",
                                                   options.step, " and ", options.length));
  }
  TOMBOLA_RETURN_IF_ERROR(Within("range", options.range, kLeastRange, kMostRange));
  if (!std::has_single_bit(static_cast<uint64_t>(options.range))) {
    return absl::InvalidArgumentError(
        absl::StrCat("strings.range must be a power of two, is ", options.range));
  }
  const std::optional<int64_t> children = ChildrenOf(options.symbols, options.step);
  if (!children.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("strings.step must be so small that symbols^step is at most 2^32, is ",
                     options.step, " with ", options.symbols, " symbols"));
  }
  return Shape(options, *children);
}

Shape::Shape(const ShapeOptions& options, int64_t children)
    : options_(options),
      range_bits_(std::countr_zero(static_cast<uint64_t>(options.range))),
      children_(children) {
  int64_t without_end = 1;
  for (int64_t i = 0; i < options.step; ++i) {
    valid_children_ += without_end;
    without_end *= options.symbols - 1;
  }
  valid_children_ += without_end;
}

}  // namespace tombola::strings
