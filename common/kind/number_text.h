// What is asked about numbers, as people write it.
#ifndef TOMBOLA_COMMON_KIND_NUMBER_TEXT_H_
#define TOMBOLA_COMMON_KIND_NUMBER_TEXT_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/kind/bins.h"
#include "tombola/v1/collector.pb.h"

namespace tombola {

// "2..5", or "2.." and "..5" up to the bins' first or last edge. InvalidArgument in words that
// follow the name of what was read: "must be ...".
absl::StatusOr<v1::NumberRange> ParseNumberRange(absl::string_view text, const Bins& bins);

// "0.1,0.5". InvalidArgument likewise.
absl::StatusOr<std::vector<double>> ParseFractions(absl::string_view text);

}  // namespace tombola

#endif  // TOMBOLA_COMMON_KIND_NUMBER_TEXT_H_
