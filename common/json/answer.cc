#include "common/json/answer.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "common/base/decimal.h"
#include "common/base/time_text.h"
#include "common/json/bodies.h"
#include "common/json/mechanism.h"
#include "common/json/strings.h"
#include "common/kind/of_kind.h"
#include "common/task/whole_life.h"

namespace tombola {
namespace {

constexpr absl::string_view kPrefix = "POSTPROCESS_";

Json QualityJson(const v1::Quality& quality) {
  Json warnings = Json::array();
  for (const v1::QualityWarning& warning : quality.warnings()) {
    warnings.push_back({{"kind", warning.kind()}, {"text", warning.text()}});
  }
  return {{"duplicates", quality.duplicates()},
          {"shift_per_dishonest", quality.shift_per_dishonest()},
          {"dishonest", quality.dishonest()},
          {"shift_at_dishonest_share", quality.shift_at_dishonest_share()},
          {"warnings", std::move(warnings)}};
}

Json IdOrNull(const std::string& id) {
  return id.empty() ? Json() : Json(absl::BytesToHexString(id));
}

Json CaptionJson(const v1::Caption& caption) {
  return {{"name", caption.name()},
          {"as_of", caption.as_of() == 0 ? Json() : Json(AsOfText(caption))},
          {"confidence", caption.confidence()},
          {"postprocess", PostprocessName(caption.postprocess())},
          {"supersedes", IdOrNull(caption.supersedes())},
          {"superseded_by", IdOrNull(caption.superseded_by())}};
}

// The name of the body that is there; empty: none is.
std::string KindOf(const v1::Answer& answer) {
  const auto* const body = v1::Answer::descriptor()->FindFieldByNumber(answer.body_case());
  return body == nullptr ? "" : body->name();
}

// None where there is no body.
const BodyForms* FormsOf(const v1::Answer& answer) {
  const std::string kind = KindOf(answer);
  return kind.empty() ? nullptr : &OfKind(AllBodyForms(), kind);
}

}  // namespace

Json PeriodsJson(const v1::Answer& answer) {
  if (!answer.has_periods()) return Json();
  const v1::Periods& periods = answer.periods();
  Json runs = Json::array();
  for (const v1::PeriodRun& run : periods.missing_runs()) {
    runs.push_back({{"first", run.first()}, {"last", run.last()}});
  }
  return {{"first", periods.first()},
          {"last", periods.last()},
          {"begins", TimeText(absl::FromUnixSeconds(periods.begins()))},
          {"ends", TimeText(absl::FromUnixSeconds(periods.ends()))},
          {"counted", periods.counted()},
          {"missing", periods.missing()},
          {"missing_runs", std::move(runs)}};
}

Json RejectedJson(const v1::Rejected& rejected) {
  const auto& causes = *v1::Rejected::descriptor();
  Json json = Json::object();
  for (int i = 0; i < causes.field_count(); ++i) {
    json[causes.field(i)->name()] = rejected.GetReflection()->GetUInt64(rejected, causes.field(i));
  }
  return json;
}

uint64_t Total(const v1::Rejected& rejected) {
  return rejected.unopened() + rejected.malformed() + rejected.out_of_range();
}

Json GuaranteeJson(const v1::Guarantee& guarantee) {
  const v1::Guarantee& g = guarantee;
  Json json = {{"epsilon", FiniteOrNull(g.epsilon())},
               {"delta", g.delta()},
               {"local_epsilon", g.has_local_epsilon() ? Json(g.local_epsilon()) : Json()},
               {"users", g.users()},
               {"method", g.method()},
               {"batches", g.batches()},
               {"submissions_per_device", g.submissions_per_device()},
               {"batch_epsilon", FiniteOrNull(g.batch_epsilon())},
               {"batch_delta", g.batch_delta()},
               {"dishonest", g.dishonest_share()},
               {"epsilon_foreign_10", FiniteOrNull(g.epsilon_foreign_10())},
               {"delta_foreign_10", g.delta_foreign_10()},
               {"epsilon_foreign_50", FiniteOrNull(g.epsilon_foreign_50())},
               {"delta_foreign_50", g.delta_foreign_50()},
               {"reason", g.reason().empty() ? Json() : Json(g.reason())},
               {"warning", g.warning().empty() ? Json() : Json(g.warning())},
               {"total_epsilon", FiniteOrNull(g.total_epsilon())},
               {"total_delta", g.total_delta()},
               {"total_submissions", g.total_submissions()}};
  if (g.accounted_users() > 0) json["accounted_users"] = g.accounted_users();
  return json;
}

std::string AnswerJson(const v1::Answer& answer, const Truth& truth) {
  return AnswerJson(answer, truth, Json::object());
}

std::string AnswerJson(const v1::Answer& answer, const Truth& truth, const Json& more) {
  if (answer.strings().has_decoding()) {
    // There is nothing yet that a guarantee could be of.
    std::string under_way =
        ToText(Json{{"task", absl::BytesToHexString(answer.task_id())}, {"kind", KindOf(answer)}});
    under_way.back() = ',';
    AppendStringsJson(answer.strings(), {}, &under_way);
    under_way.push_back('}');
    return under_way;
  }
  Json before = {{"task", absl::BytesToHexString(answer.task_id())}, {"kind", KindOf(answer)}};
  before.update(CaptionJson(answer.caption()));
  before.update(Json{{"periods", PeriodsJson(answer)},
                     {"reports", answer.reports()},
                     {"messages", answer.messages()},
                     {"fakes", answer.fakes()},
                     {"rejected", Total(answer.rejected())},
                     {"rejected_by_cause", RejectedJson(answer.rejected())}});
  Json after = {{"guarantee", GuaranteeJson(answer.guarantee())},
                {"quality", QualityJson(answer.quality())}};
  after.update(more);
  // The two objects become one, with the body's members between theirs.
  std::string out = ToText(before);
  out.pop_back();
  if (const BodyForms* const forms = FormsOf(answer); forms != nullptr) {
    out.push_back(',');
    forms->append_json(answer, truth, &out);
  }
  out.push_back(',');
  out.append(ToText(after), 1);
  return out;
}

std::string AnswerCsv(const v1::Answer& answer, const Truth& truth) {
  const BodyForms* const forms = FormsOf(answer);
  return forms == nullptr ? "" : forms->csv(answer, truth);
}

const std::vector<std::string>& PostprocessNames() {
  static const auto* const names = [] {
    auto* const all = new std::vector<std::string>;
    const auto& listed = *v1::Postprocess_descriptor();
    for (int i = 0; i < listed.value_count(); ++i) {
      if (listed.value(i)->number() == v1::POSTPROCESS_UNSPECIFIED) continue;
      all->push_back(absl::AsciiStrToLower(absl::StripPrefix(listed.value(i)->name(), kPrefix)));
    }
    return all;
  }();
  return *names;
}

std::string PostprocessName(v1::Postprocess postprocess) {
  return absl::AsciiStrToLower(absl::StripPrefix(v1::Postprocess_Name(postprocess), kPrefix));
}

std::string AsOfText(const v1::Caption& caption) {
  return TimeText(absl::FromUnixSeconds(caption.as_of()));
}

std::vector<std::string> CaptionLines(const v1::Answer& answer) {
  const v1::Caption& caption = answer.caption();
  const v1::Guarantee& g = answer.guarantee();
  std::vector<std::string> lines = {
      absl::StrCat("name: ", caption.name()),
      absl::StrCat("task: ", absl::BytesToHexString(answer.task_id())),
      absl::StrCat("kind: ", KindOf(answer), ", ", answer.reports(), " reports"),
      absl::StrCat("as of: ", caption.as_of() == 0 ? "not known" : AsOfText(caption)),
      absl::StrCat("confidence: ", PercentText(caption.confidence(), 4), " %"),
      absl::StrCat("post-processing: ", PostprocessName(caption.postprocess())),
      absl::StrCat("guarantee: ", PairText({g.epsilon(), g.delta()}), " ",
                   OverSubmissions(g.submissions_per_device())),
      absl::StrCat("total: ",
                   WholeLifeText({g.total_epsilon(), g.total_delta()}, g.total_submissions()))};
  if (!caption.supersedes().empty()) {
    lines.push_back(absl::StrCat("supersedes: ", absl::BytesToHexString(caption.supersedes())));
  }
  if (!caption.superseded_by().empty()) {
    lines.push_back(
        absl::StrCat("superseded by: ", absl::BytesToHexString(caption.superseded_by())));
  }
  return lines;
}

std::optional<v1::Postprocess> PostprocessFromName(absl::string_view name) {
  for (const std::string& known : PostprocessNames()) {
    if (known != name) continue;
    v1::Postprocess found = v1::POSTPROCESS_UNSPECIFIED;
    v1::Postprocess_Parse(absl::StrCat(kPrefix, absl::AsciiStrToUpper(name)), &found);
    return found;
  }
  return std::nullopt;
}

std::optional<uint64_t> PeriodFromText(absl::string_view text) {
  constexpr size_t kMostDigits = 13;  // 2^40 has as many
  uint64_t period = 0;
  const bool digits = !text.empty() && text.size() <= kMostDigits &&
                      text.find_first_not_of("0123456789") == absl::string_view::npos;
  if (!digits || !absl::SimpleAtoi(text, &period) || period < 1) return std::nullopt;
  return period;
}

}  // namespace tombola
