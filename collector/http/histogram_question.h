// What GET /v1/tasks/{id}/answer asks of a histogram.
#ifndef TOMBOLA_COLLECTOR_HTTP_HISTOGRAM_QUESTION_H_
#define TOMBOLA_COLLECTOR_HTTP_HISTOGRAM_QUESTION_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "collector/http/parameters.h"
#include "common/json/histogram.h"
#include "common/task/task.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::collector {

struct HistogramParameters {
  uint64_t top = 0;
  std::vector<std::string> values;
  std::optional<BinOrder> order;  // none: the largest first with `top`, else the domain's
};

// Those that are wrong are told by Parameters::Finish.
HistogramParameters ReadHistogramParameters(Parameters& parameters);

// InvalidArgument: a value is not among the task's, or is asked for twice.
absl::Status SetQuestion(const HistogramParameters& parameters, const Task& task,
                         v1::GetAnswerRequest* request);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_HTTP_HISTOGRAM_QUESTION_H_
