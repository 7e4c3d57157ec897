// Shares of devices that hold each key, and the means of its numbers.
#ifndef TOMBOLA_COLLECTOR_ANSWER_KEY_VALUE_H_
#define TOMBOLA_COLLECTOR_ANSWER_KEY_VALUE_H_

#include "collector/answer/answerer.h"

namespace tombola::collector {

// A key's frequency is that of its levels together. Its mean is the ratio of two unbiased
// estimates, its standard error that of the linearised ratio with the rounding to levels taken at
// its largest; both are left out where the frequency is not above three standard errors.
class KeyValueAnswerer final : public Answerer {
 public:
  absl::string_view kind() const override { return "key_value"; }
  void AskLeast(v1::GetAnswerRequest* request) const override {
    request->mutable_key_value()->set_top(1);
  }
  absl::StatusOr<int64_t> Bytes(const Task& task, const v1::GetAnswerRequest& request,
                                AnswerForm form) const override;
  absl::Status Fill(const Evidence& evidence, const v1::GetAnswerRequest& request,
                    Postprocess postprocess, v1::Answer* answer) const override;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_ANSWER_KEY_VALUE_H_
