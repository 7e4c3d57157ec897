// tombola query
#include <CLI/CLI.hpp>
#include <functional>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/command/command.h"
#include "cli/connect/connection.h"
#include "cli/connect/named_task.h"
#include "cli/query/answer_text.h"
#include "cli/query/ask.h"
#include "cli/query/face.h"
#include "cli/query/lineage.h"
#include "cli/query/options.h"
#include "cli/query/totals.h"
#include "cli/task/request.h"
#include "cli/terminal/out_file.h"
#include "common/base/time_text.h"
#include "common/json/answer.h"
#include "common/json/stream.h"
#include "common/kind/number.h"
#include "common/kind/records.h"
#include "common/kind/stream.h"
#include "common/kind/strings.h"
#include "common/task/task.h"

namespace tombola::cli {
namespace {

void WriteAnswer(QueryOptions options, const v1::Answer& answer, const Task& task,
                 const Truth& truth, std::ostream& out) {
  const QueryFace& face = QueryFaceOf(task);
  // So that what is written says how.
  if (options.postprocess.empty()) options.postprocess = std::string(UsualPostprocess(task));
  if (options.format == "json") {
    const Json more = options.series ? SeriesOfOne(answer.stream()) : Json::object();
    out << AnswerJson(answer, truth, more) << "\n";
  } else if (options.format == "csv") {
    if (options.describe) {
      for (const std::string& line : CaptionLines(answer)) out << "# " << line << "\r\n";
    }
    out << AnswerCsv(answer, truth);
    // Rows alone have no place for it, and every answer says what it guarantees.
    std::cerr << face.beside_rows(options, answer, task) << DescribeGuarantee(answer)
              << DescribeQuality(answer) << DescribeLineage(answer);
  } else if (options.format == "svg") {
    face.write_chart(options, answer, task, truth, out);
  } else {
    face.write_table(options, answer, task, truth, out);
    out << "\n" << DescribeGuarantee(answer) << DescribeQuality(answer) << DescribeLineage(answer);
  }
}

// An end of a range of periods: a number, a time, or nothing.
struct RangeEnd {
  std::optional<uint64_t> period;
  std::optional<absl::Time> moment;

  // Unix seconds; 0 where there are none.
  int64_t seconds() const { return moment.has_value() ? WholeSeconds(*moment) : 0; }
};

absl::StatusOr<RangeEnd> RangeEndOf(const char* flag, const std::string& text) {
  RangeEnd end;
  if (text.empty()) return end;
  end.period = PeriodFromText(text);
  if (!end.period.has_value()) end.moment = ParseMoment(text);
  if (!end.period.has_value() && !end.moment.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat(flag, " must be the number of a period, from 1 on, or ", kMomentForm));
  }
  return end;
}

absl::Status SetPeriods(const QueryOptions& options, v1::GetAnswerRequest* request) {
  request->set_first_period(options.at > 0 ? 1 : options.period);
  request->set_last_period(options.at > 0 ? options.at : options.period);
  TOMBOLA_ASSIGN_OR_RETURN(const RangeEnd since, RangeEndOf("--since", options.since));
  TOMBOLA_ASSIGN_OR_RETURN(const RangeEnd until, RangeEndOf("--until", options.until));
  if ((since.period.has_value() && until.moment.has_value()) ||
      (since.moment.has_value() && until.period.has_value())) {
    return absl::InvalidArgumentError(
        "--since and --until must both be numbers of periods, or both times");
  }
  if (since.period.has_value() && until.period.has_value() && *since.period > *until.period) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--since ", *since.period, " is after --until ", *until.period,
        ": they are the first and the last period as numbers, or a beginning and an end as times"));
  }
  if (since.period.has_value() || until.period.has_value()) {
    request->set_first_period(since.period.value_or(0));
    request->set_last_period(until.period.value_or(0));
    return absl::OkStatus();
  }
  request->set_since(since.seconds());
  request->set_until(until.seconds());
  return absl::OkStatus();
}

