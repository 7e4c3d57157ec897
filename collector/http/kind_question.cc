#include "collector/http/kind_question.h"

#include <nlohmann/json.hpp>

#include "collector/http/number_question.h"
#include "collector/http/records_question.h"
#include "collector/http/rows_question.h"
#include "collector/http/stream_question.h"
#include "collector/http/strings_question.h"
#include "common/kind/histogram.h"
#include "common/kind/key_value.h"
#include "common/kind/number.h"
#include "common/kind/records.h"
#include "common/kind/set.h"
#include "common/kind/stream.h"
#include "common/kind/strings.h"

namespace tombola::collector {

Json KindQuestion::Besides(const v1::Answer&) const { return Json::object(); }

const std::vector<QuestionReader>& AllQuestionReaders() {
  static const auto& all = *new std::vector<QuestionReader>{
      {.kind = Histogram::kName, .usual_postprocess = "pop", .read = &ReadHistogramQuestion},
      {.kind = Set::kName, .usual_postprocess = "clip", .read = &ReadSetQuestion},
      {.kind = KeyValueKind::kName, .usual_postprocess = "clip", .read = &ReadKeyValueQuestion},
      {.kind = NumberKind::kName, .usual_postprocess = "pop", .read = &ReadNumberQuestion},
      {.kind = RecordsKind::kName, .usual_postprocess = "none", .read = &ReadRecordsQuestion},
      {.kind = StreamKind::kName, .usual_postprocess = "pop", .read = &ReadStreamQuestion},
      {.kind = StringsKind::kName, .usual_postprocess = "clip", .read = &ReadStringsQuestion},
  };
  return all;
}

}  // namespace tombola::collector
