// tombola query
#include <unistd.h>

#include <iostream>
#include <memory>

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

absl::StatusOr<std::vector<double>> TruthFor(const v1::Histogram& histogram,
                                             const std::string& path) {
  TOMBOLA_ASSIGN_OR_RETURN(const std::vector<std::string> lines, ReadLines(path));
  if (lines.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("--truth: ", path, " must have a line"));
  }
  absl::flat_hash_map<std::string, int64_t> counts;
  for (const std::string& line : lines) ++counts[line];
  std::vector<double> truth;
  for (int row = 0; row < histogram.values_size(); ++row) {
    const std::string name =
        histogram.labels().empty() ? absl::StrCat(histogram.values(row)) : histogram.labels(row);
    truth.push_back(static_cast<double>(counts[name]) / static_cast<double>(lines.size()));
  }
  return truth;
}

absl::Status RunQuery(const Options& options) {
  TOMBOLA_ASSIGN_OR_RETURN(const Config config, Config::Load(options.config));
  TOMBOLA_ASSIGN_OR_RETURN(const auto stub, Analyst(config));
  TOMBOLA_ASSIGN_OR_RETURN(const TaskId id, ParseTaskId(options.task));
  v1::GetHistogramRequest request;
  request.set_task_id(std::string(AsView(id)));
  request.set_top(options.top);
  request.set_confidence(options.confidence);
  request.set_postprocess(options.postprocess == "none" ? v1::POSTPROCESS_NONE
                                                        : v1::POSTPROCESS_POP);
  if (!options.values.empty()) {
    v1::GetTaskInfoRequest task_request;
    task_request.set_task_id(request.task_id());
    TOMBOLA_ASSIGN_OR_RETURN(const v1::TaskInfo info,
                             Call(*stub, &v1::CollectorQuery::Stub::GetTask, task_request));
    TOMBOLA_ASSIGN_OR_RETURN(const auto task, Task::Parse(info.task()));
    for (const std::string& value : options.values) {
      TOMBOLA_ASSIGN_OR_RETURN(const uint64_t index, task->domain().IndexOf(value));
      request.add_values(index);
    }
  }
  TOMBOLA_ASSIGN_OR_RETURN(const v1::Histogram histogram,
                           Call(*stub, &v1::CollectorQuery::Stub::GetHistogram, request));
  if (options.json) {
    Print(HistogramJson(histogram));
    return absl::OkStatus();
  }
  DrawOptions draw{.columns = TerminalColumns(),
                   .colour = isatty(STDOUT_FILENO) != 0,
                   .confidence = options.confidence};
  if (!options.truth.empty()) {
    TOMBOLA_ASSIGN_OR_RETURN(draw.truth, TruthFor(histogram, options.truth));
  }
  std::cout << DrawHistogram(histogram, draw) << "\n" << DescribeGuarantee(histogram);
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
      ->add_option("--postprocess", options->postprocess,
                   "pop: projection on the simplex; none: the unbiased estimates")
      ->check(CLI::IsMember({"pop", "none"}))
      ->capture_default_str();
  query->add_option("--confidence", options->confidence, "Of each bin's interval, in (0, 1)")
      ->capture_default_str();
  query->add_option("--truth", options->truth,
                    "File with one true value a line, drawn beside the answer");
  query->add_flag("--json", options->json, "One JSON object on standard output");
  query->callback([options, choose] { choose([options] { return RunQuery(*options); }); });
}

}  // namespace tombola::cli
