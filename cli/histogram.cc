#include "cli/histogram.h"

#include "absl/strings/escaping.h"
#include "cli/mechanism_json.h"

namespace tombola::cli {

using Json = nlohmann::ordered_json;

namespace {

Json ByCause(const v1::Rejected& rejected) {
  return {{"unopened", rejected.unopened()},
          {"malformed", rejected.malformed()},
          {"out_of_range", rejected.out_of_range()}};
}

}  // namespace

Json HistogramJson(const v1::Histogram& histogram, const std::vector<double>& truth) {
  Json bins = Json::array();
  for (int row = 0; row < histogram.values_size(); ++row) {
    Json bin;
    if (histogram.labels().empty()) {
      bin["value"] = histogram.values(row);
    } else {
      bin["value"] = histogram.labels(row);
    }
    bin["frequency"] = histogram.frequencies(row);
    bin["raw"] = histogram.raw(row);
    bin["stderr"] = histogram.standard_errors(row);
    bin["low"] = histogram.low(row);
    bin["high"] = histogram.high(row);
    if (!truth.empty()) bin["truth"] = truth[static_cast<size_t>(row)];
    bins.push_back(std::move(bin));
  }
  const v1::Guarantee& g = histogram.guarantee();
  const v1::Rejected& rejected = histogram.rejected();
  Json guarantee = {{"epsilon", g.epsilon()},
                    {"delta", g.delta()},
                    {"local_epsilon", g.has_local_epsilon() ? Json(g.local_epsilon()) : Json()},
                    {"users", g.users()},
                    {"method", g.method()},
                    {"batches", g.batches()},
                    {"submissions_per_device", g.submissions_per_device()},
                    {"batch_epsilon", g.batch_epsilon()},
                    {"dishonest", g.dishonest_share()},
                    {"epsilon_foreign_10", FiniteOrNull(g.epsilon_foreign_10())},
                    {"epsilon_foreign_50", FiniteOrNull(g.epsilon_foreign_50())}};
  if (g.accounted_users() > 0) guarantee["accounted_users"] = g.accounted_users();
  const v1::Quality& q = histogram.quality();
  Json warnings = Json::array();
  for (const v1::QualityWarning& warning : q.warnings()) {
    warnings.push_back({{"kind", warning.kind()}, {"text", warning.text()}});
  }
  Json quality = {{"refused", ByCause(q.refused())},
                  {"duplicates", q.duplicates()},
                  {"shift_per_dishonest", q.shift_per_dishonest()},
                  {"dishonest", q.dishonest()},
                  {"shift_at_dishonest_share", q.shift_at_dishonest_share()},
                  {"warnings", std::move(warnings)}};
  return Json{{"task", absl::BytesToHexString(histogram.task_id())},
              {"reports", histogram.submissions()},
              {"messages", histogram.reports()},
              {"fakes", histogram.fakes()},
              {"rejected", rejected.unopened() + rejected.malformed() + rejected.out_of_range()},
              {"rejected_by_cause", ByCause(rejected)},
              {"bins", std::move(bins)},
              {"guarantee", std::move(guarantee)},
              {"quality", std::move(quality)}};
}

}  // namespace tombola::cli
