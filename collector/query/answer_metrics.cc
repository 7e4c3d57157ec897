#include "collector/query/answer_metrics.h"

namespace tombola::collector {

AnswerMetrics::AnswerMetrics(Metrics& metrics)
    : refused_(metrics, "tombola_collector_answers_refused_total",
               "Answers that were asked for and not given, by cause.",
               // The first four for want of room: fair_share.h.
               {"calls", "bytes", "share", "size", "malformed", "unknown_task", "nothing_counted"}),
      seconds_(metrics.Seconds("tombola_collector_answer_seconds",
                               "Computing an answer, without sending it.")) {}

void AnswerMetrics::Refused(const absl::Status& status) { refused_.AddRefusal(status); }

}  // namespace tombola::collector
