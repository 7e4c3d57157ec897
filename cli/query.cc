// tombola query
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/command.h"
#include "cli/connection.h"
#include "cli/draw.h"
#include "cli/histogram_chart.h"
#include "cli/out_file.h"
#include "cli/task_request.h"
#include "common/json/histogram.h"
#include "common/task/task.h"

namespace tombola::cli {
namespace {

constexpr std::pair<const char*, v1::Postprocess> kPostprocess[] = {
    {"none", v1::POSTPROCESS_NONE},
    {"pop", v1::POSTPROCESS_POP},
    {"norm_sub", v1::POSTPROCESS_NORM_SUB},
    {"base_cut", v1::POSTPROCESS_BASE_CUT},
    {"em", v1::POSTPROCESS_EM}};

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const auto& [name, wire] : kPostprocess) names.push_back(name);
  return names;
}

// Bins that a table or a chart shows unless --top says otherwise, and the most that a chart can.
constexpr uint64_t kUsualBins = 50;
constexpr uint64_t kMostDrawn = 1000;

struct Options {
  std::string config;
  std::string task;
  std::optional<uint64_t> top;
  std::vector<std::string> values;
  std::string postprocess = "pop";
  double confidence = 0.95;
  std::string sort;
  std::string truth;
  std::string format = "table";
  std::string out;

  // For people: the bins that are worth showing. Else all of them.
  bool drawn() const { return format == "table" || format == "svg"; }
};

// The true frequency of each row: what devices that hold the lines of the file would report.
absl::StatusOr<std::vector<double>> TruthFor(const v1::Histogram& histogram, const Domain& domain,
                                             const std::string& path) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<std::string> lines, ReadLines(path));
  if (lines.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("--truth: ", path, " must have a line"));
  }
  absl::flat_hash_map<uint64_t, int64_t> counts;
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto value = domain.IndexOf(lines[i]);
    if (!value.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--truth: line ", i + 1, " of ", path, ": ", value.status().message()));
    }
    ++counts[*value];
  }
  std::vector<double> truth;
  for (const uint64_t value : histogram.values()) {
    truth.push_back(static_cast<double>(counts[value]) / static_cast<double>(lines.size()));
  }
  return truth;
}

absl::StatusOr<std::shared_ptr<const Task>> FetchTask(v1::CollectorQuery::Stub& stub,
                                                      const TaskId& id) {
  v1::GetTaskInfoRequest request;
  request.set_task_id(std::string(AsView(id)));
  TOMBOLA_ASSIGN_OR_RETURN(const v1::TaskInfo info,
                           Call(stub, &v1::CollectorQuery::Stub::GetTask, request));
  return Task::Parse(info.task());
}

// One value, or several between commas.
absl::Status AddValues(const std::string& given, const Domain& domain,
                       v1::GetHistogramRequest* request) {
  if (const auto whole = domain.Find(given); whole.has_value()) {
    request->add_values(*whole);
    return absl::OkStatus();
  }
  for (const absl::string_view value : absl::StrSplit(given, ',')) {
    const auto index = domain.Find(std::string(value));
    if (!index.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--values: \"", value, "\" is not among the task's values"));
    }
    request->add_values(*index);
  }
  return absl::OkStatus();
}

// `task` is there if the options are about values or are drawn.
absl::StatusOr<v1::GetHistogramRequest> RequestFor(const Options& options, const TaskId& id,
                                                   const Task* task) {
  v1::GetHistogramRequest request;
  request.set_task_id(std::string(AsView(id)));
  request.set_confidence(options.confidence);
  for (const auto& [name, wire] : kPostprocess) {
    if (options.postprocess == name) request.set_postprocess(wire);
  }
  for (const std::string& given : options.values) {
    TOMBOLA_RETURN_IF_ERROR(AddValues(given, task->domain(), &request));
  }
  request.set_top(options.top.value_or(0));
  if (!options.drawn()) return request;
  auto bins = static_cast<uint64_t>(task->domain().size());
  if (!options.values.empty()) bins = static_cast<uint64_t>(request.values_size());
  if (!options.top.has_value() && options.values.empty() && bins > kUsualBins) {
    request.set_top(kUsualBins);
  }
  if (request.top() != 0) bins = std::min(bins, request.top());
  if (options.format == "svg" && bins > kMostDrawn) {
    return absl::InvalidArgumentError(
        absl::StrCat("--format svg draws at most ", kMostDrawn,
                     " bins: ask for fewer with --top, or take --format csv"));
  }
  return request;
}

