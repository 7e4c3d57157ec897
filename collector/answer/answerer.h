// What a kind of task can be asked, and how counts become the body of an answer.
#ifndef TOMBOLA_COLLECTOR_ANSWER_ANSWERER_H_
#define TOMBOLA_COLLECTOR_ANSWER_ANSWERER_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "collector/aggregate/counts.h"
#include "collector/postprocess/postprocess.h"
#include "common/kind/kind.h"
#include "common/table/count_model.h"
#include "common/task/task.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::collector {

// The probability that norm_sub or base_cut takes noise for a value somewhere in the domain.
inline constexpr double kNoiseShare = 0.05;

// What an answer becomes before it is sent: it decides how much memory the answer takes.
enum class AnswerForm {
  kMessage,  // protobuf
  kText,     // JSON or CSV (common/json/answer.h); no value is asked for twice
};

// What was counted in batches of a stream's node, whichever keys they were sealed to.
struct NodeCounts {
  Counts counts;
  mechanism::Tally tally;  // with a submission at least
};

// What is known of a stream, whose nodes are counted each for itself. Valid while what it refers to
// is.
struct NodeEvidence {
  // The periods that are asked about, both ends included; 1 <= first <= last <= the task's.
  uint64_t first = 1, last = 1;
  // Whether there is a counted batch of a node of that many periods or fewer.
  std::function<bool(uint64_t node)> counted;
  // What such a node has. The status is that of an answer which cannot be had.
  std::function<absl::StatusOr<NodeCounts>(uint64_t node)> read;
  // Nodes in [first, last] that will never be counted, ascending.
  std::vector<uint64_t> void_nodes;
};

struct DecodedStrings;  // collector/decode/decoder.h

// What was counted in the batches that the answer is about. Valid while what it refers to is.
struct Evidence {
  const Task& task;
  const Counts& counts;                 // of all tables of the task; of a stream without meaning
  mechanism::Tally tally;               // with a submission at least; likewise
  const NodeEvidence* nodes = nullptr;  // of a stream
  int64_t batches = 1;                  // that were counted; of a stream without meaning
  const DecodedStrings* strings = nullptr;  // of strings: what was found, which takes its time
  // Where counts of several batches with noise of their own were added: the task's kind over a
  // table that says how they came about.
  const Kind* summed = nullptr;

  const Kind& kind() const { return summed == nullptr ? task.kind() : *summed; }
};

// One kind of task. Pure: no input or output, no clock, no RPC; messages are its values, because
// what a kind is asked and answers is nothing else. Immutable and thread-safe.
class Answerer {
 public:
  virtual ~Answerer() = default;

  // As on the wire: the name of its question in GetAnswerRequest and of its body in Answer.
  virtual absl::string_view kind() const = 0;

  // Makes the request the question whose answer takes the least memory.
  virtual void AskLeast(v1::GetAnswerRequest* request) const = 0;

  // How much memory the answer takes at most, from the question until it is sent in that form.
  // InvalidArgument: the question is longer than any that has an answer.
  virtual absl::StatusOr<int64_t> Bytes(const Task& task, const v1::GetAnswerRequest& request,
                                        AnswerForm form) const = 0;

  // Sets the answer's body, and nothing else of it. The request has a question of this kind and a
  // confidence in (0, 1). InvalidArgument: the question is out of its bounds.
  virtual absl::Status Fill(const Evidence& evidence, const v1::GetAnswerRequest& request,
                            Postprocess postprocess, v1::Answer* answer) const = 0;
};

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_ANSWER_ANSWERER_H_
