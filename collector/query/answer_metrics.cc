#include "collector/query/answer_metrics.h"

#include <string>

#include "common/base/retry_after.h"

namespace tombola::collector {
namespace {

absl::string_view CauseOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kInvalidArgument:
      return "malformed";
    case absl::StatusCode::kNotFound:
      return "unknown_task";
    case absl::StatusCode::kFailedPrecondition:
      return "nothing_counted";
    default:
      return "other";
  }
}

}  // namespace

AnswerMetrics::AnswerMetrics(Metrics& metrics)
    : refused_(metrics, "tombola_collector_answers_refused_total",
               "Answers that were asked for and not given, by cause.",
               // The first four for want of room: fair_share.h.
               {"calls", "bytes", "share", "size", "malformed", "unknown_task", "nothing_counted"}),
      seconds_(metrics.Seconds("tombola_collector_answer_seconds",
                               "Computing an answer, without sending it.")) {}

void AnswerMetrics::Refused(const absl::Status& status) {
  const std::string cause = RefusalCause(status);
  refused_.Add(cause.empty() ? CauseOf(status.code()) : absl::string_view(cause));
}

}  // namespace tombola::collector
