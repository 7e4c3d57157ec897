// How the numbers of devices are distributed.
#ifndef TOMBOLA_COLLECTOR_ANSWER_NUMBER_H_
#define TOMBOLA_COLLECTOR_ANSWER_NUMBER_H_

#include "collector/answer/answerer.h"

namespace tombola::collector {

// Counts, sums and bins are sums of CountedNumbers with fixed weights, and unbiased but for where
// numbers stand within their bins: in the middle for sums and means, evenly for a range that cuts a
// bin. Intervals allow for that wherever they stand, standard errors do not. Means, quantiles and,
// where devices may have no number, shares of those that have one are ratios of unbiased estimates.
// Their errors are those of the linearised ratio.
//
// Where the counted devices are not above three standard errors, what would be divided by them is
// left out.
class NumberAnswerer final : public Answerer {
 public:
  absl::string_view kind() const override { return "number"; }
  void AskLeast(v1::GetAnswerRequest* request) const override {
    request->mutable_number()->set_bins(1);
  }
  absl::StatusOr<int64_t> Bytes(const Task& task, const v1::GetAnswerRequest& request,
                                AnswerForm form) const override;
  absl::Status Fill(const Evidence& evidence, const v1::GetAnswerRequest& request,
                    Postprocess postprocess, v1::Answer* answer) const override;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_ANSWER_NUMBER_H_
