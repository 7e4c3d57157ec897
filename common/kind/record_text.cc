#include "common/kind/record_text.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/base/status_macros.h"
#include "common/kind/number_text.h"

namespace tombola {

absl::StatusOr<v1::Condition> ParseCondition(absl::string_view text, const RecordSchema& schema) {
  const size_t equals = text.find('=');
  if (equals == absl::string_view::npos) {
    return absl::InvalidArgumentError(absl::StrCat(
        "where must be ATTRIBUTE=A..B or ATTRIBUTE=LABEL, such as ", schema.attributes[0].name, "=",
        schema.attributes[0].bins.has_value() ? "A..B" : schema.attributes[0].labels[0], ", not \"",
        text, "\""));
  }
  v1::Condition wire;
  wire.set_attribute(std::string(text.substr(0, equals)));
  const absl::string_view wanted = text.substr(equals + 1);
  TOMBOLA_ASSIGN_OR_RETURN(const size_t place, schema.AttributeNamed(wire.attribute()));
  const Attribute& attribute = schema.attributes[place];
  if (attribute.bins.has_value()) {
    absl::StatusOr<v1::NumberRange> range = ParseNumberRange(wanted, *attribute.bins);
    if (!range.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("where: ", attribute.name, " ", range.status().message()));
    }
    *wire.mutable_range() = *std::move(range);
    return wire;
  }
  if (attribute.by_label.contains(std::string(wanted))) {
    wire.add_labels(std::string(wanted));
    return wire;
  }
  for (const absl::string_view label : absl::StrSplit(wanted, ',')) {
    if (!attribute.by_label.contains(std::string(label))) {
      return absl::InvalidArgumentError(absl::StrCat("where: ", attribute.name, " must be ",
                                                     attribute.Bounds(), ", not \"", label, "\""));
    }
    wire.add_labels(std::string(label));
  }
  return wire;
}

}  // namespace tombola
