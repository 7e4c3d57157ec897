// What GET /v1/plan asks for.
#ifndef TOMBOLA_COLLECTOR_HTTP_PLAN_QUESTION_H_
#define TOMBOLA_COLLECTOR_HTTP_PLAN_QUESTION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/http/message.h"
#include "common/json/plan.h"
#include "common/plan/number.h"
#include "common/plan/plan.h"
#include "common/plan/stream.h"
#include "common/plan/strings.h"
#include "tombola/v1/task.pb.h"

namespace tombola::collector {

// Of memory, more than a plan for values takes.
inline constexpr int64_t kPlanBytes = 1 << 20;

struct RecordsPlanQuestion {
  std::string schema;  // as it came
  v1::Records asked;
};

struct PlanQuestion {
  mechanism::PlanRequest request;  // epsilon is unset; that of numbers, records and streams too
  std::vector<double> epsilons;    // 1 to 16
  CandidateJsonOptions options;
  std::string kind;  // its name
  // Of which a table's cells are made; or bins, or levels; 0: the planner's choice.
  int64_t values = 0;
  std::optional<mechanism::NumberPlanRequest> numbers = {};  // its `plan` is unset
  std::optional<RecordsPlanQuestion> records = {};
  std::optional<mechanism::StringPlanRequest> strings = {};  // likewise
  std::optional<mechanism::StreamPlanRequest> stream = {};   // its `plan` is unset
  int64_t bytes = kPlanBytes;                                // of memory, more than it takes
};

// InvalidArgument names the parameter and its bound; of a schema, the member.
absl::StatusOr<PlanQuestion> ReadPlanQuestion(const http::Request& request);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_HTTP_PLAN_QUESTION_H_
