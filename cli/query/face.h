// How `tombola query` asks each kind of task, and shows its answers.
#ifndef TOMBOLA_CLI_QUERY_FACE_H_
#define TOMBOLA_CLI_QUERY_FACE_H_

#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/query/options.h"
#include "common/json/rows.h"
#include "common/task/task.h"
#include "tombola/v1/collector.pb.h"

namespace tombola::cli {

// A kind on the command line. What every answer says is written by answer_text.h, and what scripts
// read by common/json; here is the rest. All answers are of the kind.
struct QueryFace {
  absl::string_view kind;  // its name
  // What --postprocess is where it is not given.
  absl::string_view usual_postprocess;
  // Puts the question into the request. InvalidArgument: a value is not among the task's, or a
  // chart would have too many rows.
  absl::Status (*ask)(const QueryOptions& options, const Task& task, v1::GetAnswerRequest* request);
  // Puts the rows into that order.
  void (*sort)(BinOrder order, v1::Answer* answer);
  // What is true of each row if the devices hold the lines of the file `truth`. InvalidArgument
  // names the line that cannot be read.
  absl::StatusOr<Truth> (*truth)(const QueryOptions& options, const v1::Answer& answer,
                                 const Task& task);
  // The body as a table for a terminal, without the guarantee; and the whole answer as an SVG
  // document.
  void (*write_table)(const QueryOptions& options, const v1::Answer& answer, const Task& task,
                      const Truth& truth, std::ostream& out);
  void (*write_chart)(const QueryOptions& options, const v1::Answer& answer, const Task& task,
                      const Truth& truth, std::ostream& out);
  // What the body says beside its rows, for which CSV has no place: lines for people, or nothing.
  std::string (*beside_rows)(const QueryOptions& options, const v1::Answer& answer,
                             const Task& task);
};

// One for each of Kinds::BuiltIn().
const std::vector<QueryFace>& AllQueryFaces();

const QueryFace& QueryFaceOf(const Task& task);

// What --postprocess is where it is not given: of a stream that of the kind which it is of.
absl::string_view UsualPostprocess(const Task& task);

}  // namespace tombola::cli

#endif  // TOMBOLA_CLI_QUERY_FACE_H_
