// Shares of devices that hold each value.
#ifndef TOMBOLA_COLLECTOR_ANSWER_SET_H_
#define TOMBOLA_COLLECTOR_ANSWER_SET_H_

#include "collector/answer/answerer.h"

namespace tombola::collector {

// Unbiased for devices that hold at most as many things as the task takes; of those that hold more
// a part is missing, which `sizes` shows.
class SetAnswerer final : public Answerer {
 public:
  absl::string_view kind() const override { return "set"; }
  void AskLeast(v1::GetAnswerRequest* request) const override {
    request->mutable_set()->set_top(1);
  }
  absl::StatusOr<int64_t> Bytes(const Task& task, const v1::GetAnswerRequest& request,
                                AnswerForm form) const override;
  absl::Status Fill(const Evidence& evidence, const v1::GetAnswerRequest& request,
                    Postprocess postprocess, v1::Answer* answer) const override;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_ANSWER_SET_H_
