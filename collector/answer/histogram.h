// Shares of the values of a domain.
#ifndef TOMBOLA_COLLECTOR_ANSWER_HISTOGRAM_H_
#define TOMBOLA_COLLECTOR_ANSWER_HISTOGRAM_H_

#include "collector/answer/answerer.h"

namespace tombola::collector {

// Post-processing always sees the whole domain; the question then picks what is shown.
class HistogramAnswerer final : public Answerer {
 public:
  absl::string_view kind() const override { return "histogram"; }
  void AskLeast(v1::GetAnswerRequest* request) const override {
    request->mutable_histogram()->set_top(1);
  }
  absl::StatusOr<int64_t> Bytes(const Task& task, const v1::GetAnswerRequest& request,
                                AnswerForm form) const override;
  absl::Status Fill(const Evidence& evidence, const v1::GetAnswerRequest& request,
                    Postprocess postprocess, v1::Answer* answer) const override;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_ANSWER_HISTOGRAM_H_
