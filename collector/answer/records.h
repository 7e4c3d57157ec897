// How many records meet conditions, and sums, averages and quantiles of them.
#ifndef TOMBOLA_COLLECTOR_ANSWER_RECORDS_H_
#define TOMBOLA_COLLECTOR_ANSWER_RECORDS_H_

#include "collector/answer/answerer.h"

namespace tombola::collector {

// Of the views that have all that is asked for, the one with the most values to tell apart answers,
// and of those the one with the least error; nothing that was counted decides which. Counts and
// sums are unbiased for the records that devices kept, and for what conditions cut out of cells up
// to how records lie within them (`partial`). An average is the ratio of both, its interval every
// ratio that they do not speak against.
class RecordsAnswerer final : public Answerer {
 public:
  absl::string_view kind() const override { return "records"; }
  void AskLeast(v1::GetAnswerRequest* request) const override { request->mutable_records(); }
  absl::StatusOr<int64_t> Bytes(const Task& task, const v1::GetAnswerRequest& request,
                                AnswerForm form) const override;
  absl::Status Fill(const Evidence& evidence, const v1::GetAnswerRequest& request,
                    Postprocess postprocess, v1::Answer* answer) const override;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_ANSWER_RECORDS_H_
