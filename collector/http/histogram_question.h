// What GET /v1/tasks/{id}/answer asks of a histogram.
#ifndef TOMBOLA_COLLECTOR_HTTP_HISTOGRAM_QUESTION_H_
#define TOMBOLA_COLLECTOR_HTTP_HISTOGRAM_QUESTION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collector/http/kind_question.h"
#include "common/json/rows.h"

namespace tombola::collector {

class HistogramQuestion final : public KindQuestion {
 public:
  static std::shared_ptr<const KindQuestion> Read(Parameters& parameters);

  // InvalidArgument: a value is not among the task's, or is asked for twice.
  absl::Status SetQuestion(const Task& task, v1::GetAnswerRequest* request) const override;
  void Sort(v1::Answer* answer) const override;
  Headers BesideRows(const v1::Answer& answer) const override;

 private:
  uint64_t top_ = 0;
  std::vector<std::string> values_;
  std::optional<BinOrder> order_;  // none: the largest first with `top`, else the domain's
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_HTTP_HISTOGRAM_QUESTION_H_
