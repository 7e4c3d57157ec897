#include "collector/http/totals_parameters.h"

#include <string>

#include "absl/strings/match.h"
#include "collector/http/parameters.h"
#include "collector/totals/totals_question.h"
#include "common/base/ids.h"
#include "common/base/status_macros.h"
#include "common/json/totals.h"

namespace tombola::collector {

absl::StatusOr<TotalsParameters> ReadTotalsParameters(const http::Request& request,
                                                      const Task& task) {
  Parameters parameters(request);
  TotalsParameters read;
  v1::GetTotalsRequest& wire = read.request;
  wire.set_task_id(std::string(AsView(task.id())));
  wire.set_of(TotalsQuantityFromName(parameters.OneOf("of", {"participants", "rejected"})));
  wire.set_confidence(parameters.Number("confidence").value_or(0.95));
  const auto period = parameters.Integer("period", 1, static_cast<int64_t>(kMostTotalsPeriods));
  wire.set_first_period(static_cast<uint64_t>(period.value_or(0)));
  wire.set_last_period(static_cast<uint64_t>(period.value_or(0)));
  read.csv = parameters.Text("format").has_value()
                 ? parameters.OneOf("format", {"json", "csv"}) == "csv"
                 : absl::StrContains(request.accept, "text/csv");
  TOMBOLA_RETURN_IF_ERROR(parameters.Finish());
  return read;
}

}  // namespace tombola::collector
