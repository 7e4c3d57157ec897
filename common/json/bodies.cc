#include "common/json/bodies.h"

#include "common/json/histogram.h"
#include "common/kind/histogram.h"

namespace tombola {

const std::vector<BodyForms>& AllBodyForms() {
  static const auto& all = *new std::vector<BodyForms>{
      {.kind = Histogram::kName,
       .append_json =
           [](const v1::Answer& answer, const Truth& truth, std::string* out) {
             AppendHistogramJson(answer.histogram(), truth.frequencies, out);
           },
       .csv =
           [](const v1::Answer& answer, const Truth& truth) {
             return HistogramCsv(answer.histogram(), truth.frequencies);
           }},
  };
  return all;
}

}  // namespace tombola
