// tombola query
#include <unistd.h>

#include <iostream>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "cli/command.h"
#include "cli/connection.h"
#include "cli/draw.h"
#include "cli/histogram.h"
#include "cli/task_request.h"
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

struct Options {
  std::string config;
  std::string task;
  uint64_t top = 0;
  std::vector<std::string> values;
  std::string postprocess = "pop";
  double confidence = 0.95;
  std::string truth;
  bool json = false;
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

absl::Status RunQuery(const Options& options) {
  TOMBOLA_ASSIGN_OR_RETURN(const Config config, Config::Load(options.config));
  TOMBOLA_ASSIGN_OR_RETURN(const auto stub, Analyst(config));
  TOMBOLA_ASSIGN_OR_RETURN(const TaskId id, ParseTaskId(options.task));
  std::shared_ptr<const Task> task;
  if (!options.values.empty() || !options.truth.empty()) {
    TOMBOLA_ASSIGN_OR_RETURN(task, FetchTask(*stub, id));
  }
  v1::GetHistogramRequest request;
  request.set_task_id(std::string(AsView(id)));
  request.set_top(options.top);
  request.set_confidence(options.confidence);
  for (const auto& [name, wire] : kPostprocess) {
    if (options.postprocess == name) request.set_postprocess(wire);
  }
  for (const std::string& value : options.values) {
    const auto index = task->domain().Find(value);
    if (!index.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--values: ", value, " is not among the task's values"));
    }
    request.add_values(*index);
  }
  TOMBOLA_ASSIGN_OR_RETURN(const v1::Histogram histogram,
                           Call(*stub, &v1::CollectorQuery::Stub::GetHistogram, request));
  std::vector<double> truth;
  if (!options.truth.empty()) {
    TOMBOLA_ASSIGN_OR_RETURN(truth, TruthFor(histogram, task->domain(), options.truth));
  }
  if (options.json) {
    Print(HistogramJson(histogram, truth));
    return absl::OkStatus();
  }
  std::cout << DrawHistogram(histogram, {.columns = TerminalColumns(),
                                         .colour = isatty(STDOUT_FILENO) != 0,
                                         .confidence = options.confidence,
                                         .truth = truth})
            << "\n"
            << DescribeGuarantee(histogram) << DescribeQuality(histogram);
  return absl::OkStatus();
}

}  // namespace

void AddQuery(CLI::App& app, const Choose& choose) {
  auto options = std::make_shared<Options>();
  CLI::App* query = app.add_subcommand("query", "The histogram of a task, with its guarantee");
  query->add_option("--config", options->config, "tombola.json of the deployment")->required();
  query->add_option("--task", options->task, "The task's id")->required();
  query->add_option("--top", options->top, "The largest bins only, largest first [all]");
  query->add_option("--values", options->values, "These values only, separated by commas [all]")
      ->delimiter(',');
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
  query->add_flag("--json", options->json, "One JSON object on standard output");
  query->callback([options, choose] { choose([options] { return RunQuery(*options); }); });
}

}  // namespace tombola::cli