absl::Status CheckOfKind(const QueryOptions& options, const Task& task) {
  const bool number = task.kind().OfOneBatch().name() == NumberKind::kName;
  const bool records = task.kind().name() == RecordsKind::kName;
  const bool stream = task.kind().name() == StreamKind::kName;
  const auto refuse = [&](absl::string_view flags, absl::string_view kinds) {
    return absl::InvalidArgumentError(absl::StrCat(
        flags, " for tasks ", kinds, "; this one is of the kind ", task.kind().name()));
  };
  if (!number && options.bins.has_value()) return refuse("--bins is", "about numbers");
  if (!records && (!options.by.empty() || !options.measure.empty() || options.independence)) {
    return refuse("--by, --measure and --independence are", "of records");
  }
  if (!records && !options.schema.empty()) return refuse("--schema is", "of records");
  if (!stream && (options.at > 0 || options.series || options.single)) {
    return refuse("--at, --series and --single are", "of streams");
  }
  const bool strings = task.kind().name() == StringsKind::kName;
  if (!strings && (!options.dictionary.empty() || options.false_strings.has_value())) {
    return refuse("--dictionary and --false-strings are", "about strings");
  }
  if (options.single && !options.series) {
    return absl::InvalidArgumentError("--single must be together with --series");
  }
  if (stream && !options.where.empty()) {
    return absl::InvalidArgumentError("--where is not for streams");
  }
  if (!number && !records && (!options.quantile.empty() || !options.where.empty())) {
    return refuse("--quantile and --where are", "about numbers or of records");
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::GetAnswerRequest> MakeRequest(const QueryOptions& options, const Task& task) {
  v1::GetAnswerRequest request;
  request.set_task_id(std::string(AsView(task.id())));
  request.set_confidence(options.confidence);
  request.set_postprocess(
      PostprocessFromName(options.postprocess).value_or(v1::POSTPROCESS_UNSPECIFIED));
  TOMBOLA_RETURN_IF_ERROR(SetPeriods(options, &request));
  TOMBOLA_RETURN_IF_ERROR(CheckOfKind(options, task));
  TOMBOLA_RETURN_IF_ERROR(QueryFaceOf(task).ask(options, task, &request));
  return request;
}

struct TaskAnswer {
  std::shared_ptr<const Task> task;
  v1::Answer answer;
  Truth truth = {};
};

absl::StatusOr<TaskAnswer> AnswerTask(v1::CollectorQuery::Stub& stub, QueryOptions options,
                                      const TaskId& id) {
  TaskAnswer answered;
  TOMBOLA_ASSIGN_OR_RETURN(answered.task, FetchTask(stub, id));
  const QueryFace& face = QueryFaceOf(*answered.task);
  if (options.postprocess.empty())
    options.postprocess = std::string(UsualPostprocess(*answered.task));
  TOMBOLA_ASSIGN_OR_RETURN(const v1::GetAnswerRequest request,
                           MakeRequest(options, *answered.task));
  TOMBOLA_ASSIGN_OR_RETURN(answered.answer, Ask(stub, request, options.wait));
  if (!options.sort.empty()) {
    face.sort(options.sort == "value" ? BinOrder::kValue : BinOrder::kFrequency, &answered.answer);
  }
  if (!options.truth.empty()) {
    TOMBOLA_ASSIGN_OR_RETURN(answered.truth, face.truth(options, answered.answer, *answered.task));
  }
  return answered;
}

absl::Status Deliver(const QueryOptions& options,
                     const std::function<void(std::ostream& out)>& write) {
  if (options.out.empty()) {
    write(std::cout);
    return absl::OkStatus();
  }
  std::ostringstream content;
  write(content);
  return WriteOut(options.out, content.str());
}

// The answers of all tasks that superseded each other, the first one's first. One of which nothing
// is counted says so in its place.
absl::Status QueryLineage(const QueryOptions& options, v1::CollectorQuery::Stub& stub,
                          const TaskId& id) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<TaskId> lineage, LineageOf(stub, id));
  std::vector<absl::StatusOr<TaskAnswer>> answers;
  for (const TaskId& one : lineage) {
    answers.push_back(AnswerTask(stub, options, one));
    if (!answers.back().ok() && !absl::IsFailedPrecondition(answers.back().status())) {
      return answers.back().status();
    }
  }
  return Deliver(options, [&](std::ostream& out) {
    const bool json = options.format == "json";
    if (json) out << "{\"lineage\":[";
    for (size_t i = 0; i < lineage.size(); ++i) {
      const auto& one = answers[i];
      if (json) {
        out << (i == 0 ? "" : ",")
            << (one.ok() ? AnswerJson(one->answer, one->truth)
                         : ToText(Json{{"task", ToHex(lineage[i])},
                                       {"error", std::string(one.status().message())}}));
        continue;
      }
      out << (i == 0 ? "" : "\n") << i + 1 << ". " << ToHex(lineage[i]) << "\n";
      if (one.ok()) {
        WriteAnswer(options, one->answer, *one->task, one->truth, out);
      } else {
        out << one.status().message() << "\n";
      }
    }
    if (json) out << "]}\n";
  });
}

