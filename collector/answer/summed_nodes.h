// What a stream's nodes add up to, answered as the kind that the stream is of.
#ifndef TOMBOLA_COLLECTOR_ANSWER_SUMMED_NODES_H_
#define TOMBOLA_COLLECTOR_ANSWER_SUMMED_NODES_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "collector/answer/answerer.h"
#include "collector/answer/stream_totals.h"
#include "collector/postprocess/postprocess.h"
#include "common/kind/kind.h"
#include "common/task/task.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::collector {

// Of a stream of sets, key-value pairs or numbers. Nodes that are added and subtracted are one
// batch for its kind, of which every report says for certain what a device holds: its counts are
// theirs, added and subtracted, and its noise that of BatchSum::AsOneBatch. Valid while the task
// is; immutable and thread-safe.
class SummedNodes {
 public:
  // `task`: a stream of such a kind.
  explicit SummedNodes(const Task& task);

  // The stream's question as one of its kind: without what the kind does not have.
  v1::GetAnswerRequest QuestionOf(const v1::GetAnswerRequest& request) const;
  // Makes the question one about the values that it has asked for `top` of: those of this sum. Of
  // numbers and where there is no `top` nothing.
  absl::Status PickValues(const NodeSum& sum, Postprocess postprocess,
                          v1::GetAnswerRequest* question) const;

  // Sets what a total says of a sum of at least one submission. Errors as of the kind's answerer.
  absl::Status Fill(const NodeSum& sum, const v1::GetAnswerRequest& question,
                    Postprocess postprocess, v1::StreamTotal* total) const;

  // How much memory one total takes at most, beside its sum. InvalidArgument as of the kind's.
  absl::StatusOr<int64_t> Bytes(const v1::GetAnswerRequest& question, AnswerForm form) const;

 private:
  absl::StatusOr<v1::Answer> Ask(const NodeSum& sum, const v1::GetAnswerRequest& question,
                                 Postprocess postprocess) const;

  const Task& task_;
  const Kind& kind_;
  std::unique_ptr<const Answerer> answerer_;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_ANSWER_SUMMED_NODES_H_
