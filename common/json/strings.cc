#include "common/json/strings.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "common/json/columns.h"
#include "common/json/text.h"

namespace tombola {
namespace {

// The columns that a histogram has too, the strings being its labels.
v1::Histogram LabelledColumns(const v1::FrequentStrings& body) {
  v1::Histogram columns;
  for (int row = 0; row < body.values_size(); ++row) {
    columns.add_values(static_cast<uint64_t>(row));
    columns.add_labels(body.values(row));
  }
  *columns.mutable_frequencies() = body.frequencies();
  *columns.mutable_raw() = body.raw();
  *columns.mutable_standard_errors() = body.standard_errors();
  *columns.mutable_low() = body.low();
  *columns.mutable_high() = body.high();
  return columns;
}

// The members of an object, without its braces.
void AppendMembers(const Json& object, std::string* out) {
  const std::string text = ToText(object);
  out->append(text, 1, text.size() - 2);
}

}  // namespace

void AppendStringsJson(const v1::FrequentStrings& body, const std::vector<double>& truth,
                       std::string* out) {
  if (body.has_decoding()) {
    const v1::Decoding& decoding = body.decoding();
    AppendMembers(Json{{"decoding",
                        {{"ahead", decoding.ahead()},
                         {"level", decoding.level()},
                         {"levels", decoding.levels()},
                         {"share", decoding.share()}}}},
                  out);
    return;
  }
  Json levels = Json::array();
  for (const v1::StringLevel& level : body.levels()) {
    levels.push_back(
        {{"candidates", level.candidates()}, {"needed", level.needed()}, {"found", level.found()}});
  }
  AppendMembers(Json{{"threshold", body.threshold()},
                     {"least_holders", body.least_holders()},
                     {"false_strings", body.false_strings()},
                     {"tests", body.tests()},
                     {"complete", body.complete()},
                     {"moved_by_report", body.moved_by_report()},
                     {"dictionary", body.dictionary() == 0 ? Json() : Json(body.dictionary())},
                     {"levels", levels}},
                out);
  out->push_back(',');
  AppendBins(LabelledColumns(body), truth, out);
}

void Sort(BinOrder order, v1::FrequentStrings& body) {
  std::vector<int> rows(static_cast<size_t>(body.values_size()));
  std::iota(rows.begin(), rows.end(), 0);
  std::stable_sort(rows.begin(), rows.end(), [&](int a, int b) {
    return order == BinOrder::kFrequency ? body.raw(a) > body.raw(b)
                                         : body.values(a) < body.values(b);
  });
  Reorder(rows, body.mutable_values());
  for (auto* column : {body.mutable_frequencies(), body.mutable_raw(),
                       body.mutable_standard_errors(), body.mutable_low(), body.mutable_high()}) {
    Reorder(rows, column);
  }
}

std::string StringsCsv(const v1::FrequentStrings& body, const std::vector<double>& truth) {
  return ColumnsCsv(LabelledColumns(body), truth);
}

}  // namespace tombola