absl::Status RunQuery(const QueryOptions& options) {
  if (options.participants || options.rejected) return RunTotals(options);
  if (options.describe && options.format != "csv") {
    return absl::InvalidArgumentError("--describe must be together with --format csv");
  }
  if (options.lineage && options.format != "table" && options.format != "json") {
    return absl::InvalidArgumentError("--lineage must be together with --format table or json");
  }
  if (options.lineage && (!options.truth.empty() || options.wait)) {
    return absl::InvalidArgumentError("--lineage must be without --truth and --wait");
  }
  if (!options.out.empty()) TOMBOLA_RETURN_IF_ERROR(CheckOut(options.out));
  TOMBOLA_ASSIGN_OR_RETURN(const Config config, Config::Load(options.config));
  TOMBOLA_ASSIGN_OR_RETURN(const auto stub, Analyst(config));
  TOMBOLA_ASSIGN_OR_RETURN(const TaskId id, FindTask(config, "--task", options.task));
  if (options.lineage) return QueryLineage(options, *stub, id);
  TOMBOLA_ASSIGN_OR_RETURN(const TaskAnswer one, AnswerTask(*stub, options, id));
  return Deliver(options, [&](std::ostream& out) {
    WriteAnswer(options, one.answer, *one.task, one.truth, out);
  });
}

}  // namespace

