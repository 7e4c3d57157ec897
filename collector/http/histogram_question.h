// What GET /v1/tasks/{id}/histogram asks for.
#ifndef TOMBOLA_COLLECTOR_HTTP_HISTOGRAM_QUESTION_H_
#define TOMBOLA_COLLECTOR_HTTP_HISTOGRAM_QUESTION_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "common/http/message.h"
#include "common/json/histogram.h"
#include "common/task/task.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::collector {

struct HistogramQuestion {
  v1::GetHistogramRequest request;
  std::optional<BinOrder> order;  // none: the largest first with `top`, else the domain's
  bool csv = false;
};

// InvalidArgument names the parameter and its bound.
absl::StatusOr<HistogramQuestion> ReadHistogramQuestion(const http::Request& request,
                                                        const Task& task);

// The answer in the form that was asked for. CSV has no place for what the answer guarantees, so
// that stands in the header Tombola-Guarantee, as the JSON object of the other form. The body is
// left to the caller.
struct HistogramText {
  std::string type;
  std::string body;
  std::string guarantee;  // empty: it is in the body
};
HistogramText WriteHistogram(const HistogramQuestion& question, v1::Histogram histogram);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_HTTP_HISTOGRAM_QUESTION_H_
