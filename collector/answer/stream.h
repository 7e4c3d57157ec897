// How often each value has occurred over periods of a stream.
#ifndef TOMBOLA_COLLECTOR_ANSWER_STREAM_H_
#define TOMBOLA_COLLECTOR_ANSWER_STREAM_H_

#include "collector/answer/answerer.h"

namespace tombola::collector {

// The evidence has nodes, and the request's periods are theirs. Counts and their errors are those
// of StreamTotals; shares are counts by the submissions that they are of, and post-processing sees
// the whole domain. The same values stand in every total of a series: those with the largest shares
// of the whole range, where only so many are asked for. A total without a submission has counts
// that are 0, and no shares. `em` is refused: the counts of several nodes have no one likelihood.
// A stream of another kind is answered as that (summed_nodes.h).
class StreamAnswerer final : public Answerer {
 public:
  absl::string_view kind() const override { return "stream"; }
  void AskLeast(v1::GetAnswerRequest* request) const override {
    request->mutable_stream()->set_top(1);
    request->mutable_stream()->set_bins(1);  // of numbers, which have no values
    request->set_first_period(1);
    request->set_last_period(1);
  }
  // InvalidArgument also for a series that is larger than a message may be.
  absl::StatusOr<int64_t> Bytes(const Task& task, const v1::GetAnswerRequest& request,
                                AnswerForm form) const override;
  absl::Status Fill(const Evidence& evidence, const v1::GetAnswerRequest& request,
                    Postprocess postprocess, v1::Answer* answer) const override;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_ANSWER_STREAM_H_
