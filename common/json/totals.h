// Trusted totals in the forms that scripts rely on. The command line and the collector's HTTP
// interface write the very same.
#ifndef TOMBOLA_COMMON_JSON_TOTALS_H_
#define TOMBOLA_COMMON_JSON_TOTALS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "common/json/text.h"
#include "tombola/v1/collector.pb.h"

namespace tombola {

// "participants" or "rejected"; UNSPECIFIED for another name.
std::string NameOf(v1::TotalsQuantity quantity);
v1::TotalsQuantity TotalsQuantityFromName(absl::string_view name);

// What they guarantee and how far they are; null where nothing is known.
Json TotalsInfoJson(const v1::TotalsInfo& info);

// `task`, the members of TotalsInfoJson and `rows`: `period`, `total`, `stderr`, `low` and `high`.
Json TotalsJson(const v1::Totals& totals);

// A line of the rows' names, then the rows (RFC 4180).
std::string TotalsCsv(const v1::Totals& totals);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_JSON_TOTALS_H_
