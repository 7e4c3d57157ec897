// How the body of each kind's answer is written for scripts.
#ifndef TOMBOLA_COMMON_JSON_BODIES_H_
#define TOMBOLA_COMMON_JSON_BODIES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/json/rows.h"
#include "tombola/v1/collector.pb.h"

namespace tombola {

struct BodyForms {
  absl::string_view kind;  // its name, which is that of the body in Answer
  // Appends the body's members of the answer's object, without a comma at either end.
  void (*append_json)(const v1::Answer& answer, const Truth& truth, std::string* out);
  // The body's rows as CSV (RFC 4180), after a line of names.
  std::string (*csv)(const v1::Answer& answer, const Truth& truth);
};

// One for each of Kinds::BuiltIn().
const std::vector<BodyForms>& AllBodyForms();

}  // namespace tombola

#endif  // TOMBOLA_COMMON_JSON_BODIES_H_