void AddQuery(CLI::App& app, const Choose& choose) {
  auto options = std::make_shared<QueryOptions>();
  CLI::App* query = app.add_subcommand("query", "The answer of a task, with its guarantee");
  AddConfigFlag(*query, &options->config);
  query->add_option("--task", options->task, kTaskFlagHelp)->required();
  query
      ->add_option("--top", options->top,
                   "The largest bins only, largest first; 0: all, in the domain's order [all; of "
                   "more than 50 the 50 largest in a table or a chart]")
      ->check(CLI::Range(uint64_t{0}, uint64_t{1} << 24));
  query->add_option(
      "--values", options->values,
      "These values only, separated by commas or each with its own --values; one that "
      "has commas is found whole [all]");
  query->add_option(
      "--quantile", options->quantile,
      "Of numbers: fractions in [0, 1], separated by commas; asked is below which "
      "numbers so large shares are [of a table or a chart 0.05,0.25,0.5,0.75,0.95,0.99]. Of "
      "records: of the one attribute that --by names");
  query->add_option(
      "--where", options->where,
      "Of numbers: value=A..B, only the devices whose number is in that range, from A "
      "to, not including, B; either may be left out. Of records: ATTRIBUTE=A..B or "
      "ATTRIBUTE=LABEL[,LABEL], each with its own --where; only those that meet all");
  query
      ->add_option("--bins", options->bins,
                   "Of numbers: so many bins at most, neighbours joined [all; 20 or fewer in a "
                   "table, 64 or fewer in a chart]")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 24));
  query->add_option("--measure", options->measure,
                    "Of records: the measure whose sum and average are asked for");
  query
      ->add_option(
          "--by", options->by,
          "Of records: one or two attributes, separated by commas; a cell for each of their "
          "values")
      ->delimiter(',');
  query->add_flag("--independence", options->independence,
                  "Of records: test whether the two attributes of --by are independent");
  query
      ->add_option(
          "--postprocess", options->postprocess,
          "pop: projection on the simplex; none: the unbiased estimates; norm_sub: what could "
          "be noise becomes 0, the rest is projected; base_cut: the same without the "
          "projection; em: the most likely frequencies; clip: each for itself, into [0, 1] [pop; "
          "clip of "
          "set, key_value and strings, which take no other; none of records]")
      ->check(CLI::IsMember(PostprocessNames()));
  query->add_option("--confidence", options->confidence, "Of each bin's interval, in (0, 1)")
      ->capture_default_str();
  auto* period = query->add_option("--period", options->period,
                                   "This period only, of a task that has periods; the first is 1");
  period->check(CLI::Range(uint64_t{1}, uint64_t{1} << 40));
  query
      ->add_option("--since", options->since,
                   "Only periods that begin at this time, such as 2026-11-17T13:26:00Z or "
                   "2026-11-17, or later; or the number of the first")
      ->excludes(period);
  auto* until =
      query->add_option("--until", options->until,
                        "Only periods that begin before this time; or the number of the last");
  until->excludes(period);
  query
      ->add_option("--at", options->at,
                   "Of a stream: the total of all periods up to this one [the last that is over]")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 40))
      ->excludes(period)
      ->excludes(until)
      ->excludes("--since");
  query->add_flag("--series", options->series,
                  "Of a stream: a total for each period, all from the first on");
  query->add_flag("--single", options->single,
                  "With --series: each period by itself instead of totals");
  query->add_option("--dictionary", options->dictionary,
                    "Of strings: a file with one a line, as for report --input; only these are "
                    "looked up, and of them fewer holders are enough [all that there may be]");
  query
      ->add_option("--false-strings", options->false_strings,
                   "Of strings: the probability that one is shown that nobody holds, in (0, 1) "
                   "[0.05]")
      ->check(CLI::Range(1e-12, 1 - 1e-12));
  query->add_flag("--participants", options->participants,
                  "Instead: how many took part up to each period, with noise that hides each of "
                  "them, of a task with --trusted-totals");
  query->add_flag("--rejected", options->rejected,
                  "Instead: likewise how many reports were refused");
  CLI::Option* truth = query->add_option(
      "--truth", options->truth,
      "File with one device a line, as for report --input, drawn beside the answer");
  query
      ->add_option("--schema", options->schema,
                   "Of records: joins the lines of --truth with the tables of this schema file, as "
                   "report --schema does")
      ->needs(truth);
  query
      ->add_option("--sort", options->sort,
                   "frequency: the largest first; value: in the domain's order [frequency with "
                   "--top, else value]")
      ->check(CLI::IsMember({"frequency", "value"}));
  CLI::Option* format =
      query
          ->add_option("--format", options->format,
                       "table: for people; csv: the bins (RFC 4180), the guarantee on standard "
                       "error; json: everything; svg: a chart")
          ->check(CLI::IsMember({"table", "csv", "json", "svg"}))
          ->capture_default_str();
  query
      ->add_flag_callback(
          "--json", [options] { options->format = "json"; },
          "One JSON object on standard output: --format json")
      ->excludes(format);
  query->add_flag(
      "--describe", options->describe,
      "With --format csv: lines before the rows that begin with # and say the task, as of "
      "when, confidence, post-processing and guarantee");
  query->add_flag("--lineage", options->lineage,
                  "The answers of all tasks that superseded each other too, oldest first");
  query->add_flag("--wait", options->wait,
                  "Until there is an answer, instead of a refusal while no batch is counted");
  query->add_option("--out", options->out,
                    "Into this file, as a whole or not at all [standard output]");
  query->callback([options, choose] { choose([options] { return RunQuery(*options); }); });
}

}  // namespace tombola::cli
