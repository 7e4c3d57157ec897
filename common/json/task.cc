#include "common/json/task.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/escaping.h"
#include "common/base/half_width.h"
#include "common/base/time_text.h"
#include "common/json/mechanism.h"
#include "common/json/totals.h"
#include "common/kind/histogram.h"
#include "common/kind/key_value.h"
#include "common/kind/kind.h"
#include "common/kind/number.h"
#include "common/kind/records.h"
#include "common/kind/stream.h"
#include "common/kind/strings.h"
#include "common/task/task.h"
#include "common/task/whole_life.h"

namespace tombola {
namespace {

Json TextOrNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json RemarksJson(const v1::TaskInfo& info) {
  Json remarks = Json::array();
  for (const std::string& remark : info.remarks()) remarks.push_back(remark);
  return remarks;
}

// Of key-value pairs: the range of their numbers and how finely it is told.
Json LevelsJson(const Kind& task_kind) {
  const Kind& kind = task_kind.OfOneBatch();
  if (kind.name() != KeyValueKind::kName) return Json();
  const Levels& levels = static_cast<const KeyValueKind&>(kind).levels();
  return Json{{"low", levels.low}, {"high", levels.high}, {"count", levels.count}};
}

// In a list of tasks what has more entries than these is left out.
constexpr size_t kMostListed = 100;

enum class Form { kListed, kWhole };

// Of numbers: their bins and the tree above them, or their levels.
Json NumbersJson(const Kind& task_kind, Form form) {
  const Kind& kind = task_kind.OfOneBatch();
  if (kind.name() != NumberKind::kName) return Json();
  const NumberCells& cells = static_cast<const NumberKind&>(kind).cells();
  Json edges;
  const bool shown = form == Form::kWhole || cells.bins.size() < int64_t{kMostListed};
  if (cells.bins.unequal() && shown) {
    for (int64_t i = 0; i <= cells.bins.size(); ++i) edges.push_back(cells.bins.Edge(i));
  }
  return Json{{"low", cells.bins.low()},
              {"high", cells.bins.high()},
              {"bins", cells.bins.size()},
              {"equal", !cells.bins.unequal()},
              {"edges", edges},
              {"branching", cells.tree.branching()},
              {"levels", cells.tree.levels()},
              {"missing", cells.missing()},
              {"dithered", cells.levels.has_value()}};
}

Json AttributeJson(const Attribute& attribute, bool labels) {
  if (!attribute.bins.has_value()) {
    return Json{{"name", attribute.name},
                {"values", attribute.size()},
                {"labels", labels ? Json(attribute.labels) : Json()}};
  }
  return Json{{"name", attribute.name},
              {"low", attribute.bins->low()},
              {"high", attribute.bins->high()},
              {"bins", attribute.bins->size()}};
}

// Of records: what they have, and what can be asked about them.
Json RecordsJson(const Kind& kind, Form form) {
  if (kind.name() != RecordsKind::kName) return Json();
  const RecordCells& cells = static_cast<const RecordsKind&>(kind).cells();
  const RecordSchema& schema = cells.schema;
  size_t labels = 0;
  for (const Attribute& attribute : schema.attributes) labels += attribute.labels.size();
  Json attributes = Json::array();
  for (const Attribute& attribute : schema.attributes) {
    attributes.push_back(AttributeJson(attribute, form == Form::kWhole || labels <= kMostListed));
  }
  Json measures = Json::array();
  for (const Measure& measure : schema.measures) {
    measures.push_back({{"name", measure.name},
                        {"low", measure.levels.low},
                        {"high", measure.levels.high},
                        {"levels", measure.levels.count}});
  }
  Json views = Json::array();
  for (const RecordsView& view : cells.views) {
    Json names = Json::array();
    for (const size_t place : view.attributes) names.push_back(schema.attributes[place].name);
    views.push_back(
        {{"attributes", names},
         {"measure", view.measure.has_value() ? Json(schema.measures[*view.measure].name) : Json()},
         {"sizes", view.sizes},
         {"branching", view.tree.branching()},
         {"levels", view.tree.levels()},
         {"cells", view.cells()}});
  }
  return Json{{"max_records", schema.max_records},
              {"max_alike", schema.max_alike},
              {"attributes", attributes},
              {"measures", measures},
              {"views", views}};
}

// Of a stream: which periods are counted together, and what each such batch needs.
Json StreamJson(const Task& task, Form form) {
  if (task.nodes() == nullptr) return Json();
  const mechanism::Nodes& nodes = *task.nodes();
  const auto count = static_cast<uint64_t>(nodes.count());
  uint64_t covered = 0;
  Json list = Json::array();
  for (uint64_t node = 1; node <= count; ++node) {
    const uint64_t first = nodes.FirstPeriod(node);
    covered += node - first + 1;
    if (form == Form::kListed) continue;
    list.push_back({{"node", node},
                    {"first", first},
                    {"needed", nodes[node].smallest_batch},
                    {"honest", nodes[node].honest},
                    {"messages_per_user", nodes[node].scheme->expected_reports_per_submission()}});
  }
  const Kind& of = task.kind().OfOneBatch();
  return Json{{"periods", count},
              {"of", std::string(&of == &task.kind() ? Histogram::kName : of.name())},
              {"structure", static_cast<const StreamKind&>(task.kind()).StructureName()},
              {"most_nodes", nodes.Depth()},
              {"mean_nodes", static_cast<double>(covered) / static_cast<double>(count)},
              {"nodes", form == Form::kWhole ? list : Json()}};
}

absl::string_view SpellingName(strings::Spelling spelling) {
  if (spelling == strings::Spelling::kAsItIs) return "as_it_is";
  return spelling == strings::Spelling::kFolded ? "folded" : "composed";
}

// Of strings: what they are made of, and how they are searched for.
Json StringsJson(const Kind& kind) {
  if (kind.name() != StringsKind::kName) return Json();
  const auto& of = static_cast<const StringsKind&>(kind);
  const strings::Shape& shape = of.shape();
  return Json{{"alphabet", of.alphabet().of_bytes() ? Json() : Json(of.alphabet().characters())},
              {"length", shape.length()},
              {"step", shape.whole() ? Json() : Json(shape.step())},
              {"levels", shape.levels()},
              {"range", shape.range()},
              {"whole", shape.whole()},
              {"spelling", std::string(SpellingName(of.spelling()))},
              {"least_holders", of.least_holders()}};
}

Json JsonOf(const Task& task, const v1::TaskInfo& info, absl::Time now, Form form) {
  Json totals = Json::array();
  for (const v1::TotalsInfo& of : info.totals()) totals.push_back(TotalsInfoJson(of));
  Json parameters = ParametersJson(*task.scheme());
  if (const auto family = task.scheme()->parameters().family) {
    parameters["family"] = std::string(*family);
  }
  if (task.scheme()->memoised()) parameters["memo_values"] = task.kind().memo_values();
  const BatchPolicy& policy = task.batch_policy();
  const bool open = now >= task.not_before() && now < task.not_after();
  return Json{
      {"task", ToHex(task.id())},
      {"name", task.name()},
      {"kind", std::string(task.kind().name())},
      {"state", StateOf(task, info.closed(), now)},
      {"archived", info.archived()},
      {"supersedes", task.supersedes().has_value() ? Json(ToHex(*task.supersedes())) : Json()},
      {"superseded_by",
       info.superseded_by().empty() ? Json() : Json(absl::BytesToHexString(info.superseded_by()))},
      {"domain", task.domain().size()},
      {"levels", LevelsJson(task.kind())},
      {"numbers", NumbersJson(task.kind(), form)},
      {"records", RecordsJson(task.kind(), form)},
      {"stream", StreamJson(task, form)},
      {"strings", StringsJson(task.kind())},
      {"mechanism", std::string(task.scheme()->name())},
      {"parameters", parameters},
      {"epsilon", task.target().epsilon},
      {"delta", task.target().delta},
      {"local_epsilon", FiniteOrNull(task.scheme()->local_epsilon())},
      {"messages_per_user", task.scheme()->expected_reports_per_submission()},
      {"max_messages_per_user", task.scheme()->max_reports_per_submission()},
      {"users", policy.planned_submissions},
      {"min_batch", policy.smallest_batch},
      {"needed", info.needed()},
      {"dishonest", policy.dishonest_share},
      {"interval_seconds", absl::ToInt64Seconds(policy.interval)},
      {"merge_periods", policy.merge_periods},
      {"periods", task.periods().has_value() ? Json(task.periods()->count()) : Json()},
      {"present_period",
       open && task.periods().has_value() ? Json(task.periods()->At(now)) : Json()},
      {"retry_window_seconds", absl::ToInt64Seconds(policy.retry_window)},
      {"key_list_age_seconds", absl::ToInt64Seconds(task.key_list_age())},
      {"submissions_per_device", task.submissions_per_device()},
      {"totals", std::move(totals)},
      {"total_epsilon", FiniteOrNull(info.total_epsilon())},
      {"total_delta", info.total_delta()},
      {"total_reason", TextOrNull(info.total_reason())},
      {"warning", TextOrNull(info.warning())},
      {"remarks", RemarksJson(info)},
      {"begins", TimeText(task.not_before())},
      {"ends", TimeText(task.not_after())},
      {"predicted_mse", info.predicted_mse()},
      {"smallest_batch_mse", info.smallest_batch_mse()},
      {"predicted_half_width", HalfWidth95(info.predicted_mse())},
      {"smallest_batch_half_width", HalfWidth95(info.smallest_batch_mse())},
      {"reports", info.reports()},
      {"messages", info.messages()},
      {"fakes", info.fakes()},
      {"rejected", info.rejected()},
      {"counted_batches", info.counted_batches()},
      {"quarantined_batches", info.quarantined_batches()},
      {"expired_batches", info.expired_batches()},
      {"held_percent", info.held_percent()},
      {"expired", info.expired()}};
}

}  // namespace

Json TaskJson(const Task& task, const v1::TaskInfo& info, absl::Time now) {
  return JsonOf(task, info, now, Form::kListed);
}

Json WholeTaskJson(const Task& task, const v1::TaskInfo& info, absl::Time now) {
  Json json = JsonOf(task, info, now, Form::kWhole);
  json["labels"] = task.domain().labels();
  const auto other = task.domain().other();
  json["other"] = other.has_value() ? Json(task.domain().NameOf(*other)) : Json();
  return json;
}

}  // namespace tombola
