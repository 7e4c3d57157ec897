// What GET /v1/plan asks for, and the answer to one epsilon of it.
#ifndef TOMBOLA_COLLECTOR_HTTP_PLAN_QUESTION_H_
#define TOMBOLA_COLLECTOR_HTTP_PLAN_QUESTION_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/http/message.h"
#include "common/json/plan.h"
#include "common/plan/plan.h"

namespace tombola::collector {

struct PlanQuestion {
  mechanism::PlanRequest request;  // epsilon is unset
  std::vector<double> epsilons;    // 1 to 16
  CandidateJsonOptions options;
  std::string kind;    // its name
  int64_t values = 0;  // of which a table's cells are made
};

// InvalidArgument names the parameter and its bound.
absl::StatusOr<PlanQuestion> ReadPlanQuestion(const http::Request& request);

// The same text for the same plan.
std::string PlanKey(const PlanQuestion& question, double epsilon);

// {"epsilon", "recommended", "candidates", "warnings"}: some tenths of a second of processor time
// mostly, a few seconds at the corners of what may be asked.
// InvalidArgument as mechanism::PlanAll.
absl::StatusOr<std::string> PlanText(const PlanQuestion& question, double epsilon);

// The answer, from the texts of its epsilons.
std::string WritePlans(const PlanQuestion& question, const std::vector<std::string>& plans);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_HTTP_PLAN_QUESTION_H_