void WriteTable(const Options& options, const v1::Histogram& histogram, const Task& task,
                const std::vector<double>& truth, std::ostream& out) {
  const bool terminal = options.out.empty();
  out << DrawHistogram(histogram, {.columns = terminal ? TerminalColumns() : 80,
                                   .colour = terminal && isatty(STDOUT_FILENO) != 0,
                                   .confidence = options.confidence,
                                   .truth = truth});
  const int64_t shown = histogram.values_size();
  if (!options.top.has_value() && options.values.empty() && shown < task.domain().size()) {
    out << "the " << shown << " largest of " << task.domain().size()
        << " bins: --top K shows K of them, --top 0 all\n";
  }
  out << "\n" << DescribeGuarantee(histogram) << DescribeQuality(histogram);
}

void WriteAnswer(const Options& options, const v1::Histogram& histogram, const Task* task,
                 const std::vector<double>& truth, std::ostream& out) {
  if (options.format == "json") {
    out << HistogramJson(histogram, truth) << "\n";
  } else if (options.format == "csv") {
    out << HistogramCsv(histogram, truth);
    // Bins alone have no place for it, and every answer says what it guarantees.
    std::cerr << DescribeGuarantee(histogram) << DescribeQuality(histogram);
  } else if (options.format == "svg") {
    out << DrawHistogramChart(histogram, {.title = task->name(),
                                          .postprocess = options.postprocess,
                                          .confidence = options.confidence,
                                          .domain = task->domain().size(),
                                          .truth = truth});
  } else {
    WriteTable(options, histogram, *task, truth, out);
  }
}

absl::Status RunQuery(const Options& options) {
  if (!options.out.empty()) TOMBOLA_RETURN_IF_ERROR(CheckOut(options.out));
  TOMBOLA_ASSIGN_OR_RETURN(const Config config, Config::Load(options.config));
  TOMBOLA_ASSIGN_OR_RETURN(const auto stub, Analyst(config));
  TOMBOLA_ASSIGN_OR_RETURN(const TaskId id, ParseTaskId(options.task));
  std::shared_ptr<const Task> task;
  if (options.drawn() || !options.values.empty() || !options.truth.empty()) {
    TOMBOLA_ASSIGN_OR_RETURN(task, FetchTask(*stub, id));
  }
  TOMBOLA_ASSIGN_OR_RETURN(const auto request, RequestFor(options, id, task.get()));
  TOMBOLA_ASSIGN_OR_RETURN(v1::Histogram histogram,
                           Call(*stub, &v1::CollectorQuery::Stub::GetHistogram, request));
  if (!options.sort.empty()) {
    Sort(options.sort == "value" ? BinOrder::kValue : BinOrder::kFrequency, histogram);
  }
  std::vector<double> truth;
  if (!options.truth.empty()) {
    TOMBOLA_ASSIGN_OR_RETURN(truth, TruthFor(histogram, task->domain(), options.truth));
  }
  if (options.out.empty()) {
    WriteAnswer(options, histogram, task.get(), truth, std::cout);
    return absl::OkStatus();
  }
  std::ostringstream content;
  WriteAnswer(options, histogram, task.get(), truth, content);
  return WriteOut(options.out, content.str());
}

}  // namespace

void AddQuery(CLI::App& app, const Choose& choose) {
  auto options = std::make_shared<Options>();
  CLI::App* query = app.add_subcommand("query", "The histogram of a task, with its guarantee");
  query->add_option("--config", options->config, "tombola.json of the deployment")->required();
  query->add_option("--task", options->task, "The task's id")->required();
  query
      ->add_option("--top", options->top,
                   "The largest bins only, largest first; 0: all, in the domain's order [all; of "
                   "more than 50 the 50 largest in a table or a chart]")
      ->check(CLI::Range(uint64_t{0}, uint64_t{1} << 24));
  query->add_option(
      "--values", options->values,
      "These values only, separated by commas or each with its own --values; one that "
      "has commas is found whole [all]");
  query
      ->add_option(
          "--postprocess", options->postprocess,
          "pop: projection on the simplex; none: the unbiased estimates; norm_sub: what could "
          "be noise becomes 0, the rest is projected; base_cut: the same without the "
          "projection; em: the most likely frequencies")
      ->check(CLI::IsMember(Names()))
      ->capture_default_str();
  query->add_option("--confidence", options->confidence, "Of each bin's interval, in (0, 1)")
      ->capture_default_str();
  query->add_option("--truth", options->truth,
                    "File with one true value a line, drawn beside the answer");
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
  query->add_option("--out", options->out,
                    "Into this file, as a whole or not at all [standard output]");
  query->callback([options, choose] { choose([options] { return RunQuery(*options); }); });
}

}  // namespace tombola::cli
