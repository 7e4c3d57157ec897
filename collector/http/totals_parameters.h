// The parameters of a question for trusted totals.
#ifndef TOMBOLA_COLLECTOR_HTTP_TOTALS_PARAMETERS_H_
#define TOMBOLA_COLLECTOR_HTTP_TOTALS_PARAMETERS_H_

#include "absl/status/statusor.h"
#include "common/http/message.h"
#include "common/task/task.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::collector {

struct TotalsParameters {
  v1::GetTotalsRequest request;
  bool csv = false;
};

// InvalidArgument names the parameter and its bound.
absl::StatusOr<TotalsParameters> ReadTotalsParameters(const http::Request& request,
                                                      const Task& task);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_HTTP_TOTALS_PARAMETERS_H_
