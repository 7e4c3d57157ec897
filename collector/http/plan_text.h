// The answers to questions for plans.
#ifndef TOMBOLA_COLLECTOR_HTTP_PLAN_TEXT_H_
#define TOMBOLA_COLLECTOR_HTTP_PLAN_TEXT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "collector/http/plan_question.h"

namespace tombola::collector {

// The same text for the same plan.
std::string PlanKey(const PlanQuestion& question, double epsilon);

// The answer to one epsilon: "epsilon", "recommended", "warnings", and "candidates" or, of records,
// "views"; of streams what StreamPlanJson says (common/json/stream_plan.h). Some tenths of a second
// of processor time mostly, a few seconds at the corners of what may be asked. InvalidArgument as
// mechanism::PlanAll, PlanNumber, PlanViews and PlanStream.
absl::StatusOr<std::string> PlanText(const PlanQuestion& question, double epsilon);

// The whole answer, from the texts of its epsilons.
std::string WritePlans(const PlanQuestion& question, const std::vector<std::string>& plans);

}  // namespace tombola::collector

#endif  // TOMBOLA_COLLECTOR_HTTP_PLAN_TEXT_H_
