#include "common/json/bodies.h"

#include "common/json/histogram.h"
#include "common/json/key_value.h"
#include "common/json/number.h"
#include "common/json/records.h"
#include "common/json/set.h"
#include "common/json/stream.h"
#include "common/json/strings.h"
#include "common/kind/histogram.h"
#include "common/kind/key_value.h"
#include "common/kind/number.h"
#include "common/kind/records.h"
#include "common/kind/set.h"
#include "common/kind/stream.h"
#include "common/kind/strings.h"

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
      {.kind = Set::kName,
       .append_json = [](const v1::Answer& answer, const Truth& truth,
                         std::string* out) { AppendSetJson(answer.set(), truth.frequencies, out); },
       .csv = [](const v1::Answer& answer,
                 const Truth& truth) { return SetCsv(answer.set(), truth.frequencies); }},
      {.kind = KeyValueKind::kName,
       .append_json = [](const v1::Answer& answer, const Truth& truth,
                         std::string* out) { AppendKeyValuesJson(answer.key_value(), truth, out); },
       .csv = [](const v1::Answer& answer,
                 const Truth& truth) { return KeyValuesCsv(answer.key_value(), truth); }},
      {.kind = NumberKind::kName,
       .append_json = [](const v1::Answer& answer, const Truth& truth,
                         std::string* out) { AppendNumbersJson(answer.number(), truth, out); },
       .csv = [](const v1::Answer& answer,
                 const Truth& truth) { return NumbersCsv(answer.number(), truth); }},
      {.kind = RecordsKind::kName,
       .append_json = [](const v1::Answer& answer, const Truth& truth,
                         std::string* out) { AppendRecordsJson(answer.records(), truth, out); },
       .csv = [](const v1::Answer& answer, const Truth&) { return RecordsCsv(answer.records()); }},
      {.kind = StreamKind::kName,
       .append_json =
           [](const v1::Answer& answer, const Truth& truth, std::string* out) {
             AppendStreamJson(answer.stream(), truth.frequencies, out);
           },
       .csv = [](const v1::Answer& answer,
                 const Truth& truth) { return StreamCsv(answer.stream(), truth.frequencies); }},
      {.kind = StringsKind::kName,
       .append_json =
           [](const v1::Answer& answer, const Truth& truth, std::string* out) {
             AppendStringsJson(answer.strings(), truth.frequencies, out);
           },
       .csv = [](const v1::Answer& answer,
                 const Truth& truth) { return StringsCsv(answer.strings(), truth.frequencies); }},
  };
  return all;
}

}  // namespace tombola
