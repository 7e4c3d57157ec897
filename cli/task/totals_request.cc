#include "cli/task/totals_request.h"

#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/base/status_macros.h"
#include "common/json/totals.h"

namespace tombola::cli {
namespace {

absl::Status Refuse(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(
      "--trusted-totals must be epsilon=E[,delta=X][,structure=S][,of=participants+rejected]: ",
      what));
}

absl::StatusOr<double> NumberOf(absl::string_view name, absl::string_view text) {
  double number = 0;
  if (absl::SimpleAtod(text, &number)) return number;
  return Refuse(absl::StrCat(name, " must be a number"));
}

absl::Status SetQuantities(absl::string_view text, v1::TrustedTotalsRequest* request) {
  for (const absl::string_view name : absl::StrSplit(text, '+')) {
    const v1::TotalsQuantity quantity = TotalsQuantityFromName(name);
    if (quantity == v1::TOTALS_QUANTITY_UNSPECIFIED) {
      return Refuse("of must be participants, rejected or participants+rejected");
    }
    request->add_of(quantity);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<v1::TrustedTotalsRequest> ReadTrustedTotals(const std::string& text) {
  v1::TrustedTotalsRequest request;
  std::set<absl::string_view> seen;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const std::pair<absl::string_view, absl::string_view> member =
        absl::StrSplit(part, absl::MaxSplits('=', 1));
    const auto& [name, value] = member;
    if (!seen.insert(name).second) return Refuse(absl::StrCat(name, " must be there once"));
    if (name == "epsilon") {
      TOMBOLA_ASSIGN_OR_RETURN(const double epsilon, NumberOf(name, value));
      request.set_epsilon(epsilon);
    } else if (name == "delta") {
      TOMBOLA_ASSIGN_OR_RETURN(const double delta, NumberOf(name, value));
      request.set_delta(delta);
    } else if (name == "structure") {
      request.set_structure(std::string(value));
    } else if (name == "of") {
      TOMBOLA_RETURN_IF_ERROR(SetQuantities(value, &request));
    } else {
      return Refuse(absl::StrCat("there is no ", name));
    }
  }
  if (!seen.contains("epsilon")) return Refuse("epsilon is required");
  return request;
}

}  // namespace tombola::cli
