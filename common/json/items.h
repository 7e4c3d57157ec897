// What the bodies of sets and key-value pairs say beside their rows, as members of the answer's
// object.
#ifndef TOMBOLA_COMMON_JSON_ITEMS_H_
#define TOMBOLA_COMMON_JSON_ITEMS_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/json/columns.h"
#include "common/json/text.h"
#include "tombola/v1/collector.pb.h"

namespace tombola {

// Appends "sizes", and "full" with its error, interval and hint, with a comma behind.
inline void AppendSizes(const v1::Sizes& sizes, std::string* out) {
  const auto append = [out](absl::string_view name, double number) {
    absl::StrAppend(out, "\"", name, "\":");
    AppendNumber(number, out);
    out->push_back(',');
  };
  out->append("\"sizes\":[");
  for (int k = 0; k < sizes.shares_size(); ++k) {
    if (k > 0) out->push_back(',');
    AppendNumber(sizes.shares(k), out);
  }
  out->append("],");
  append("full", sizes.full());
  append("full_stderr", sizes.full_standard_error());
  append("full_low", sizes.full_low());
  append("full_high", sizes.full_high());
  out->append("\"hint\":");
  if (sizes.hint().empty()) {
    out->append("null,");
  } else {
    AppendText(sizes.hint(), out);
    out->push_back(',');
  }
}

// The same after "max_error", and "ranking" if there is one.
template <typename Body>
void AppendItemsHead(const Body& body, std::string* out) {
  out->append("\"max_error\":");
  AppendNumber(body.max_error(), out);
  out->push_back(',');
  AppendSizes(body.sizes(), out);
  AppendRanking(body, out);
}

}  // namespace tombola

#endif  // TOMBOLA_COMMON_JSON_ITEMS_H_
