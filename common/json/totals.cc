#include "common/json/totals.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/json/csv.h"

namespace tombola {
namespace {

constexpr absl::string_view kPrefix = "TOTALS_QUANTITY_";

}  // namespace

std::string NameOf(v1::TotalsQuantity quantity) {
  return absl::AsciiStrToLower(absl::StripPrefix(v1::TotalsQuantity_Name(quantity), kPrefix));
}

v1::TotalsQuantity TotalsQuantityFromName(absl::string_view name) {
  for (const auto quantity : {v1::TOTALS_QUANTITY_PARTICIPANTS, v1::TOTALS_QUANTITY_REJECTED}) {
    if (NameOf(quantity) == name) return quantity;
  }
  return v1::TOTALS_QUANTITY_UNSPECIFIED;
}

Json TotalsInfoJson(const v1::TotalsInfo& info) {
  const bool known = info.trouble().empty();
  const auto if_known = [known](Json value) { return known ? std::move(value) : Json(); };
  return {{"of", NameOf(info.of())},
          {"structure", if_known(info.structure())},
          {"epsilon", if_known(info.epsilon())},
          {"delta", if_known(info.delta())},
          {"submission_epsilon", if_known(info.submission_epsilon())},
          {"submissions_per_device", info.submissions_per_device()},
          {"sensitivity", if_known(info.sensitivity())},
          {"periods", info.periods()},
          {"published", if_known(info.published())},
          {"ended", if_known(info.ended())},
          {"mean_variance", if_known(info.mean_variance())},
          {"trouble", known ? Json() : Json(info.trouble())}};
}

Json TotalsJson(const v1::Totals& totals) {
  Json json = {{"task", absl::BytesToHexString(totals.task_id())}};
  json.update(TotalsInfoJson(totals.info()));
  Json rows = Json::array();
  for (int i = 0; i < totals.totals_size(); ++i) {
    rows.push_back({{"period", totals.first() + static_cast<uint64_t>(i)},
                    {"total", totals.totals(i)},
                    {"stderr", totals.standard_errors(i)},
                    {"low", totals.low(i)},
                    {"high", totals.high(i)}});
  }
  json["rows"] = std::move(rows);
  return json;
}

std::string TotalsCsv(const v1::Totals& totals) {
  std::string text = "period,total,stderr,low,high\r\n";
  for (int i = 0; i < totals.totals_size(); ++i) {
    absl::StrAppend(&text, totals.first() + static_cast<uint64_t>(i), ",", totals.totals(i), ",",
                    CsvNumber(totals.standard_errors(i)), ",", totals.low(i), ",", totals.high(i),
                    "\r\n");
  }
  return text;
}

}  // namespace tombola
