#include "collector/http/kind_question.h"

#include "collector/http/histogram_question.h"
#include "common/kind/histogram.h"

namespace tombola::collector {

const std::vector<QuestionReader>& AllQuestionReaders() {
  static const auto& all = *new std::vector<QuestionReader>{
      {.kind = Histogram::kName, .usual_postprocess = "pop", .read = &HistogramQuestion::Read},
  };
  return all;
}

}  // namespace tombola::collector
